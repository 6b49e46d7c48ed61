use crate::support::{Server, coeval, serve, with_stdin};
use std::path::Path;
use tempfile::TempDir;

/// A version of acme:app with one field for each name.
fn app(version: &str, fields: &[&str]) -> String {
    let mut file = format!(
        "kind: type\nversion: v1\nmetadata: {{name: 'acme:app:{version}'}}\nspec:\n  vendor: acme\n  \
         nss: app\n  version: {version}\n  schema:\n    type: object\n    properties:\n"
    );
    for name in fields {
        file.push_str(&format!("      '{name}': {{type: string}}\n"));
    }
    file
}

/// Runs `coeval type proto …` with something on stdin: exit code, stdout, stderr.
fn proto(folder: &Path, arguments: &[&str], stdin: &str) -> (Option<i32>, String, String) {
    let mut command = coeval(folder);
    command.args(["type", "proto"]).args(arguments);
    with_stdin(command, stdin)
}

#[test]
fn the_file_of_a_type_is_printed() {
    let folder = TempDir::new().unwrap();
    let both = app("1.1.0", &["image", "tag"]) + "---\n" + &app("1.0.0", &["image", "old"]);
    let (code, out, err) = proto(folder.path(), &["-"], &both);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    for line in [
        "package acme.app.v1;",
        "  optional string image = 1;",
        "  reserved 2;",
        "  reserved \"old\";",
        "  // Since 1.1.0.",
        "  optional string tag = 3;",
        "service AppService {",
    ] {
        assert!(out.contains(&format!("{line}\n")), "{line}: {out}");
    }
    assert!(out.starts_with("syntax = \"proto3\";\n"), "{out}");
}

#[test]
fn each_major_has_a_file_and_what_cant_be_said_is_noted() {
    let folder = TempDir::new().unwrap();
    let both = app("1.0.0", &["image"]) + "---\n" + &app("2.0.0", &["image", "a b"]);
    let (code, out, err) = proto(folder.path(), &["-"], &both);
    assert_eq!(code, Some(0), "{err}");
    for path in ["acme/app/v1/app.proto", "acme/app/v2/app.proto"] {
        assert!(out.contains(&format!("// file: {path}\n")), "{out}");
    }
    assert!(
        err.starts_with("note: ") && err.contains("/a b") && err.contains("COEVAL-2070"),
        "{err}"
    );
}

#[test]
fn a_tree_has_what_its_files_import() {
    let folder = TempDir::new().unwrap();
    let (code, out, err) = proto(
        folder.path(),
        &["--out", "tree", "-"],
        &app("1.0.0", &["image"]),
    );
    assert_eq!((code, out.as_str()), (Some(0), ""), "{err}");
    for path in ["acme/app/v1/app.proto", "coeval/header/v1/header.proto"] {
        let written = folder.path().join("tree").join(path);
        let text = std::fs::read_to_string(&written).unwrap();
        assert!(text.starts_with("syntax = \"proto3\";\n"), "{text}");
        assert!(err.contains(&format!("wrote tree/{path}\n")), "{err}");
    }
    std::fs::write(folder.path().join("file"), "").unwrap();
    let (code, _, err) = proto(
        folder.path(),
        &["--out", "file", "-"],
        &app("1.0.0", &["image"]),
    );
    assert_eq!(code, Some(1));
    assert!(
        err.starts_with("error: can't write file/") && err.contains("\nnext:  "),
        "{err}"
    );
}

#[test]
fn a_server_gives_its_files_to_who_may_have_them() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("app.yaml"), app("1.0.0", &["image"])).unwrap();
    let bootstrap = "users: [{name: administrator, password: secret, roles: [System Administrator]}]\ntypes: [app.yaml]\n";
    std::fs::write(folder.path().join("bootstrap.yaml"), bootstrap).unwrap();
    let mut command = serve(folder.path());
    command.args(["--data", "data", "--bootstrap", "bootstrap.yaml"]);
    let server = Server::start(command);
    let url = format!("http://{}", server.address());
    let ask = |token: Option<&str>, arguments: &[&str]| {
        let mut command = coeval(folder.path());
        if let Some(token) = token {
            command.env("COEVAL_TOKEN", token);
        }
        command
            .args(["type", "proto", "--server", &url])
            .args(arguments);
        with_stdin(command, "")
    };
    let (code, out, err) = ask(None, &["acme:app"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(
        err.contains("acme:app") && err.contains("COEVAL_TOKEN"),
        "{err}"
    );
    let (code, _, err) = ask(Some("wrong"), &["acme:app"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("401") && err.contains("COEVAL-5053"), "{err}");
    let (code, _, err) = ask(None, &["app"]);
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("`coeval login`"), "{err}");
    let (code, _, err) = ask(None, &["acme:"]);
    assert_eq!(code, Some(2), "{err}");

    let token = login(&url);
    let (code, out, err) = ask(Some(&token), &["acme:app"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let offline = proto(folder.path(), &["app.yaml"], "").1;
    assert_eq!(out, offline);
    let (code, _, err) = ask(Some(&token), &["acme:app", "--out", "tree"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(
        folder
            .path()
            .join("tree/coeval/header/v1/header.proto")
            .exists()
    );
}

/// The administrator's token.
fn login(url: &str) -> String {
    use base64::Engine as _;
    let basic = base64::engine::general_purpose::STANDARD.encode("administrator@System:secret");
    let reply = ureq::post(format!("{url}/cloudapi/1.0.0/sessions/provider"))
        .header("authorization", format!("Basic {basic}"))
        .send_empty()
        .unwrap();
    let token = reply.headers().get("x-vmware-vcloud-access-token").unwrap();
    token.to_str().unwrap().to_owned()
}

#[test]
fn nonsense_is_refused_and_help_has_examples() {
    let folder = TempDir::new().unwrap();
    assert_eq!(proto(folder.path(), &[], "").0, Some(2));
    let (code, _, err) = proto(folder.path(), &["nowhere.yaml"], "");
    assert_eq!(code, Some(1));
    assert!(
        err.contains("nowhere.yaml") && err.contains("COEVAL-4025"),
        "{err}"
    );
    let google = app("1.0.0", &["image"]).replace("acme", "google");
    let (code, out, err) = proto(folder.path(), &["-"], &google);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(
        err.contains("google") && err.contains("COEVAL-2073"),
        "{err}"
    );
    let (code, _, err) = proto(
        folder.path(),
        &["x:y", "--server", "http://127.0.0.1:1"],
        "",
    );
    assert_eq!(code, Some(1));
    assert!(err.contains("does not answer"), "{err}");
    let (code, out, _) = proto(folder.path(), &["--help"], "");
    assert_eq!(code, Some(0));
    assert!(
        out.contains("coeval type proto app-1.0.0.yaml app-1.1.0.yaml\n"),
        "{out}"
    );
    assert!(!out.contains("--token"), "{out}");
}
