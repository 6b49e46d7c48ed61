use super::super::Act;
use super::super::sample::*;
use super::*;

fn right(checked: Result<Vec<Operation>, Violation>) {
    checked.unwrap();
}

fn rejected(operations: &[Operation], log: &[Logged], why: &str) {
    let error = check_serial(operations, log)
        .expect_err("a wrong history")
        .0;
    assert!(error.contains(why), "{error}");
}

#[test]
fn a_plain_history_is_right() {
    let kept = Version {
        expires: Some(9),
        ..version(1).unwrap()
    };
    let keep = moves(&[("a", WriteCondition::Exists, Act::KeepAlive(9))]);
    let create = moves(&[("a", WriteCondition::NotExists, Act::Put(5))]);
    let operations = [
        put(0, 1, 10, "a", 1),
        operation(2, 3, keep, Outcome::Done(11, Revision::NEVER)),
        read(4, 5, 11, &[("a", Some(kept)), ("b", None)]),
        refused(6, 7, create, Refusal::AlreadyExists(key("a"), rev(1))),
        update(8, 9, 14, "a", 1, 2),
        delete(10, 11, 15, "a"),
        read(12, 13, 19, &[("a", None)]),
    ];
    let log = [
        logged(10, &[("a", version(1))]),
        logged(11, &[("a", Some(kept))]),
        logged(14, &[("a", version(2))]),
        logged(15, &[("a", None)]),
    ];
    right(check_serial(&operations, &log));
}

#[test]
fn a_write_on_what_was_read_that_undid_a_keep_alive_is_rejected() {
    let kept = version(1).map(|v| Version {
        expires: Some(9),
        ..v
    });
    let keep = moves(&[("a", WriteCondition::Exists, Act::KeepAlive(9))]);
    let history = |expires: Option<i64>| {
        let condition = WriteCondition::AsRead {
            revision: rev(1),
            expires: expires.map(coeval_storage::UnixMillis),
            flags: 0,
        };
        let rewrite = moves(&[("a", condition, Act::Put(2))]);
        [
            put(0, 1, 10, "a", 1),
            operation(2, 3, keep.clone(), Outcome::Done(11, Revision::NEVER)),
            operation(4, 5, rewrite, Outcome::Done(12, rev(2))),
        ]
    };
    let log = [
        logged(10, &[("a", version(1))]),
        logged(11, &[("a", kept)]),
        logged(12, &[("a", version(2))]),
    ];
    right(check_serial(&history(Some(9)), &log));
    rejected(&history(None), &log, "nobody wrote");
}

#[test]
fn concurrent_operations_may_be_in_any_order() {
    let operations = [
        put(0, 9, 11, "a", 1),
        put(1, 8, 10, "a", 2),
        read(2, 7, 10, &[("a", version(2))]),
        read(3, 6, 9, &[("a", None)]),
    ];
    let log = [
        logged(10, &[("a", version(2))]),
        logged(11, &[("a", version(1))]),
    ];
    right(check_serial(&operations, &log));
}

#[test]
fn a_write_that_changes_nothing_may_share_a_sequence() {
    let idle = moves(&[("b", WriteCondition::Whatever, Act::Delete)]);
    let operations = [
        put(0, 1, 10, "a", 1),
        operation(2, 3, idle, Outcome::Done(10, Revision::NEVER)),
    ];
    let log = [logged(10, &[("a", version(1))])];
    right(check_serial(&operations, &log));
}

#[test]
fn a_stale_read_is_rejected() {
    let log = [
        logged(10, &[("a", version(1))]),
        logged(11, &[("a", version(2))]),
    ];
    let writes = [put(0, 1, 10, "a", 1), put(2, 3, 11, "a", 2)];
    let stale = read(4, 5, 10, &[("a", version(1))]);
    rejected(
        &[&writes[..], &[stale]].concat(),
        &log,
        "had returned before",
    );
    let false_sequence = read(4, 5, 11, &[("a", version(1))]);
    rejected(
        &[&writes[..], &[false_sequence]].concat(),
        &log,
        "does not show",
    );
}

#[test]
fn a_lost_update_is_rejected() {
    // Both were conditional on version 1, and both acknowledged.
    let operations = [
        put(0, 1, 10, "a", 1),
        update(2, 5, 11, "a", 1, 2),
        update(3, 4, 12, "a", 1, 3),
    ];
    let log = [
        logged(10, &[("a", version(1))]),
        logged(11, &[("a", version(2))]),
        logged(12, &[("a", version(3))]),
    ];
    rejected(&operations, &log, "nobody wrote");
    rejected(&operations, &log[..2], "is not in the log");
}

#[test]
fn a_lost_write_is_rejected() {
    let operations = [put(0, 1, 10, "a", 1), put(2, 3, 11, "a", 2)];
    rejected(
        &operations,
        &[logged(10, &[("a", version(1))])],
        "is not in the log",
    );
}

