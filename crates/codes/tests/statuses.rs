//! How each API answers every code, written out. After a change that is meant,
//! `COEVAL_GOLDEN=write cargo nextest run -p coeval-codes` writes the file anew; the difference is
//! what a reviewer looks at, and the statuses of released codes are promises.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use coeval_codes::{ALL, Code, ErrorKind, NAMES};
use std::path::Path;

fn row(code: &Code, name: &str) -> String {
    let kind = format!("{:?}", code.kind());
    if code.kind() == ErrorKind::NotServed {
        return format!("{code}  {name:<28}{kind:<21}-\n");
    }
    let statuses = code.kind().statuses();
    let grpc = format!("{:?}", statuses.grpc);
    let (webapi, cloudapi) = (statuses.webapi, statuses.cloudapi);
    format!("{code}  {name:<28}{kind:<21}{grpc:<20}{webapi:<8}{cloudapi}\n")
}

#[test]
fn every_code_is_answered_as_it_was_agreed() {
    let mut now = format!(
        "{:<13}{:<28}{:<21}{:<20}{:<8}{}\n",
        "code", "name", "kind", "gRPC", "webapi", "cloudapi"
    );
    now.extend(ALL.iter().zip(NAMES).map(|(code, name)| row(code, name)));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/statuses.txt");
    if std::env::var_os("COEVAL_GOLDEN").is_some_and(|value| value == "write") {
        std::fs::write(&path, &now).unwrap();
    }
    let agreed = std::fs::read_to_string(&path).unwrap();
    let only = |these: &str, others: &str, mark: &str| -> String {
        let lines = these
            .lines()
            .filter(|line| !others.lines().any(|other| other == *line));
        lines.map(|line| format!("{mark} {line}\n")).collect()
    };
    let changed = only(&agreed, &now, "-") + &only(&now, &agreed, "+");
    assert!(changed.is_empty(), "changed:\n{changed}");
}
