//! What a caller wants, and what it gets.

use super::*;

fn view(
    stored: &str,
    known: &KnownVersions,
    wanted: WantedVersion,
) -> Result<ViewDecision, VersionRefusal> {
    decide_read(&reading(at(stored), known, wanted))
}

fn seen(stored: &str, known: &KnownVersions, wanted: WantedVersion) -> String {
    view(stored, known, wanted).unwrap().version().to_string()
}

#[test]
fn nothing_said_shows_what_is_stored() {
    let view = view("v1.1", &server("v2"), WantedVersion::Stored).unwrap();
    assert_eq!(view.shown, ViewRendering::AsStored);
    assert_eq!(view.version().to_string(), "v1.1");
}

#[test]
fn exactly_converts_up_and_down_and_marks_only_what_went_down() {
    let server = server("v2");
    assert_eq!(seen("v1", &server, WantedVersion::Exactly(v("v2"))), "v2");
    assert_eq!(
        seen("v1.1", &server, WantedVersion::Exactly(v("v1.1"))),
        "v1.1"
    );
    assert_eq!(
        seen("v2", &server, WantedVersion::Exactly(v("v1.1"))),
        "v1.1+downgraded"
    );
    let view = view("v2", &server, WantedVersion::Exactly(v("v1"))).unwrap();
    assert_eq!(view.shown, ViewRendering::Converted);
}

#[test]
fn exactly_is_refused_where_the_server_does_not_know_that_version() {
    let refusal = view("v1", &server("v1.1"), WantedVersion::Exactly(v("v1.2"))).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "this server does not know version v1.2"
    );
}

#[test]
fn a_typed_major_gets_the_newest_minor_that_its_package_describes() {
    let package = WantedVersion::Major(v("v1.1"));
    assert_eq!(seen("v1", &server("v2"), package), "v1.1");
    assert_eq!(seen("v1.2", &server("v2"), package), "v1.1+downgraded");
    assert_eq!(seen("v2", &server("v2"), package), "v1.1+downgraded");
    let newer_package = WantedVersion::Major(v("v2.1"));
    assert_eq!(seen("v1", &server("v2"), newer_package), "v2");
    assert!(view("v1", &server("v1.2"), newer_package).is_err());
}

#[test]
fn at_most_never_converts_up() {
    assert_eq!(seen("v1", &server("v3"), at_most("v3")), "v1");
}

#[test]
fn at_most_goes_down_over_majors_where_the_server_can() {
    assert_eq!(
        seen("v2.1", &server("v3"), at_most("v1.1")),
        "v1.1+downgraded"
    );
}

#[test]
fn a_client_older_than_all_that_is_known_is_told_so() {
    let refusal = view("v2", &knows(&["v2"]), at_most("v1.1")).unwrap_err();
    let client = ClientVersion(v("v1.1"));
    assert_eq!(refusal, VersionRefusal::ClientTooOld { client });
}

#[test]
fn an_unknown_minor_is_pruned_to_the_newest_known_one_below_it() {
    let known = knows(&["v1", "v1.1", "v1.3", "v2"]);
    let view = view("v1.2", &known, WantedVersion::Stored).unwrap();
    assert_eq!(view.version().to_string(), "v1.1+downgraded");
    let to = super::known("v1.1");
    assert_eq!(view.shown, ViewRendering::Pruned { to });
}

#[test]
fn a_pruned_view_can_be_lowered_further_but_never_raised() {
    let known = knows(&["v1", "v1.1", "v1.3", "v2"]);
    assert_eq!(seen("v1.2", &known, at_most("v1")), "v1+downgraded");
    assert_eq!(
        seen("v1.2", &known, WantedVersion::Exactly(v("v1"))),
        "v1+downgraded"
    );
    for raised in ["v1.3", "v2"] {
        let refusal = view("v1.2", &known, WantedVersion::Exactly(v(raised))).unwrap_err();
        assert!(
            matches!(refusal, VersionRefusal::StoredUnknown { .. }),
            "{raised}"
        );
    }
    assert_eq!(
        seen("v1.2", &known, WantedVersion::Major(v("v1.3"))),
        "v1.1+downgraded"
    );
}

#[test]
fn an_unknown_minor_with_nothing_known_below_it_is_refused() {
    let refusal = view("v1.1", &knows(&["v1.2"]), WantedVersion::Stored).unwrap_err();
    assert!(matches!(refusal, VersionRefusal::StoredUnknown { .. }));
}

#[test]
fn an_unknown_minor_is_never_pruned_to_another_major() {
    let refusal = view("v2.1", &knows(&["v1.1", "v3"]), WantedVersion::Stored).unwrap_err();
    assert!(matches!(refusal, VersionRefusal::MajorUnknown { .. }));
    let refusal = view("v2.1", &knows(&["v1.1", "v2.2"]), WantedVersion::Stored).unwrap_err();
    assert!(matches!(refusal, VersionRefusal::StoredUnknown { .. }));
}

#[test]
fn older_clients_get_the_restricted_view_where_one_is_named() {
    let known = server("v2");
    let for_client = |client| {
        let reading = VersionedRead {
            restricted_below: Some(v("v2")),
            ..reading(at("v2"), &known, at_most(client))
        };
        decide_read(&reading).unwrap()
    };
    assert_eq!(for_client("v1.1").shown, ViewRendering::Restricted);
    assert_eq!(for_client("v1.1").version().to_string(), "v1.1+downgraded");
    assert_eq!(for_client("v2").shown, ViewRendering::AsStored);
}

#[test]
fn who_asks_for_more_than_is_stored_never_gets_a_restricted_view() {
    let known = server("v2");
    let reading = VersionedRead {
        restricted_below: Some(v("v3")),
        ..reading(at("v1"), &known, WantedVersion::Exactly(v("v2")))
    };
    assert_eq!(
        decide_read(&reading).unwrap().shown,
        ViewRendering::Converted
    );
}
