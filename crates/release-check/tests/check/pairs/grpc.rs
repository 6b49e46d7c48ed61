//! As `.proto`.

use super::RulePair;
use crate::surfaces::{NEW, OLD, grpc, of_api};
use coeval_release_check::{ApiDocument, ApiStyle, ReleaseRule, ReleaseSurface, SurfaceArea};

const BASE: &str = r#"
syntax = "proto3";
package coeval.foos.v1;
import "coeval/options/v1/options.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/timestamp.proto";

enum Color {
  COLOR_UNSPECIFIED = 0;
  COLOR_RED = 1;
}
message Foo {
  string name = 1;
  Color color = 2;
  int32 size = 3;
  google.protobuf.Timestamp created = 4;
  map<string, string> tags = 5;
  Foo parent = 6;
}
message ErrorDetail {
  string code = 1;
}
message GetFooRequest {
  string name = 1;
  bool whole = 2;
}
message GetFooResponse {
  Foo foo = 1;
}
message FindRequest {
  string text = 1;
}
message FindResponse {
  repeated Foo foos = 1;
}
message Page {
  int32 page_size = 1;
  string page_token = 2;
  string next_page_token = 3;
}
service FooService {
  rpc GetFoo(GetFooRequest) returns (GetFooResponse);
  rpc Find(FindRequest) returns (FindResponse) {}
  // more
}
"#;

type Changes<'a> = &'a [(&'a str, &'a str)];

fn surface(release: coeval_releases::Release, changes: Changes<'_>) -> ReleaseSurface {
    let mut text = BASE.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    grpc(release, &text)
}

struct GrpcPairs(Vec<RulePair>);

impl GrpcPairs {
    fn add(
        &mut self,
        rule: ReleaseRule,
        about: &'static str,
        obeys: (Changes<'_>, Changes<'_>),
        breaks: (Changes<'_>, Changes<'_>),
    ) {
        self.0.push(RulePair {
            rule,
            area: SurfaceArea::Grpc,
            about,
            obeys: (surface(OLD, obeys.0), surface(NEW, obeys.1)),
            breaks: (surface(OLD, breaks.0), surface(NEW, breaks.1)),
        });
    }

    /// The same before, and two ways to change it.
    fn change(
        &mut self,
        rule: ReleaseRule,
        about: &'static str,
        obeys: Changes<'_>,
        breaks: Changes<'_>,
    ) {
        self.add(rule, about, (&[], obeys), (&[], breaks));
    }
}

const DUE: &str =
    r#"deprecated: {since: "0.1.0" last_used_in: "0.0.9" removed_in: "0.2.0" instead: "bars"}"#;
const SOUND: &str =
    r#"deprecated: {since: "0.2.0" last_used_in: "0.1.0" removed_in: "0.3.0" instead: "bars"}"#;
const EARLY: &str =
    r#"deprecated: {since: "0.2.0" last_used_in: "0.2.0" removed_in: "0.3.0" instead: "bars"}"#;

fn field(declared: &str) -> String {
    format!("[(coeval.options.v1.field) = {{{declared}}}];")
}

fn method(declared: &str) -> String {
    format!("{{ option (coeval.options.v1.method) = {{{declared}}}; }}")
}

pub(super) fn pairs() -> Vec<RulePair> {
    let mut pairs = GrpcPairs(Vec::new());
    new_methods(&mut pairs);
    answers(&mut pairs);
    requests(&mut pairs);
    numbers(&mut pairs);
    deprecations(&mut pairs);
    pairs.0
}

