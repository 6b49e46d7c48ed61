//! README.md and the guides do what they say: their blocks are run, in order, as a newcomer would paste
//! them.

use crate::files::{read, root};
use crate::tour::{Block, blocks, fits};
use std::fmt::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// What README.md says; the test uses a free port.
const ADDRESS: &str = "127.0.0.1:8080";

/// The debug build that these tests are part of.
fn built() -> PathBuf {
    let here = std::env::current_exe().unwrap();
    let debug = here.parent().and_then(Path::parent).unwrap().to_owned();
    assert!(
        debug.join("coeval").is_file(),
        "build it first: cargo build --workspace"
    );
    debug
}

fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

/// One shell for all blocks: variables and background jobs last. Each block's output goes to a
/// file of its own.
fn script(blocks: &[Block]) -> String {
    let mut script =
        String::from("set -eu\ntrap 'kill $(jobs -p) 2> /dev/null || true; wait' EXIT\n");
    for (number, block) in blocks.iter().enumerate() {
        let _ = write!(
            script,
            "echo {number} > last\n{{\n{}}} > out.{number}\n",
            block.commands
        );
    }
    script + "echo done > last\n"
}

fn run(folder: &Path, script: &str, address: &str) -> Output {
    let debug = built();
    let path = format!("{}:{}", debug.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("timeout");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("COEVAL_") {
            command.env_remove(name);
        }
    }
    // A page that names a store has no data folder.
    if !script.contains("COEVAL_STORE=") {
        command.env("COEVAL_DATA", folder.join("data"));
    }
    command
        .args(["--kill-after=10", "120", "bash", "-c", script])
        .current_dir(folder)
        .env("PATH", path)
        .env("COEVAL_BINARY", debug.join("coeval"))
        .env("COEVAL_LISTEN", address)
        .env("COEVAL_CONFIG_DIR", folder.join("config"))
        .output()
        .unwrap()
}

/// Runs the blocks of a page, and compares what they print with what it shows.
fn walk(page: &str, text: &str, address: &str) {
    let blocks = blocks(text);
    assert!(blocks.len() >= 3, "{page} has lost its blocks");
    let folder = TempDir::new().unwrap();
    for there in ["run", "examples"] {
        std::os::unix::fs::symlink(root().join(there), folder.path().join(there)).unwrap();
    }
    let began = std::time::Instant::now();
    let output = run(folder.path(), &script(&blocks), address);
    println!("{page} took {:.1} s", began.elapsed().as_secs_f64());
    let said = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    let last = said("last");
    if let Ok(number) = last.trim().parse::<usize>() {
        panic!(
            "the block at line {} of {page} failed:\n{}\n--- stdout\n{}\n--- stderr\n{}",
            blocks[number].line,
            blocks[number].commands,
            said(&format!("out.{number}")),
            String::from_utf8_lossy(&output.stderr),
        );
    }
    assert_eq!(
        last,
        "done\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for (number, block) in blocks.iter().enumerate() {
        let Some(shown) = &block.shows else { continue };
        let output = said(&format!("out.{number}"));
        assert!(
            fits(shown, &output),
            "line {} of {page} shows\n{shown}\nbut it prints\n{output}",
            block.line
        );
    }
}

#[test]
fn the_blocks_of_the_readme_do_what_it_says() {
    let address = free_address();
    let text = read("README.md").replace(ADDRESS, &address);
    walk("README.md", &text, &address);
}

#[test]
fn the_first_migration_goes_as_its_guide_says_on_postgres() {
    let store = std::env::var("COEVAL_TEST_POSTGRES").expect(
        "run it with a server: target/debug/coeval-test-servers --postgres -- cargo nextest run …",
    );
    let mark = if store.contains('?') { '&' } else { '?' };
    let store = format!("{store}{mark}schema=guide_{}", std::process::id());
    let page = "docs/first-migration.md";
    let text = read(page).replace("postgres://coeval@127.0.0.1/coeval", &format!("'{store}'"));
    // Two ports that nobody else has, in the order in which servers are listed.
    let mut free = [free_address(), free_address()];
    free.sort();
    let [one, two] = free;
    let text = text.replace("127.0.0.1:8081", &one);
    let text = text.replace("127.0.0.1:8082", &two);
    walk(page, &text, "127.0.0.1:0");
}

#[test]
fn a_block_of_the_readme_that_fails_is_noticed() {
    let folder = TempDir::new().unwrap();
    let bad = blocks("```sh\ntrue\n```\n```sh\nfalse\n```\n```sh\ntrue\n```\n");
    run(folder.path(), &script(&bad), "127.0.0.1:0");
    let last = std::fs::read_to_string(folder.path().join("last")).unwrap();
    assert_eq!(last, "1\n");
}
