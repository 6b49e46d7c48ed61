//! What an edited file says, as a resource to be written.

use crate::calls::unmarked;
use crate::files::read_text;
use coeval_client::Resource;

/// The resource that the text makes of the one that was read, or all that is wrong with it.
pub(super) fn edited(text: &str, read: &Resource) -> Result<Resource, Vec<String>> {
    let lines = |text: String| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let all = read_text(text, "the file").map_err(|error| lines(error.to_string()))?;
    let [file] = all.as_slice() else {
        return Err(vec![format!("there are {} resources in it", all.len())]);
    };
    // All that is wrong at once, since each round costs a run of the editor.
    let mut wrong = Vec::new();
    for (what, said, is) in [
        ("kind", &file.kind, &read.kind),
        ("metadata.name", &file.name, &read.metadata.name),
        (
            "metadata.namespace",
            &file.namespace,
            &read.metadata.namespace,
        ),
    ] {
        // The namespace may be left out, since it is not written into every file.
        if said != is && !(said.is_empty() && what == "metadata.namespace") {
            wrong.push(format!("{what} can't be changed here; it is {is}"));
        }
    }
    // The file is of the view that was shown, so its version can't be another one.
    let version = unmarked(&read.version);
    if !file.version.is_empty() && file.version != version {
        wrong.push(format!(
            "version can't be changed here; it is {version} (edit at another one with --version)"
        ));
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    // From what was read, so that the revision and the server's fields are there.
    let mut body = read.clone();
    body.spec.clone_from(&file.spec);
    body.sub_kind = file.sub_kind.clone().unwrap_or_default();
    body.metadata.description = file.description.clone().unwrap_or_default();
    body.metadata.expires = file.expires.flatten();
    let labels = file.labels.iter();
    body.metadata.labels = labels
        .filter_map(|(label, value)| Some((label.clone(), value.clone()?)))
        .collect();
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read() -> Resource {
        let mut read = Resource::new("app", "v1.1", "web", json!({"image": "a"}));
        read.metadata.namespace = "acme".to_owned();
        read.metadata.revision = "r1".to_owned();
        read.metadata.description = "old".to_owned();
        read
    }

    #[test]
    fn what_is_not_in_the_file_any_more_is_gone() {
        let text = "kind: app\nmetadata: {name: web, labels: {a: b}}\nspec: {x: 1}\n";
        let body = edited(text, &read()).unwrap();
        assert_eq!(body.spec, json!({"x": 1}));
        assert_eq!(body.metadata.description, "");
        assert_eq!(body.metadata.labels["a"], "b");
        assert_eq!(body.metadata.revision, "r1");
    }

    #[test]
    fn another_resource_or_version_is_refused() {
        for (text, said) in [
            (
                "kind: other\nmetadata: {name: web}\nspec: {}\n",
                "kind can't be changed",
            ),
            (
                "kind: app\nmetadata: {name: x}\nspec: {}\n",
                "metadata.name can't",
            ),
            (
                "kind: app\nmetadata: {name: web, namespace: b}\nspec: {}\n",
                "metadata.namespace can't",
            ),
            (
                "kind: app\nversion: v2\nmetadata: {name: web}\nspec: {}\n",
                "it is v1.1",
            ),
            ("a: [", "line"),
            ("", "no resource"),
        ] {
            let wrong = edited(text, &read()).unwrap_err().join("\n");
            assert!(wrong.contains(said), "{text}: {wrong}");
        }
    }
}
