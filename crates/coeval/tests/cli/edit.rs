//! edit: no edit is ever lost.

use crate::desk::{Desk, run};
use expectrl::{Eof, Expect as _, Session};
use serde_json::json;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

/// A desk with app/web, image web:1.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.ok(&[
        "create",
        "-f",
        &desk.app("web", "v1", &json!({"image": "web:1"})),
    ]);
    desk
}

/// `coeval edit app web` with an editor that is a script.
fn edit(desk: &Desk, script: &str) -> std::process::Command {
    let editor = desk.editor(script);
    let mut command = desk.command(&["edit", "app", "web"]);
    command.env("EDITOR", editor);
    command
}

#[test]
fn an_edit_is_saved_and_its_file_goes() {
    let desk = desk();
    let said = run(edit(&desk, "sed -i s/web:1/web:2/ \"$1\""));
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "app/web changed (v1)\n"),
        "{said:?}"
    );
    assert_eq!(desk.spec("web"), json!({"image": "web:2"}));
    assert!(desk.drafts().is_empty());
}

#[test]
fn nothing_is_sent_if_nothing_was_changed() {
    let desk = desk();
    let before = desk.revision("web");
    for script in ["true", "echo '# a comment' >> \"$1\"", ": > \"$1\""] {
        let said = run(edit(&desk, script));
        assert_eq!((said.code, said.out.as_str()), (0, ""), "{said:?}");
        assert!(said.err.contains("stays as it is"), "{said:?}");
    }
    assert_eq!(desk.revision("web"), before);
    assert!(desk.drafts().is_empty());
}

#[test]
fn an_edit_at_an_old_version_keeps_what_it_cant_show() {
    let desk = Desk::new();
    let spec = json!({"image": "web:1", "region": "eu"});
    desk.ok(&["create", "-f", &desk.app("web", "v1.1", &spec)]);
    let mut command = desk.command(&["edit", "app/web", "--version", "v1"]);
    let editor = desk.editor("grep -q region \"$1\" && exit 9\nsed -i s/web:1/web:2/ \"$1\"");
    command.env("VISUAL", editor);
    let said = run(command);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(said.err, "kept: /region (of v1.1)\n");
    assert_eq!(desk.spec("web"), json!({"image": "web:2", "region": "eu"}));
}

#[test]
fn what_does_not_fit_is_opened_again_with_the_errors_on_top() {
    let desk = desk();
    // First nonsense, then a wrong type, then well; each time the errors are noted.
    let script = r#"
n=$(cat turn 2>/dev/null || echo 0); echo $((n + 1)) > turn
cp "$1" "seen.$n"
case $n in
  0) sed -i 's/image:.*/image: [/' "$1";;
  1) sed -i 's/image:.*/image: 7/' "$1";;
  2) sed -i 's/image:.*/image: web:9/' "$1";;
esac"#;
    let said = run(edit(&desk, script));
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(desk.spec("web"), json!({"image": "web:9"}));
    let seen = |n: &str| std::fs::read_to_string(desk.folder.path().join(n)).unwrap();
    assert!(!seen("seen.0").contains("not saved"));
    assert!(
        seen("seen.1").starts_with("# It was not saved:\n#   the file: line "),
        "{}",
        seen("seen.1")
    );
    assert!(seen("seen.2").contains("/image"), "{}", seen("seen.2"));
    assert_eq!(seen("seen.2").matches("It was not saved").count(), 1);
}

#[test]
fn an_invalid_file_that_is_left_so_is_kept() {
    let desk = desk();
    let script = "grep -q 'not saved' \"$1\" || sed -i 's/image:.*/image: 7/' \"$1\"";
    let said = run(edit(&desk, script));
    assert_eq!(said.code, 1, "{said:?}");
    let drafts = desk.drafts();
    assert_eq!(drafts.len(), 1, "{said:?}");
    assert!(said.err.contains(drafts[0].to_str().unwrap()), "{said:?}");
    assert_eq!(said.err.matches("/image: ").count(), 1, "{said:?}");
    assert!(
        std::fs::read_to_string(&drafts[0])
            .unwrap()
            .contains("image: 7")
    );
    assert_eq!(desk.spec("web"), json!({"image": "web:1"}));
}

