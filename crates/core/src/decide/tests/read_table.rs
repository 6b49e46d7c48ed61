//! The rules for reading, one test for each row of their table.

use super::*;

/// What the caller sees as the version, and which record it is made from.
fn read(
    stored: StoredVersions,
    newest: &str,
    client: &str,
) -> Result<(String, ViewedRecord), VersionRefusal> {
    let known = server(newest);
    let view = decide_read(&reading(stored, &known, at_most(client)))?;
    Ok((view.version().to_string(), view.from))
}

fn shows(version: &str, from: ViewedRecord) -> Result<(String, ViewedRecord), VersionRefusal> {
    Ok((version.to_owned(), from))
}

fn migrated() -> StoredVersions {
    pair("v1.1", "v2", LeadingRecord::New)
}

#[test]
fn read_row_01_an_unknown_minor_is_lowered_for_a_client_of_the_servers_age() {
    let seen = read(at("v1.2"), "v1.1", "v1.1");
    assert_eq!(seen, shows("v1.1+downgraded", ViewedRecord::Only));
}

#[test]
fn read_row_02_an_unknown_minor_is_lowered_for_a_client_that_knows_it_too() {
    let seen = read(at("v1.2"), "v1.1", "v1.2");
    assert_eq!(seen, shows("v1.1+downgraded", ViewedRecord::Only));
}

#[test]
fn read_row_03_an_unknown_major_is_refused_to_an_old_client() {
    let stored = StoredVersion(v("v2"));
    for newest in ["v1", "v1.1", "v1.2"] {
        for client in ["v1", "v1.1", "v1.2"] {
            let seen = read(at("v2"), newest, client);
            assert_eq!(seen, Err(VersionRefusal::MajorUnknown { stored }));
        }
    }
}

#[test]
fn read_row_04_an_unknown_major_is_refused_to_a_client_that_knows_it() {
    let stored = StoredVersion(v("v2"));
    for newest in ["v1", "v1.1", "v1.2"] {
        let seen = read(at("v2"), newest, "v2");
        assert_eq!(seen, Err(VersionRefusal::MajorUnknown { stored }));
    }
}

#[test]
fn read_row_05_a_known_version_is_lowered_for_an_older_client() {
    let seen = read(at("v1.1"), "v1.1", "v1");
    assert_eq!(seen, shows("v1+downgraded", ViewedRecord::Only));
}

#[test]
fn read_row_06_a_newer_minor_client_gets_what_is_stored() {
    let seen = read(at("v1.1"), "v1.1", "v1.2");
    assert_eq!(seen, shows("v1.1", ViewedRecord::Only));
}

#[test]
fn read_row_07_a_newer_major_client_gets_what_is_stored() {
    for client in ["v2", "v2.1", "v3"] {
        let seen = read(at("v1.1"), "v1.1", client);
        assert_eq!(seen, shows("v1.1", ViewedRecord::Only));
    }
}

#[test]
fn read_row_08_an_old_server_shows_the_old_copy_of_a_migrated_resource() {
    let seen = read(migrated(), "v1.1", "v1.1");
    assert_eq!(seen, shows("v1.1+downgraded", ViewedRecord::Old));
}

#[test]
fn read_row_09_an_old_server_shows_the_old_copy_to_a_new_client_too() {
    let seen = read(migrated(), "v1.1", "v2");
    assert_eq!(seen, shows("v1.1+downgraded", ViewedRecord::Old));
}

#[test]
fn read_row_10_a_new_server_shows_the_new_record() {
    let seen = read(migrated(), "v2", "v2");
    assert_eq!(seen, shows("v2", ViewedRecord::New));
}