fn new_methods(pairs: &mut GrpcPairs) {
    pairs.change(
        ReleaseRule::ObjectAnswer,
        "an answer that is empty",
        &[("// more", "rpc Drop(Page) returns (Page);")],
        &[("// more", "rpc Drop(Page) returns (google.protobuf.Empty);")],
    );
    let bounded = method(r#"bounded: "as many as servers""#);
    pairs.change(
        ReleaseRule::PagedList,
        "a list",
        &[("// more", "rpc ListFoos(Page) returns (Page);")],
        &[(
            "// more",
            "rpc ListFoos(FindRequest) returns (FindResponse);",
        )],
    );
    pairs.change(
        ReleaseRule::PagedList,
        "a list of few",
        &[(
            "// more",
            &format!("rpc ListFoos(FindRequest) returns (FindResponse) {bounded}"),
        )],
        &[("// more", "rpc ListFoos(FindRequest) returns (Page);")],
    );
    packages(pairs);
}

/// With nothing before it, and with the same in the version before.
fn packages(pairs: &mut GrpcPairs) {
    let none = || of_api(OLD, ApiDocument::empty(ApiStyle::Grpc));
    let second: Changes<'_> = &[("package coeval.foos.v1;", "package coeval.foos.v2;")];
    let unversioned: Changes<'_> = &[("package coeval.foos.v1;", "package coeval.foos;")];
    let mut both = surface(NEW, &[]);
    for (api, next) in both.apis.iter_mut().zip(surface(NEW, second).apis) {
        api.operations.extend(next.operations);
        api.shapes.extend(next.shapes);
    }
    let mut add = |about, obeys, breaks| {
        pairs.0.push(RulePair {
            rule: ReleaseRule::VersionedRoute,
            area: SurfaceArea::Grpc,
            about,
            obeys,
            breaks,
        });
    };
    let first = (none(), surface(NEW, &[]));
    add(
        "a package without a version",
        first,
        (none(), surface(NEW, unversioned)),
    );
    let beside = (surface(OLD, &[]), both);
    add(
        "a package without one before it",
        beside,
        (none(), surface(NEW, second)),
    );
}

fn answers(pairs: &mut GrpcPairs) {
    let find = "rpc Find(FindRequest) returns (FindResponse) {}";
    let declared = |note: &str| {
        format!(
            "rpc Find(FindRequest) returns (FindResponse) {}",
            method(note)
        )
    };
    let (due, sound) = (declared(DUE), declared(SOUND));
    pairs.add(
        ReleaseRule::OperationStays,
        "in time, and undeclared",
        (&[(find, &due)], &[(find, "")]),
        (&[], &[(find, "")]),
    );
    pairs.add(
        ReleaseRule::OperationStays,
        "in time, and too early",
        (&[(find, &due)], &[(find, "")]),
        (&[(find, &sound)], &[(find, "")]),
    );
    pairs.change(
        ReleaseRule::AnswerStays,
        "a stream",
        &[],
        &[("returns (FindResponse)", "returns (stream FindResponse)")],
    );
    let due = format!("int32 size = 3 {}", field(DUE));
    pairs.add(
        ReleaseRule::FieldStays,
        "in time, and undeclared",
        (&[("int32 size = 3;", &due)], &[("int32 size = 3;", "")]),
        (&[], &[("int32 size = 3;", "")]),
    );
    pairs.change(
        ReleaseRule::FieldStays,
        "what errors consist of",
        &[("string code = 1;", "string code = 1; string advice = 2;")],
        &[("string code = 1;", "")],
    );
    pairs.change(
        ReleaseRule::FieldStaysPopulated,
        "a field with presence",
        &[],
        &[("int32 size = 3;", "optional int32 size = 3;")],
    );
    for (about, breaks) in [
        ("a number", ("int32 size", "int64 size")),
        ("a list", ("int32 size", "repeated int32 size")),
        (
            "a map",
            ("map<string, string> tags", "map<string, int32> tags"),
        ),
        (
            "keys of a map",
            ("map<string, string> tags", "map<int32, string> tags"),
        ),
    ] {
        pairs.change(ReleaseRule::FieldKeepsType, about, &[], &[breaks]);
    }
}

fn requests(pairs: &mut GrpcPairs) {
    let required = format!("string text = 1 {}", field("required: true"));
    let optional = "string text = 1;";
    pairs.add(
        ReleaseRule::NoNewRequiredField,
        "an optional field that is needed now",
        (&[(optional, &required)], &[]),
        (&[], &[(optional, &required)]),
    );
    let new = |declared: &str| format!("{optional} bool connected_only = 2 {}", field(declared));
    let (required, ignorable) = (
        new("required: true"),
        new(r#"ignorable: true without_it: "all are found""#),
    );
    let undeclared = format!("{optional} bool connected_only = 2;");
    pairs.change(
        ReleaseRule::NoNewRequiredField,
        "a new field",
        &[(optional, &ignorable)],
        &[(optional, &required)],
    );
    pairs.change(
        ReleaseRule::NewFieldIgnorable,
        "a new field",
        &[(optional, &ignorable)],
        &[(optional, &undeclared)],
    );
    let due = format!("bool whole = 2 {}", field(DUE));
    pairs.add(
        ReleaseRule::RequestFieldStays,
        "in time, and undeclared",
        (&[("bool whole = 2;", &due)], &[("bool whole = 2;", "")]),
        (&[], &[("bool whole = 2;", "")]),
    );
}

fn numbers(pairs: &mut GrpcPairs) {
    pairs.change(
        ReleaseRule::NumberStays,
        "another number",
        &[("int32 size = 3;", "int32 size = 3; int32 weight = 7;")],
        &[("int32 size = 3;", "int32 size = 33;")],
    );
    let due = format!("int32 size = 3 {}", field(DUE));
    pairs.add(
        ReleaseRule::NumberStays,
        "the number of a removed one",
        (
            &[("int32 size = 3;", &due)],
            &[("int32 size = 3;", "reserved 3; int32 weight = 7;")],
        ),
        (
            &[("int32 size = 3;", &due)],
            &[("int32 size = 3;", "int32 weight = 3;")],
        ),
    );
    for (about, to) in [
        ("an enum value that went", ""),
        ("an enum value with another name", "COLOR_ROSE = 1;"),
        ("an enum value with another number", "COLOR_RED = 2;"),
    ] {
        pairs.change(
            ReleaseRule::NumberStays,
            about,
            &[("COLOR_RED = 1;", "COLOR_RED = 1; COLOR_BLUE = 2;")],
            &[("COLOR_RED = 1;", to)],
        );
    }
}

fn deprecations(pairs: &mut GrpcPairs) {
    let size = "int32 size = 3;";
    let declared = |note: &str| format!("int32 size = 3 {}", field(note));
    pairs.change(
        ReleaseRule::DeprecationSound,
        "a field",
        &[(size, &declared(SOUND))],
        &[(size, &declared(EARLY))],
    );
    pairs.change(
        ReleaseRule::DeprecationSound,
        "deprecated without releases",
        &[],
        &[(size, "int32 size = 3 [deprecated = true];")],
    );
    pairs.change(
        ReleaseRule::RemovalDue,
        "a field whose time has come",
        &[(size, &declared(SOUND))],
        &[(size, &declared(DUE))],
    );
}
