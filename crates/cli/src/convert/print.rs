//! What is shown: the document for programs, the rest for people.

use super::conversion::DocumentConversion;
use coeval_core::types::{BodyLimits, DocumentForm, read_document, same};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Characters of a value that are shown.
const SHOWN: usize = 60;

/// The document, in the form in which it came.
pub(super) fn document(content: &Value, form: DocumentForm) -> String {
    let yaml = match form {
        DocumentForm::Json => None,
        DocumentForm::Yaml => yaml(content),
    };
    yaml.unwrap_or_else(|| format!("{content:#}\n"))
}

/// As YAML, if we would read it as the same again.
fn yaml(content: &Value) -> Option<String> {
    let text = serde_norway::to_string(content).ok()?;
    let limits = BodyLimits {
        bytes: text.len().max(content.to_string().len()),
        ..BodyLimits::default()
    };
    // Some values don't survive YAML, such as numbers that it reads as text. Then JSON is printed.
    let again = read_document(text.as_bytes(), limits).ok()?;
    same(&again.content, content).then_some(text)
}

/// Everything, as one JSON object.
pub(super) fn json(done: &DocumentConversion) -> String {
    let entries = done.record.kept.entries().into_iter();
    let kept = entries.map(|entry| {
        json!({
            "version": entry.version.to_string(),
            "path": entry.path,
            "value": entry.value,
            "refines": entry.refines,
        })
    });
    let losses = done
        .losses
        .iter()
        .map(|loss| json!({"class": loss.class.words(), "path": loss.path, "what": loss.what}));
    let misfits = done
        .misfits
        .iter()
        .map(|misfit| json!({"path": misfit.pointer, "what": misfit.sentence}));
    let whole = json!({
        "content": done.record.content,
        "class": done.class.words(),
        "losses": losses.collect::<Vec<_>>(),
        "kept": kept.collect::<Vec<_>>(),
        "dropped": done.dropped,
        "misfits": misfits.collect::<Vec<_>>(),
    });
    format!("{whole:#}\n")
}

/// In plain words: what such a conversion does, and what it did here.
pub(super) fn report(done: &DocumentConversion) -> String {
    let mut said = String::new();
    let to = done.record.version;
    let _ = writeln!(said, "{} to {to}: {}", done.from, done.class.words());
    for loss in &done.losses {
        let _ = writeln!(said, "  {} {}", one_line(&loss.path), loss.what);
    }
    for entry in done.record.kept.entries() {
        let while_same = if entry.refines {
            ", while the value here is unchanged"
        } else {
            ""
        };
        let _ = writeln!(
            said,
            "kept: {} of version {}, {}{while_same}",
            one_line(&entry.path),
            entry.version,
            excerpt(entry.value),
        );
    }
    for path in &done.dropped {
        let _ = writeln!(said, "dropped: {}", one_line(path));
    }
    for misfit in &done.misfits {
        let misfit = one_line(&misfit.to_string());
        let _ = writeln!(
            said,
            "warning: the result does not fit version {to}: {misfit}"
        );
    }
    said
}

/// A key may be any text.
fn one_line(text: &str) -> String {
    // A line break in a key would look like another line of the report.
    let shown = |c: char| {
        if c.is_control() {
            c.escape_default().to_string()
        } else {
            c.to_string()
        }
    };
    text.chars().map(shown).collect()
}

