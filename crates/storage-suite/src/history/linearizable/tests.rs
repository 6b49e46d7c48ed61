use super::super::Act;
use super::super::sample::*;
use super::*;
use coeval_storage::WriteCondition;

fn right(operations: &[Operation]) {
    assert_eq!(check_linearizable(operations), Ok(()));
}

fn rejected(operations: &[Operation]) {
    assert!(check_linearizable(operations).is_err());
}

// Sequences mean nothing to this checker: they are 0 throughout.

#[test]
fn plain_and_concurrent_histories_are_right() {
    right(&[]);
    right(&[
        put(0, 1, 0, "a", 1),
        update(2, 3, 0, "a", 1, 2),
        read(4, 5, 0, &[("a", version(2)), ("b", None)]),
        delete(6, 7, 0, "a"),
        read(8, 9, 0, &[("a", None)]),
    ]);
    right(&[
        put(0, 9, 0, "a", 1),
        put(1, 8, 0, "a", 2),
        read(2, 3, 0, &[("a", version(1))]),
        read(4, 5, 0, &[("a", version(2))]),
        read(10, 11, 0, &[("a", version(2))]),
    ]);
}

#[test]
fn a_stale_read_is_rejected() {
    rejected(&[
        put(0, 1, 0, "a", 1),
        put(2, 3, 0, "a", 2),
        read(4, 5, 0, &[("a", version(1))]),
    ]);
    // New, then old again, while the write still runs.
    rejected(&[
        put(0, 9, 0, "a", 1),
        read(1, 2, 0, &[("a", version(1))]),
        read(3, 4, 0, &[("a", None)]),
    ]);
}

#[test]
fn a_lost_update_is_rejected() {
    rejected(&[
        put(0, 1, 0, "a", 1),
        update(2, 5, 0, "a", 1, 2),
        update(3, 4, 0, "a", 1, 3),
    ]);
    rejected(&[
        put(0, 1, 0, "a", 1),
        put(2, 3, 0, "a", 2),
        read(4, 5, 0, &[("a", None)]),
    ]);
}

#[test]
fn two_creates_of_one_key_are_rejected() {
    let create = |call, done, n: u8| {
        let request = moves(&[("a", WriteCondition::NotExists, Act::Put(n.into()))]);
        operation(call, done, request, Outcome::Done(0, rev(n)))
    };
    rejected(&[create(0, 3, 1), create(1, 2, 2)]);
    right(&[create(0, 3, 1), delete(1, 4, 0, "a"), create(2, 5, 2)]);
}

#[test]
fn a_resurrected_delete_is_rejected() {
    rejected(&[
        put(0, 1, 0, "a", 1),
        delete(2, 3, 0, "a"),
        read(4, 5, 0, &[("a", version(1))]),
    ]);
    rejected(&[
        put(0, 1, 0, "a", 1),
        delete(2, 3, 0, "a"),
        update(4, 5, 0, "a", 1, 2),
    ]);
}

#[test]
fn a_false_refusal_is_rejected() {
    let create = moves(&[("a", WriteCondition::NotExists, Act::Put(5))]);
    let exists = |n| Refusal::AlreadyExists(key("a"), rev(n));
    right(&[
        put(0, 1, 0, "a", 1),
        refused(2, 3, create.clone(), exists(1)),
    ]);
    rejected(&[
        put(0, 1, 0, "a", 1),
        refused(2, 3, create.clone(), exists(2)),
    ]);
    rejected(&[refused(2, 3, create, exists(1))]);
}

#[test]
fn a_keep_alive_that_lost_a_put_is_rejected() {
    let keep = moves(&[("a", WriteCondition::Exists, Act::KeepAlive(9))]);
    let keep = |call, done| operation(call, done, keep.clone(), Outcome::Done(0, Revision::NEVER));
    let kept = |n| {
        version(n).map(|v| Version {
            expires: Some(9),
            ..v
        })
    };
    let puts = [put(0, 1, 0, "a", 1), put(2, 3, 0, "a", 2)];
    let history = |shown| [&puts[..], &[keep(4, 5), read(6, 7, 0, &[("a", shown)])]].concat();
    right(&history(kept(2)));
    rejected(&history(kept(1)));
    rejected(&history(version(2)));
}

#[test]
fn a_write_on_what_was_read_that_undid_a_keep_alive_is_rejected() {
    let keep = moves(&[("a", WriteCondition::Exists, Act::KeepAlive(9))]);
    let keep = operation(2, 3, keep, Outcome::Done(0, Revision::NEVER));
    let as_read = |expires: Option<i64>| {
        let condition = WriteCondition::AsRead {
            revision: rev(1),
            expires: expires.map(coeval_storage::UnixMillis),
            flags: 0,
        };
        moves(&[("a", condition, Act::Put(2))])
    };
    let conflict = Refusal::Conflict(key("a"), rev(1));
    let history = |last| [put(0, 1, 0, "a", 1), keep.clone(), last];
    let done = |expires| operation(4, 5, as_read(expires), Outcome::Done(0, rev(2)));
    right(&history(done(Some(9))));
    rejected(&history(done(None)));
    rejected(&history(done(Some(8))));
    right(&history(refused(4, 5, as_read(None), conflict.clone())));
    rejected(&history(refused(4, 5, as_read(Some(9)), conflict)));
}

#[test]
fn an_unknown_write_is_anywhere_after_its_call_or_nowhere() {
    let maybe = unknown(put(2, 3, 0, "a", 2));
    let begin = put(0, 1, 0, "a", 1);
    let shown = |call, n| read(call, call + 1, 0, &[("a", version(n))]);
    right(&[begin.clone(), maybe.clone(), shown(4, 1), shown(6, 2)]);
    right(&[begin.clone(), maybe.clone(), shown(4, 1), shown(6, 1)]);
    rejected(&[begin.clone(), maybe.clone(), shown(4, 2), shown(6, 1)]);
    // Not before its call.
    rejected(&[
        put(0, 1, 0, "a", 1),
        shown(2, 2),
        unknown(put(4, 5, 0, "a", 2)),
    ]);
}

#[test]
fn a_long_history_with_many_unknown_writes_is_decided() {
    let mut operations = Vec::new();
    for n in 1..200_u8 {
        let t = u64::from(n) * 10;
        operations.push(unknown(put(t, t + 1, 0, "a", n)));
        operations.push(unknown(delete(t + 2, t + 3, 0, "a")));
        let seen = if n % 3 == 0 { None } else { version(n) };
        operations.push(read(t + 4, t + 5, 0, &[("a", seen)]));
    }
    right(&operations);
}