#[test]
fn a_killed_editor_leaves_the_file_and_its_name() {
    let desk = desk();
    let said = run(edit(&desk, "sed -i s/web:1/mine/ \"$1\"\nkill -9 $$"));
    assert_eq!(said.code, 1, "{said:?}");
    let drafts = desk.drafts();
    assert!(said.err.contains(drafts[0].to_str().unwrap()), "{said:?}");
    assert!(
        std::fs::read_to_string(&drafts[0])
            .unwrap()
            .contains("image: mine")
    );
    let mode = std::fs::metadata(&drafts[0]).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn without_a_terminal_or_an_editor_the_file_is_kept_and_named() {
    let desk = desk();
    let said = desk.run(&["edit", "app", "web"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.contains("EDITOR"), "{said:?}");
    assert!(
        said.err.contains(desk.drafts()[0].to_str().unwrap()),
        "{said:?}"
    );
}

#[test]
fn a_server_that_is_gone_leaves_the_file_too() {
    let mut desk = desk();
    let mut command = edit(
        &desk,
        "sed -i s/web:1/mine/ \"$1\"\ntouch edited\nwhile [ -e edited ]; do sleep 0.05; done",
    );
    command
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    let edited = desk.folder.path().join("edited");
    while !edited.exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    // Served again at another port: for this edit the server is gone.
    desk.world.restart_with(&[]);
    std::fs::remove_file(&edited).unwrap();
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{err}");
    let drafts = desk.drafts();
    assert!(err.contains(drafts[0].to_str().unwrap()), "{err}");
    assert!(
        std::fs::read_to_string(&drafts[0])
            .unwrap()
            .contains("image: mine")
    );
}

/// An editor that sets the image; before the first save somebody else writes.
fn overtaken(desk: &Desk, theirs: &serde_json::Value) -> String {
    let theirs = desk.file(
        "theirs.yaml",
        &json!({"kind": "app", "version": "v1", "metadata": {"name": "web"}, "spec": theirs})
            .to_string(),
    );
    let coeval = env!("CARGO_BIN_EXE_coeval");
    format!(
        "cp \"$1\" seen.$(ls seen.* 2>/dev/null | wc -l)\n\
         if [ ! -e once ]; then touch once; {coeval} apply -f {theirs} >&2; \
         sed -i s/web:1/mine/ \"$1\"; fi"
    )
}

fn on_a_terminal(desk: &Desk, script: &str) -> expectrl::session::OsSession {
    let mut session = Session::spawn(edit(desk, script)).unwrap();
    session.set_expect_timeout(Some(Duration::from_secs(60)));
    session
}

fn rest(session: &mut expectrl::session::OsSession) -> String {
    let rest = session.expect(Eof).unwrap();
    String::from_utf8_lossy(rest.as_bytes()).into_owned()
}

#[test]
fn on_a_conflict_both_changes_are_shown_and_yes_does_both() {
    let desk = desk();
    let script = overtaken(&desk, &json!({"image": "web:1", "replicas": 5}));
    let mut session = on_a_terminal(&desk, &script);
    let shown = session.expect("Do yours again on theirs?").unwrap();
    let shown = String::from_utf8_lossy(shown.before()).into_owned();
    for said in [
        "Their changes",
        "/spec/replicas: 5",
        "Your changes",
        "/spec/image: mine",
        "Your edit is in",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    assert!(!shown.contains("Both changed"), "{shown}");
    session.send_line("y").unwrap();
    let rest = rest(&mut session);
    assert!(rest.contains("app/web changed (v1)"), "{rest}");
    assert_eq!(desk.spec("web"), json!({"image": "mine", "replicas": 5}));
    assert!(desk.drafts().is_empty());
}

#[test]
fn where_both_changed_the_same_all_three_sides_are_shown_and_no_keeps_the_file() {
    let desk = desk();
    let script = overtaken(&desk, &json!({"image": "theirs"}));
    let mut session = on_a_terminal(&desk, &script);
    let shown = session.expect("Do yours again on theirs?").unwrap();
    let shown = String::from_utf8_lossy(shown.before()).into_owned();
    for said in ["Both changed", "before  ", "web:1", "theirs", "mine"] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    session.send_line("what").unwrap();
    session.expect("y, e or n, please").unwrap();
    session.send_line("n").unwrap();
    let rest = rest(&mut session);
    let drafts = desk.drafts();
    assert!(rest.contains(drafts[0].to_str().unwrap()), "{rest}");
    assert!(rest.contains("COEVAL-6004"), "{rest}");
    assert!(
        std::fs::read_to_string(&drafts[0])
            .unwrap()
            .contains("image: mine")
    );
    assert_eq!(desk.spec("web"), json!({"image": "theirs"}));
}

#[test]
fn edit_once_more_opens_both_changes_together() {
    let desk = desk();
    let script = overtaken(&desk, &json!({"image": "web:1", "replicas": 5}));
    let mut session = on_a_terminal(&desk, &script);
    session.expect("Do yours again on theirs?").unwrap();
    session.send_line("e").unwrap();
    let rest = rest(&mut session);
    assert!(rest.contains("app/web changed (v1)"), "{rest}");
    let second = std::fs::read_to_string(desk.folder.path().join("seen.1")).unwrap();
    assert!(
        second.contains("replicas: 5") && second.contains("image: mine"),
        "{second}"
    );
    assert_eq!(desk.spec("web"), json!({"image": "mine", "replicas": 5}));
}

#[test]
fn a_conflict_without_a_terminal_keeps_the_file() {
    let desk = desk();
    let said = run(edit(&desk, &overtaken(&desk, &json!({"image": "theirs"}))));
    assert_eq!(said.code, 3, "{said:?}");
    assert!(
        said.err.contains(desk.drafts()[0].to_str().unwrap()),
        "{said:?}"
    );
    assert!(
        !said.err.contains('\u{1b}'),
        "no colours when piped: {said:?}"
    );
    assert_eq!(desk.spec("web"), json!({"image": "theirs"}));
}
