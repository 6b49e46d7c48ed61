//! A type in migration: two records of one resource.

use super::*;

fn write(writing: &VersionedWrite<'_>) -> Result<(ContentChange, WrittenRecords), VersionRefusal> {
    decide_write(writing).map(|write| (write.change, write.records))
}

#[test]
fn two_records_of_one_major_are_not_a_pair() {
    let version = |text| StoredVersion(v(text));
    assert_eq!(
        VersionPair::new(version("v1"), version("v1.1"), LeadingRecord::Old),
        None
    );
    assert_eq!(
        VersionPair::new(version("v2"), version("v1"), LeadingRecord::Old),
        None
    );
}

#[test]
fn a_body_at_either_major_is_put_onto_the_record_that_rules() {
    let known = server("v2");
    for (lead, stored_at) in [(LeadingRecord::Old, "v1.1"), (LeadingRecord::New, "v2")] {
        for text in ["v1.1", "v2"] {
            let save = writing(pair("v1.1", "v2", lead), text, &known);
            assert_eq!(
                write(&save),
                Ok((edit(text, stored_at), WrittenRecords::Both))
            );
        }
    }
}

#[test]
fn up_to_backfill_a_server_of_the_old_major_writes_its_record_and_leaves_the_mirror() {
    let known = server("v1.2");
    let mirrored = pair("v1.1", "v2", LeadingRecord::Old);
    let save = writing(mirrored, "v1.1", &known);
    assert_eq!(
        write(&save),
        Ok((edit("v1.1", "v1.1"), WrittenRecords::Old))
    );
    let view = decide_read(&reading(mirrored, &known, WantedVersion::Stored)).unwrap();
    assert_eq!(
        (view.from, view.version().to_string()),
        (ViewedRecord::Old, "v1.1".to_owned())
    );
}

#[test]
fn a_mirror_is_never_read_instead_of_the_record_that_rules() {
    let known = knows(&["v2"]);
    let mirrored = pair("v1.1", "v2", LeadingRecord::Old);
    let refusal = decide_read(&reading(mirrored, &known, WantedVersion::Stored)).unwrap_err();
    assert!(matches!(refusal, VersionRefusal::MajorUnknown { .. }));
}

#[test]
fn once_the_new_record_rules_the_old_one_is_never_left_behind() {
    let known = knows(&["v1", "v2"]);
    for force in [Force::No, Force::Yes] {
        let save = VersionedWrite {
            force,
            ..writing(pair("v1.1", "v2", LeadingRecord::New), "v2", &known)
        };
        let stored = StoredVersion(v("v1.1"));
        assert_eq!(write(&save), Err(VersionRefusal::StoredUnknown { stored }));
    }
}

#[test]
fn a_minor_of_the_ruling_record_may_change_and_the_mirror_follows() {
    let known = server("v2");
    let save = writing(pair("v1.1", "v2", LeadingRecord::Old), "v1.2", &known);
    assert_eq!(
        write(&save),
        Ok((moved("v1.1", "v1.2"), WrittenRecords::Both))
    );
}

#[test]
fn no_word_and_no_force_take_a_pair_to_a_third_major() {
    let known = server("v3");
    for force in [Force::No, Force::Yes] {
        let save = VersionedWrite {
            store_at: StoreAt::Set,
            force,
            ..writing(pair("v1.1", "v2", LeadingRecord::New), "v3", &known)
        };
        let refusal = write(&save).unwrap_err();
        assert!(
            matches!(refusal, VersionRefusal::InMigration { .. }),
            "{refusal}"
        );
    }
}

#[test]
fn a_body_at_a_third_major_is_carried_onto_the_record_that_rules() {
    let known = server("v3");
    for (lead, stored_at) in [(LeadingRecord::Old, "v1.1"), (LeadingRecord::New, "v2")] {
        for store_at in [StoreAt::Unchanged, StoreAt::Unsaid] {
            let save = VersionedWrite {
                store_at,
                ..writing(pair("v1.1", "v2", lead), "v3", &known)
            };
            assert_eq!(
                write(&save),
                Ok((edit("v3", stored_at), WrittenRecords::Both))
            );
            let changed = VersionedWrite {
                barrier: Some(v("v3")),
                ..save
            };
            let refusal = write(&changed).unwrap_err();
            assert!(matches!(refusal, VersionRefusal::MeaningBetween { .. }));
        }
    }
}

#[test]
fn a_body_of_a_migration_s_own_major_passes_its_change_of_meaning() {
    let known = server("v2");
    let save = VersionedWrite {
        barrier: Some(v("v2")),
        ..writing(pair("v1.1", "v2", LeadingRecord::Old), "v2", &known)
    };
    assert_eq!(write(&save), Ok((edit("v2", "v1.1"), WrittenRecords::Both)));
}

#[test]
fn an_edit_made_at_a_major_before_both_is_carried_unless_the_type_is_strict() {
    let known = server("v3");
    let save = writing(pair("v2", "v3", LeadingRecord::New), "v1.1", &known);
    assert_eq!(write(&save), Ok((edit("v1.1", "v3"), WrittenRecords::Both)));
    let strict = VersionedWrite {
        skew: SkewRule::Strict,
        ..save
    };
    assert!(matches!(
        write(&strict),
        Err(VersionRefusal::InMigration { .. })
    ));
}
