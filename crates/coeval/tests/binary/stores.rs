use crate::support::{Server, coeval, serve, stderr};
use std::path::Path;
use tempfile::TempDir;

const RECORDS: &str = r#"{"coeval_export":1}
{"key":"demo/1","revision":"000102030405060708090a0b0c0d0e0f","json":{"image": "web"}}
{"key":"demo/2","revision":"100102030405060708090a0b0c0d0e0f","text":"plain"}
{"end":{"lines":2,"sequence":"x"}}
"#;

/// Runs `coeval store …`: exit code, stdout, stderr.
fn store(folder: &Path, arguments: &str) -> (Option<i32>, String, String) {
    let mut command = coeval(folder);
    command.arg("store").args(arguments.split(' '));
    let output = command.output().unwrap();
    let out = String::from_utf8(output.stdout.clone()).unwrap();
    (output.status.code(), out, stderr(&output))
}

/// The same, where only success will do; its stdout.
fn done(folder: &Path, arguments: &str) -> String {
    let (code, out, err) = store(folder, arguments);
    assert_eq!(code, Some(0), "{arguments}: {err}");
    out
}

fn filled() -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("in.jsonl"), RECORDS).unwrap();
    let said = done(folder.path(), "import in.jsonl --data a");
    assert_eq!(said, "2 lines imported; a new history begins\n");
    folder
}

#[test]
fn records_go_round_by_export_backup_and_restore() {
    let folder = filled();
    let folder = folder.path();
    let exported = done(folder, "export --data a");
    let body = |text: &str| text.lines().skip(1).take(2).map(str::to_owned).collect();
    let wanted: Vec<String> = body(RECORDS);
    assert_eq!(body(&exported), wanted);
    let said = done(folder, "backup b.db --data a");
    assert_eq!(said, "2 records at sequence 1 are in b.db\n");
    let said = done(folder, "restore b.db --data c");
    assert!(said.starts_with("2 records restored, as they were at sequence 1"));
    assert_eq!(body(&done(folder, "export --data c")), wanted);
    for address in ["--data c", "--store sqlite:b.db"] {
        let said = done(folder, &format!("check {address}"));
        assert!(said.starts_with("2 records and "), "{said}");
        assert!(
            said.contains(", 0 wrong; sqlite store at sequence"),
            "{said}"
        );
    }
}

#[test]
fn a_target_that_is_not_empty_is_refused_with_what_to_do() {
    let folder = filled();
    let folder = folder.path();
    done(folder, "backup b.db --data a");
    for arguments in ["restore b.db --data a", "import in.jsonl --data a"] {
        let (code, out, err) = store(folder, arguments);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
        assert!(
            err.contains("COEVAL-4017") && err.contains("--replace"),
            "{err}"
        );
        done(folder, &format!("{arguments} --replace"));
    }
    let (code, _, err) = store(folder, "backup b.db --data a");
    assert_eq!(code, Some(1));
    assert!(
        err.contains("COEVAL-4025") && err.contains("exists"),
        "{err}"
    );
}

#[test]
fn a_running_server_is_looked_at_and_not_changed() {
    let folder = filled();
    let mut command = serve(folder.path());
    command.args(["--data", "a"]);
    let server = Server::start(command);
    let folder = folder.path();
    assert!(done(folder, "check --data a").contains(" 0 wrong"));
    // The server has put its own kinds beside the four.
    let exported = done(folder, "export --data a");
    assert!(exported.lines().count() > 4, "{exported}");
    done(folder, "backup b.db --data a");
    for arguments in [
        "adopt",
        "compact",
        "import in.jsonl --replace",
        "restore b.db --replace",
    ] {
        let (code, _, err) = store(folder, &format!("{arguments} --data a"));
        assert_eq!(code, Some(1), "{arguments}");
        assert!(err.contains("COEVAL-4013"), "{err}");
    }
    assert!(server.get("/readyz").contains("200 OK"));
    let (code, ..) = server.stop();
    assert_eq!(code, Some(0));
}

#[test]
fn adopt_and_compact_say_what_they_did() {
    let folder = filled();
    let folder = folder.path();
    let said = done(folder, "adopt --data a");
    assert!(
        said.starts_with("a new history begins at sequence 1: "),
        "{said}"
    );
    assert_ne!(done(folder, "adopt --data a"), said);
    done(folder, "import in.jsonl --data a --merge");
    let said = done(folder, "compact --data a");
    assert_eq!(said, "events up to sequence 1 are gone (before: 0)\n");
}

#[test]
fn a_damaged_record_is_found_and_everything_else_is_exported() {
    let folder = filled();
    let folder = folder.path();
    let file = folder.join("a/coeval.db");
    let mut bytes = std::fs::read(&file).unwrap();
    // The text stands in the file as it is; once in the record, once in its event.
    let found: Vec<_> = bytes
        .windows(5)
        .enumerate()
        .filter(|(_, w)| w == b"plain")
        .collect();
    let places: Vec<_> = found.into_iter().map(|(at, _)| at).collect();
    assert_eq!(places.len(), 2);
    for at in places {
        bytes[at] ^= 0x10;
    }
    std::fs::write(&file, bytes).unwrap();
    let (code, out, err) = store(folder, "check --data a");
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("the record demo/2 is damaged"), "{out}");
    assert!(out.contains("2 records and "), "{out}");
    assert!(err.contains("next:"), "{err}");
    let (code, out, err) = store(folder, "export --data a");
    assert_eq!(code, Some(0), "{err}");
    assert!(
        out.contains(r#"{"image": "web"}"#) && out.contains("\"damaged\""),
        "{out}"
    );
    assert!(err.contains("1 records are damaged"), "{err}");
}

#[test]
fn nonsense_is_wrong_usage() {
    let folder = TempDir::new().unwrap();
    for arguments in [
        "check --store mysql://x",
        "check --data a --store sqlite:b",
        "import --replace --merge",
        "compact --events-keep-age soon",
        "backup",
    ] {
        let (code, out, err) = store(folder.path(), arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments}: {err}");
    }
    let (code, _, err) = store(folder.path(), "check --data nowhere");
    assert_eq!(code, Some(1));
    assert!(
        err.contains("COEVAL-4010") && err.contains("there is no file"),
        "{err}"
    );
}