fn excerpt(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::conversion::convert;
    use super::*;
    use coeval_core::convert::Versions;
    use coeval_core::types::TypeVersion;
    use coeval_core::version::Version;

    const OLD: Version = Version::new(1, 0, 0);
    const NEW: Version = Version::new(2, 0, 0);

    fn types() -> String {
        let head = |version: &str| {
            format!(
                "kind: type\nversion: v1\nmetadata: {{name: 'acme:app:{version}'}}\n\
                 spec:\n  vendor: acme\n  nss: app\n  version: {version}\n"
            )
        };
        let old = head("1.0.0")
            + "  schema: {properties: {img: {type: string}, size: {type: integer}}}\n";
        let new = head("2.0.0")
            + "  schema: {required: [zone], properties: {image: {type: string}, size: {type: integer}, gpu: {}, zone: {}}}\n  \
               conversion: {from: 1.0.0, steps: [{rename: {path: /img, to: image}}, {scale: {path: /size, by: 1024}}, {add: {path: /gpu}}]}\n";
        format!("{old}---\n{new}")
    }

    fn versions() -> Versions {
        Versions::of_files(TypeVersion::parse_all(&types()).unwrap()).unwrap()
    }

    fn down(content: Value) -> DocumentConversion {
        convert(&versions(), NEW, OLD, content, None).unwrap()
    }

    #[test]
    fn people_are_told_the_class_its_reasons_and_what_is_kept() {
        let long = "x".repeat(100);
        let done = down(json!({"image": "a", "size": 2049, "gpu": long, "zone": 1}));
        let shown = "x".repeat(59);
        let expected = format!(
            "2.0.0 to 1.0.0: may refuse\n  \
             /gpu has no place there and is kept\n  \
             /size is refused where it is no number, or beyond 64 bits\n  \
             /size is kept where the new unit can't say it\n\
             kept: /gpu of version 2.0.0, \"{shown}…\n\
             kept: /zone of version 2.0.0, 1\n\
             kept: /size of version 2.0.0, 2049, while the value here is unchanged\n"
        );
        assert_eq!(report(&done), expected);
    }

    #[test]
    fn a_result_that_does_not_fit_is_a_warning() {
        let done = convert(&versions(), OLD, NEW, json!({"img": "a"}), None).unwrap();
        let said = report(&done);
        assert!(said.starts_with("1.0.0 to 2.0.0: may refuse\n"), "{said}");
        let warning =
            "warning: the result does not fit version 2.0.0: /zone: is required and missing\n";
        assert!(said.ends_with(warning), "{said}");
        assert_eq!(
            document(&done.record.content, DocumentForm::Json),
            "{\n  \"image\": \"a\"\n}\n"
        );
    }

    #[test]
    fn programs_get_one_object() {
        let done = down(json!({"size": 2049, "gpu": 4, "zone": 1}));
        let said: Value = serde_json::from_str(&json(&done)).unwrap();
        assert_eq!(said["content"], json!({"size": 2}));
        assert_eq!(said["class"], "may refuse");
        let entry = |path: &str, value: u32, refines: bool| json!({"version": "2.0.0", "path": path, "value": value, "refines": refines});
        let kept = json!([
            entry("/gpu", 4, false),
            entry("/zone", 1, false),
            entry("/size", 2049, true)
        ]);
        assert_eq!(said["kept"], kept);
        assert_eq!(said["losses"][0]["path"], "/gpu");
    }

    #[test]
    fn yaml_is_printed_where_it_reads_back_as_the_same() {
        let content = json!({"image": "a", "ports": [80, "80", "1.10", "007", "~", "no", ".5", "+1", "0x1f"]});
        let printed = document(&content, DocumentForm::Yaml);
        assert!(
            printed.starts_with("image: a\nports:\n- 80\n- '80'\n"),
            "{printed}"
        );
        // A merge key would be refused.
        let merge = json!({"<<": 1});
        assert_eq!(document(&merge, DocumentForm::Yaml), "{\n  \"<<\": 1\n}\n");
    }

    #[test]
    fn what_is_hidden_without_a_step_counts_as_kept() {
        let steps = "steps: [{rename: {path: /img, to: image}}, {scale: {path: /size, by: 1024}}, {add: {path: /gpu}}]";
        let bare = types().replace(steps, "steps: []");
        let versions = Versions::of_files(TypeVersion::parse_all(&bare).unwrap()).unwrap();
        let done = convert(&versions, NEW, OLD, json!({"zone": 1}), None).unwrap();
        let expected = "2.0.0 to 1.0.0: keeps something\nkept: /zone of version 2.0.0, 1\n";
        assert_eq!(report(&done), expected);
    }

    #[test]
    fn a_key_with_a_line_break_does_not_break_the_line() {
        let done = convert(&versions(), OLD, OLD, json!({}), None).unwrap();
        let done = DocumentConversion {
            dropped: vec!["/a\nwarning: b".to_owned()],
            ..done
        };
        assert_eq!(
            report(&done),
            "1.0.0 to 1.0.0: exact\ndropped: /a\\nwarning: b\n"
        );
    }
}
