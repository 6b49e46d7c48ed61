//! What the tables leave open: carrying, where to store, strict types, force.

use super::*;

#[test]
fn an_old_clients_save_changes_what_its_version_expresses_and_keeps_the_stored_version() {
    let known = server("v2");
    for (stored, text) in [("v1.2", "v1.1"), ("v2", "v1.1"), ("v2.1", "v2")] {
        let known = match stored {
            "v2.1" => &server("v2.1"),
            _ => &known,
        };
        let save = writing(at(stored), text, known);
        assert_eq!(change(&save), Ok(edit(text, stored)));
        let unconditional = VersionedWrite {
            revision: RevisionCheck::NotGiven,
            ..save
        };
        assert_eq!(change(&unconditional), Ok(edit(text, stored)));
    }
}

#[test]
fn a_marked_body_is_carried_only_with_the_revision_that_it_was_read_at() {
    let known = server("v1.2");
    let save = writing(at("v1.2"), "v1.1+downgraded", &known);
    assert_eq!(change(&save), Ok(edit("v1.1", "v1.2")));
    let blind = VersionedWrite {
        revision: RevisionCheck::NotGiven,
        ..save
    };
    let refusal = VersionRefusal::MarkedBody {
        body: v("v1.1"),
        why: CarryObstacle::NoRevision,
    };
    assert_eq!(change(&blind), Err(refusal));
}

#[test]
fn a_mark_says_where_it_was_read_and_not_where_to_store_it() {
    let known = server("v1.2");
    let save = VersionedWrite {
        store_at: StoreAt::Set,
        ..writing(at("v1.2"), "v1.1+downgraded", &known)
    };
    assert_eq!(change(&save), Ok(edit("v1.1", "v1.2")));
}

#[test]
fn a_strict_type_refuses_edits_of_other_versions_marked_or_not() {
    let known = server("v1.2");
    for text in ["v1.1", "v1.1+downgraded"] {
        let save = VersionedWrite {
            skew: SkewRule::Strict,
            ..writing(at("v1.2"), text, &known)
        };
        assert!(change(&save).is_err(), "{text}");
        let forced = VersionedWrite {
            force: Force::Yes,
            ..save
        };
        assert_eq!(change(&forced), Ok(moved("v1.2", "v1.1")), "{text}");
    }
    let same = VersionedWrite {
        skew: SkewRule::Strict,
        ..writing(at("v1.2"), "v1.2", &known)
    };
    assert_eq!(change(&same), Ok(edit("v1.2", "v1.2")));
}

#[test]
fn naming_the_version_moves_a_resource_up_or_down_with_full_control() {
    let known = server("v2");
    for to in ["v1", "v1.2", "v2"] {
        let save = VersionedWrite {
            store_at: StoreAt::Set,
            ..writing(at("v1.1"), to, &known)
        };
        assert_eq!(change(&save), Ok(moved("v1.1", to)));
        let without = VersionedWrite {
            control: CallerControl::Write,
            ..save
        };
        assert_eq!(change(&without), Err(VersionRefusal::FullControlNeeded));
    }
}

#[test]
fn naming_the_stored_version_needs_no_full_control() {
    let known = server("v1.1");
    let save = VersionedWrite {
        store_at: StoreAt::Set,
        control: CallerControl::Write,
        ..writing(at("v1.1"), "v1.1", &known)
    };
    assert_eq!(change(&save), Ok(edit("v1.1", "v1.1")));
}

#[test]
fn an_edit_of_a_view_that_was_asked_for_leaves_the_stored_version() {
    let known = server("v2");
    for text in ["v1", "v1.2", "v2"] {
        let save = VersionedWrite {
            store_at: StoreAt::Unchanged,
            control: CallerControl::Write,
            ..writing(at("v1.1"), text, &known)
        };
        assert_eq!(change(&save), Ok(edit(text, "v1.1")));
    }
}

#[test]
fn a_higher_minor_moves_the_resource_or_is_carried_where_that_is_not_allowed() {
    let known = server("v1.2");
    let save = writing(at("v1.1"), "v1.2", &known);
    assert_eq!(change(&save), Ok(moved("v1.1", "v1.2")));
    let writer = VersionedWrite {
        control: CallerControl::Write,
        ..save
    };
    assert_eq!(change(&writer), Ok(edit("v1.2", "v1.1")));
    let strict = VersionedWrite {
        skew: SkewRule::Strict,
        ..writer
    };
    assert_eq!(change(&strict), Err(VersionRefusal::FullControlNeeded));
}