#[test]
fn a_torn_atomic_write_is_rejected() {
    let both = moves(&[
        ("a", WriteCondition::Whatever, Act::Put(1)),
        ("b", WriteCondition::Whatever, Act::Put(1)),
    ]);
    let write = operation(0, 1, both, Outcome::Done(10, rev(1)));
    let whole = [logged(10, &[("a", version(1)), ("b", version(1))])];
    let torn_read = read(2, 3, 10, &[("a", version(1)), ("b", None)]);
    right(check_serial(std::slice::from_ref(&write), &whole));
    rejected(&[write.clone(), torn_read], &whole, "does not show");
    let half = [logged(10, &[("a", version(1))])];
    rejected(std::slice::from_ref(&write), &half, "nobody wrote");
    let apart = [
        logged(10, &[("a", version(1))]),
        logged(11, &[("b", version(1))]),
    ];
    rejected(&[write], &apart, "nobody wrote");
}

#[test]
fn a_resurrected_delete_is_rejected() {
    let operations = [
        put(0, 1, 10, "a", 1),
        delete(2, 3, 11, "a"),
        read(4, 5, 12, &[("a", version(1))]),
    ];
    let log = [logged(10, &[("a", version(1))]), logged(11, &[("a", None)])];
    rejected(&operations, &log, "does not show");
    let back = [&log[..], &[logged(12, &[("a", version(1))])]].concat();
    rejected(&operations, &back, "nobody wrote");
}

#[test]
fn a_duplicate_sequence_is_rejected() {
    let operations = [put(0, 1, 10, "a", 1), put(2, 3, 10, "b", 2)];
    let log = [logged(10, &[("a", version(1))])];
    rejected(&operations, &log, "is not in the log");
    let twice = [log[0].clone(), logged(10, &[("b", version(2))])];
    rejected(&operations, &twice, "the log goes from 10 to 10");
}

#[test]
fn sequences_against_real_time_are_rejected() {
    let operations = [put(0, 1, 11, "a", 1), put(2, 3, 10, "b", 2)];
    let log = [
        logged(10, &[("b", version(2))]),
        logged(11, &[("a", version(1))]),
    ];
    rejected(&operations, &log, "had returned before");
}

#[test]
fn a_false_refusal_is_rejected() {
    let update = moves(&[("a", WriteCondition::Exists, Act::Put(5))]);
    let not_found = |call, done| refused(call, done, update.clone(), Refusal::NotFound(key("a")));
    let log = [logged(10, &[("a", version(1))])];
    // Concurrent with the put it may be true, after it not.
    let concurrent = [put(0, 3, 10, "a", 1), not_found(1, 2)];
    right(check_serial(&concurrent, &log));
    let after = [put(0, 1, 10, "a", 1), not_found(2, 3)];
    rejected(&after, &log, "never true");
    let other = refused(2, 3, update.clone(), Refusal::Conflict(key("a"), rev(9)));
    rejected(&[put(0, 1, 10, "a", 1), other], &log, "never true");
}

#[test]
fn an_unknown_write_happened_if_the_log_has_it() {
    let maybe = unknown(put(0, 1, 0, "a", 1));
    let seen = read(2, 3, 10, &[("a", version(1))]);
    let log = [logged(10, &[("a", version(1))])];
    let decided = check_serial(&[maybe.clone(), seen.clone()], &log).unwrap();
    assert_eq!(decided[0].outcome, Outcome::Done(10, rev(1)));
    let decided = check_serial(std::slice::from_ref(&maybe), &[]).unwrap();
    assert_eq!(decided[0].outcome, Outcome::Failed);
    rejected(&[maybe.clone(), seen], &[], "does not show");
    // But only once, and not before it was asked for.
    let twice = [log[0].clone(), logged(11, &[("a", version(1))])];
    rejected(&[maybe], &twice, "nobody wrote");
    let early = [put(0, 1, 12, "b", 2), unknown(put(2, 3, 0, "a", 1))];
    let log = [log[0].clone(), logged(12, &[("b", version(2))])];
    rejected(&early, &log, "nobody wrote");
}

#[test]
fn unknown_deletes_find_their_places() {
    let conditional = moves(&[("a", WriteCondition::RevisionIs(rev(2)), Act::Delete)]);
    let operations = [
        put(0, 1, 10, "a", 1),
        unknown(delete(2, 3, 0, "a")),
        unknown(operation(
            4,
            5,
            conditional,
            Outcome::Done(0, Revision::NEVER),
        )),
        put(6, 7, 12, "a", 2),
    ];
    let log = [
        logged(10, &[("a", version(1))]),
        logged(11, &[("a", None)]),
        logged(12, &[("a", version(2))]),
        logged(13, &[("a", None)]),
    ];
    right(check_serial(&operations, &log));
    let thrice = [&log[..], &[logged(14, &[("a", None)])]].concat();
    rejected(&operations, &thrice, "nobody wrote");
}
