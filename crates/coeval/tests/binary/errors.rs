use crate::support::{coeval, stderr};
use tempfile::TempDir;

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = TempDir::new().unwrap();
    let output = coeval(folder.path()).args(arguments).output().unwrap();
    let out = String::from_utf8(output.stdout.clone()).unwrap();
    (output.status.code(), out, stderr(&output))
}

#[test]
fn the_codes_are_listed_and_each_has_its_page() {
    let (code, list, _) = run(&["errors"]);
    assert_eq!(code, Some(0));
    assert!(
        list.contains("COEVAL-4013  Another process owns the store\n"),
        "{list}"
    );
    for spelling in ["COEVAL-4013", "4013"] {
        let (code, page, _) = run(&["errors", spelling]);
        assert_eq!(code, Some(0));
        assert!(page.starts_with("# COEVAL-4013: Another process"), "{page}");
        assert!(page.contains("## What to do"), "{page}");
    }
    let (code, out, said) = run(&["errors", "COEVAL-1"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(
        said.contains("next:  `coeval errors` lists them all."),
        "{said}"
    );
}

#[test]
fn the_version_is_the_release() {
    let (code, out, _) = run(&["--version"]);
    assert_eq!(code, Some(0));
    assert_eq!(out, concat!("coeval ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn wrong_usage_ends_with_2_and_says_nothing_on_stdout() {
    for arguments in [
        &["serve", "--nonsense"][..],
        &["serve", "--listen", "nowhere"],
        &["serve", "--store", "mysql://u@h/d"],
        &["serve", "--events-keep-age", "soon"],
        &["serve", "--max-connections", "0"],
        &["serve", "--log-level", "!!"],
        &["dance"],
        &[],
    ] {
        let (code, out, said) = run(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        assert_eq!(out, "", "{arguments:?}");
        assert!(!said.is_empty(), "{arguments:?}");
    }
}
