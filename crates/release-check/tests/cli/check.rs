//! `check` and `outputs`.

use crate::fake::{FakeRelease, refusal, stdout};

#[test]
fn a_release_that_breaks_nothing_is_told_in_one_line_with_numbers() {
    let fake = FakeRelease::new("0.2.0");
    let said = stdout(&fake.run(&["check", "--without-outputs"]));
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("0.2.0 breaks nothing of 0.1.0"), "{said}");
    assert!(said.contains("219 routes, 77 methods"), "{said}");
}

#[test]
fn what_breaks_is_told_with_the_rule_and_the_status_is_1() {
    let fake = FakeRelease::new("0.2.0");
    let file = fake.served().join("metrics.json");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(
        &file,
        text.replace("coeval_http_connections\"", "coeval_connections\""),
    )
    .unwrap();
    let said = refusal(&fake.run(&["check", "--without-outputs"]));
    assert!(
        said.starts_with("metric-stays: metrics, coeval_http_connections"),
        "{said}"
    );
    assert!(
        said.contains("1 thing breaks clients of kept releases."),
        "{said}"
    );
}

#[test]
fn what_commands_print_is_compared_too_and_no_server_is_left_behind() {
    let fake = FakeRelease::new("0.2.0");
    let said = refusal(&fake.run(&["check"]));
    assert!(
        said.contains("output-stays: outputs of commands, coeval whoami: user"),
        "{said}"
    );
}

#[test]
fn outputs_are_written_as_types_by_path_and_the_server_is_stopped() {
    let fake = FakeRelease::new("0.2.0");
    let pid = fake.path().join("pid");
    fake.write_script(&format!(
        "echo $$ > '{}'; echo 'coeval ready on http://127.0.0.1:1'; exec sleep 600",
        pid.display()
    ));
    let out = fake.path().join("outputs.json");
    let said = stdout(&fake.run(&["outputs", "--out", &out.display().to_string()]));
    assert!(said.starts_with("wrote 38 outputs"), "{said}");
    let written = std::fs::read_to_string(&out).unwrap();
    assert!(
        written.contains("\"items[].name\": \"string\""),
        "{written}"
    );
    let pid = std::fs::read_to_string(pid).unwrap();
    let process = std::path::Path::new("/proc").join(pid.trim());
    assert!(!process.exists(), "the server still runs");
}

#[test]
fn a_binary_that_does_not_serve_is_told_with_what_it_said() {
    let fake = FakeRelease::new("0.2.0");
    fake.write_script("echo 'the port is taken' >&2; exit 1");
    let said = refusal(&fake.run(&["check"]));
    assert!(
        said.contains("the server did not start: the port is taken"),
        "{said}"
    );
    std::fs::remove_file(fake.binary()).unwrap();
    let said = refusal(&fake.run(&["check"]));
    assert!(said.contains("can't be run"), "{said}");
}

#[test]
fn files_that_are_not_what_they_should_be_are_named() {
    let fake = FakeRelease::new("0.2.0");
    std::fs::write(fake.served().join("webapi.json"), "{").unwrap();
    let said = refusal(&fake.run(&["check", "--without-outputs"]));
    assert!(said.contains("webapi.json is not valid: no JSON"), "{said}");
}
