//! What is kept in `releases/` of the previous release is what its binary serves: a file that somebody
//! changed by hand would let a break through.

use crate::installation::{Installation, Server};
use crate::release::Release;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

fn kept(name: &str) -> PathBuf {
    let releases = concat!(env!("CARGO_MANIFEST_DIR"), "/../../releases");
    PathBuf::from(releases)
        .join(Release::Previous.number())
        .join(name)
}

fn kept_json(name: &str) -> Value {
    let text = std::fs::read(kept(name)).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn previous_server() -> (Installation, Server) {
    let on = Installation::on_sqlite();
    let server = on.start(Release::Previous);
    (on, server)
}

/// The lines of an answer that is no JSON.
fn text(server: &Server, path: &str) -> String {
    let agent = ureq::Agent::new_with_defaults();
    let mut answer = agent.get(format!("{}{path}", server.url)).call().unwrap();
    answer.body_mut().read_to_string().unwrap()
}

#[test]
fn the_kept_api_documents_are_those_that_the_previous_binary_answers() {
    let (_on, server) = previous_server();
    for (name, path) in [
        ("webapi.json", "/v1/webapi/openapi.json"),
        ("cloudapi.json", "/cloudapi/openapi.json"),
    ] {
        let mut served = server.ask("GET", path, "", None).json;
        let mut kept = kept_json(name);
        // Only where it listens differs.
        for document in [&mut served, &mut kept] {
            document.as_object_mut().unwrap().remove("servers");
        }
        assert!(kept["paths"].as_object().unwrap().len() > 50, "{name}");
        assert!(served == kept, "{name} is not what the binary serves");
    }
    let files = server.ask("GET", "/protos", "", None).json;
    let files = files["files"].as_array().unwrap();
    assert!(files.len() > 10, "{files:?}");
    for file in files {
        let file = file.as_str().unwrap();
        let kept = std::fs::read_to_string(kept(&format!("proto/{file}"))).unwrap();
        assert_eq!(text(&server, &format!("/protos/{file}")), kept, "{file}");
    }
}

#[test]
fn the_kept_codes_and_metrics_are_those_of_the_previous_binary() {
    let (on, server) = previous_server();
    let listed = on.does(Release::Previous, &server, "", &["errors"]);
    let codes = kept_json("errors.json");
    let codes = codes.as_object().unwrap().iter();
    let codes =
        codes.map(|(code, about)| format!("{code}  {}\n", about["title"].as_str().unwrap()));
    assert_eq!(listed, codes.collect::<String>());
    let metrics = kept_json("metrics.json");
    let shown = text(&server, "/metrics");
    let types = shown
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "));
    let mut seen = 0;
    for line in types {
        let (name, kind) = line.split_once(' ').unwrap();
        assert_eq!(metrics[name]["kind"], kind, "{name}");
        seen += 1;
    }
    assert!(seen >= 6, "{shown}");
}

#[test]
fn the_kept_commands_are_those_that_the_previous_binary_takes() {
    let (on, server) = previous_server();
    let commands = kept_json("commands.json");
    let commands = commands.as_object().unwrap();
    assert!(commands.len() > 60, "{}", commands.len());
    for (words, about) in commands {
        let mut words: Vec<&str> = words.split(' ').skip(1).collect();
        words.push("--help");
        let help = on.does(Release::Previous, &server, "", &words);
        let said: BTreeSet<&str> = help
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_')
            .collect();
        for (flag, described) in about["flags"].as_object().unwrap() {
            assert!(said.contains(flag.as_str()), "{words:?} has no {flag}");
            let variable = described["variable"].as_str();
            assert!(
                variable.is_none_or(|one| said.contains(one)),
                "{words:?} {flag}"
            );
        }
    }
}