#[test]
fn a_body_of_a_higher_major_is_carried_and_upgrades_nothing() {
    let known = server("v3");
    for text in ["v2", "v3"] {
        for control in [CallerControl::Full, CallerControl::Write] {
            let save = VersionedWrite {
                control,
                ..writing(at("v1.1"), text, &known)
            };
            assert_eq!(change(&save), Ok(edit(text, "v1.1")));
            let strict = VersionedWrite {
                skew: SkewRule::Strict,
                ..save
            };
            let body = v(text);
            assert_eq!(change(&strict), Err(VersionRefusal::MajorHigher { body }));
        }
    }
}

#[test]
fn nothing_is_carried_over_a_change_of_meaning_unless_the_version_is_named() {
    let known = server("v2");
    let save = VersionedWrite {
        barrier: Some(v("v2")),
        ..writing(at("v1.1"), "v2", &known)
    };
    let (body, at) = (v("v2"), v("v2"));
    let refusal = VersionRefusal::MeaningBetween { body, at };
    assert_eq!(change(&save), Err(refusal));
    let view = VersionedWrite {
        store_at: StoreAt::Unchanged,
        ..save
    };
    assert_eq!(change(&view), Err(refusal));
    let marked = VersionedWrite {
        body: writing(super::at("v1.1"), "v2+downgraded", &known).body,
        ..save
    };
    assert_eq!(change(&marked), Err(refusal));
    let named = VersionedWrite {
        store_at: StoreAt::Set,
        ..save
    };
    assert_eq!(change(&named), Ok(moved("v1.1", "v2")));
}

#[test]
fn a_create_is_stored_at_the_bodys_version() {
    let known = server("v1.1");
    let create = |text| VersionedWrite {
        stored: None,
        revision: RevisionCheck::NotGiven,
        ..writing(at("v1"), text, &known)
    };
    let stored = ContentChange::Create {
        at: super::known("v1.1"),
    };
    assert_eq!(change(&create("v1.1")), Ok(stored));
    assert!(change(&create("v1.2")).is_err());
    let refusal = change(&create("v1.1+downgraded")).unwrap_err();
    assert!(refusal.to_string().contains("nothing is stored"));
}

#[test]
fn force_tells_what_it_overrode_and_nothing_where_it_was_not_needed() {
    let known = server("v1.1");
    let forced = |stored| {
        let save = VersionedWrite {
            force: Force::Yes,
            ..writing(at(stored), "v1.1", &known)
        };
        decide_write(&save).unwrap()
    };
    let stored = StoredVersion(v("v1.2"));
    assert_eq!(
        forced("v1.2").overrode,
        Some(VersionRefusal::StoredUnknown { stored })
    );
    assert_eq!(forced("v1.1").overrode, None);
}

#[test]
fn force_does_not_turn_a_carried_edit_into_a_downgrade() {
    let known = server("v1.2");
    for text in ["v1.1", "v1.1+downgraded"] {
        let save = VersionedWrite {
            force: Force::Yes,
            ..writing(at("v1.2"), text, &known)
        };
        assert_eq!(change(&save), Ok(edit("v1.1", "v1.2")));
    }
}

#[test]
fn force_overrides_neither_access_nor_a_stale_revision_nor_a_restricted_view() {
    let known = server("v1.1");
    let forced = VersionedWrite {
        force: Force::Yes,
        ..writing(at("v1.2"), "v1.1", &known)
    };
    assert!(change(&forced).is_ok());
    let no_access = VersionedWrite {
        control: CallerControl::Write,
        ..forced
    };
    assert_eq!(change(&no_access), Err(VersionRefusal::FullControlNeeded));
    let stale = VersionedWrite {
        revision: RevisionCheck::Stale,
        ..forced
    };
    assert_eq!(change(&stale), Err(VersionRefusal::Stale));
    let restricted = VersionedWrite {
        restricted_below: Some(v("v1.2")),
        ..forced
    };
    let body = v("v1.1");
    assert_eq!(
        change(&restricted),
        Err(VersionRefusal::RestrictedView { body })
    );
}

#[test]
fn a_version_that_sees_the_whole_resource_can_write_it() {
    let known = server("v2");
    let below_two = |text| VersionedWrite {
        restricted_below: Some(v("v2")),
        ..writing(at("v2"), text, &known)
    };
    let body = v("v1.2");
    assert_eq!(
        change(&below_two("v1.2")),
        Err(VersionRefusal::RestrictedView { body })
    );
    assert_eq!(change(&below_two("v2")), Ok(edit("v2", "v2")));
}
