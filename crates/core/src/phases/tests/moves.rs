//! What may follow, and what holds it.

use super::*;

pub(super) fn at(low: Phase, high: Phase) -> PhaseRecord {
    PhaseRecord {
        migration: Some(Migration {
            from: 1,
            to: 2,
            live: LivePhases { low, high },
            heading: PhaseDirection::Forward,
            forward_done: true,
            back_done: true,
        }),
        ..PhaseRecord::first()
    }
}

pub(super) fn without(phase: Phase, forward_done: bool, back_done: bool) -> PhaseRecord {
    let mut record = at(phase, phase);
    if let Some(migration) = &mut record.migration {
        migration.forward_done = forward_done;
        migration.back_done = back_done;
    }
    record
}

pub(super) const FACTS: MoveFacts<'static> = MoveFacts {
    who: MoveInitiator::Operator,
    servers: &[],
    fence_rest: false,
    failed: 0,
    left: 0,
    meaning_changed: false,
};

fn live(record: Result<PhaseRecord, PhaseRefusal>) -> Result<(Phase, Phase), PhaseRefusal> {
    let migration = record?.migration.ok_or(PhaseRefusal::NoMigration)?;
    Ok((migration.live.low, migration.live.high))
}

#[test]
fn forward_and_back_go_by_half_steps_and_each_is_a_new_epoch() {
    for pair in Phase::ALL.windows(2) {
        let (p, q) = (pair[0], pair[1]);
        assert_eq!(live(forward(&TABLE, &at(p, p), &FACTS)), Ok((p, q)));
        assert_eq!(live(forward(&TABLE, &at(p, q), &FACTS)), Ok((q, q)));
        let next = forward(&TABLE, &at(p, p), &FACTS).map(|record| record.epoch);
        assert_eq!(next, Ok(Epoch(1)));
        if q == Phase::Cleanup {
            let no_way = Err(PhaseRefusal::NoWayBack { phase: q });
            assert_eq!(live(back(&TABLE, &at(p, q), &FACTS)), no_way);
            assert_eq!(live(back(&TABLE, &at(q, q), &FACTS)), no_way);
        } else {
            assert_eq!(live(back(&TABLE, &at(q, q), &FACTS)), Ok((p, q)));
            assert_eq!(live(back(&TABLE, &at(p, q), &FACTS)), Ok((p, p)));
        }
    }
    let last = at(Phase::Cleanup, Phase::Cleanup);
    assert_eq!(forward(&TABLE, &last, &FACTS), Err(PhaseRefusal::Last));
    let first = at(Phase::Old, Phase::Old);
    let no_way = PhaseRefusal::NoWayBack { phase: Phase::Old };
    assert_eq!(back(&TABLE, &first, &FACTS), Err(no_way));
}

#[test]
fn soak_is_held_by_the_backfill_and_by_what_failed() {
    let waiting = without(Phase::Backfill, false, true);
    assert_eq!(
        forward(&TABLE, &waiting, &FACTS),
        Err(PhaseRefusal::BackfillNotDone)
    );
    let failed = MoveFacts { failed: 2, ..FACTS };
    let done = without(Phase::Backfill, true, true);
    assert_eq!(
        forward(&TABLE, &done, &failed),
        Err(PhaseRefusal::Failed { failed: 2 })
    );
}

#[test]
fn soak_is_left_backwards_only_after_the_copy_back() {
    let waiting = without(Phase::Soak, true, false);
    assert_eq!(
        back(&TABLE, &waiting, &FACTS),
        Err(PhaseRefusal::CopyBackNotDone)
    );
    assert_eq!(
        work(&TABLE, &waiting, Phase::Soak),
        Some(BackgroundWork::CopyBack)
    );
    assert_eq!(
        work(&TABLE, &at(Phase::Soak, Phase::Soak), Phase::Soak),
        None
    );
    let mut beside = at(Phase::Soak, Phase::Cutover);
    beside.migration = waiting.migration.map(|migration| Migration {
        live: LivePhases {
            low: Phase::Soak,
            high: Phase::Cutover,
        },
        ..migration
    });
    assert_eq!(work(&TABLE, &beside, Phase::Soak), None);
}

#[test]
fn cutover_forgets_the_old_mirrors_and_mirror_the_new_ones() {
    let done = |record: Result<PhaseRecord, PhaseRefusal>| {
        let migration = record.ok().and_then(|record| record.migration);
        migration.map(|migration| (migration.forward_done, migration.back_done))
    };
    let soak = at(Phase::Soak, Phase::Soak);
    assert_eq!(done(forward(&TABLE, &soak, &FACTS)), Some((true, false)));
    let read_new = at(Phase::ReadNew, Phase::ReadNew);
    assert_eq!(done(back(&TABLE, &read_new, &FACTS)), Some((false, true)));
    let backfill = at(Phase::Backfill, Phase::Backfill);
    assert_eq!(done(back(&TABLE, &backfill, &FACTS)), Some((true, true)));
}

#[test]
fn servers_that_are_behind_hold_the_second_half_unless_fenced() {
    let server = |name: &str, phase| PhaseAcknowledgement {
        server: name.to_owned(),
        phase: Some(phase),
    };
    let servers = [server("a", Phase::Old), server("b", Phase::Mirror)];
    let facts = MoveFacts {
        servers: &servers,
        ..FACTS
    };
    let record = at(Phase::Old, Phase::Mirror);
    let held = |phase, name: &str| {
        let behind = vec![name.to_owned()];
        Err(PhaseRefusal::ServersBehind { phase, behind })
    };
    assert_eq!(forward(&TABLE, &record, &facts), held(Phase::Mirror, "a"));
    let mut returning = record.clone();
    if let Some(migration) = &mut returning.migration {
        migration.heading = PhaseDirection::Back;
    }
    assert_eq!(back(&TABLE, &returning, &facts), held(Phase::Old, "b"));
    let fenced = MoveFacts {
        fence_rest: true,
        ..facts
    };
    assert!(forward(&TABLE, &record, &fenced).is_ok());
    for who in [
        MoveInitiator::Environment,
        MoveInitiator::Automatic,
        MoveInitiator::AutomaticByName,
    ] {
        let facts = MoveFacts { who, ..fenced };
        let refused = forward(&TABLE, &record, &facts);
        assert_eq!(refused, held(Phase::Mirror, "a"), "{who:?} fences nobody");
    }
}

#[test]
fn a_server_without_the_new_major_holds_the_end_of_old_and_nothing_after_it() {
    let reader = [PhaseAcknowledgement {
        server: "a".to_owned(),
        phase: None,
    }];
    let facts = MoveFacts {
        servers: &reader,
        ..FACTS
    };
    for pair in Phase::ALL.windows(2) {
        let record = at(pair[0], pair[1]);
        let closed = forward(&TABLE, &record, &facts);
        if pair[0] == Phase::Old {
            let behind = vec!["a".to_owned()];
            let phase = Phase::Mirror;
            assert_eq!(closed, Err(PhaseRefusal::ServersBehind { phase, behind }));
            let fenced = MoveFacts {
                fence_rest: true,
                ..facts
            };
            assert!(forward(&TABLE, &record, &fenced).is_ok());
        } else {
            assert_eq!(live(closed), Ok((pair[1], pair[1])));
        }
        let mut returning = record;
        if let Some(migration) = &mut returning.migration {
            migration.heading = PhaseDirection::Back;
        }
        if pair[1] != Phase::Cleanup {
            let back = back(&TABLE, &returning, &facts);
            assert_eq!(live(back), Ok((pair[0], pair[0])));
        }
    }
    let asked = ask(
        &TABLE,
        &at(Phase::Old, Phase::Mirror),
        Phase::ReadNew,
        &reader,
    );
    assert!(matches!(asked, Err(PhaseRefusal::OutOfReach { held_by, .. }) if held_by == ["a"]));
}

#[test]
fn nothing_automatic_enters_cutover_unnamed_or_a_changed_meaning_at_all() {
    for (who, meaning_changed, mirror, cutover) in [
        (MoveInitiator::Operator, true, true, true),
        (MoveInitiator::Environment, true, true, true),
        (MoveInitiator::Automatic, false, true, false),
        (MoveInitiator::AutomaticByName, false, true, true),
        (MoveInitiator::Automatic, true, false, false),
        (MoveInitiator::AutomaticByName, true, false, false),
    ] {
        let facts = MoveFacts {
            who,
            meaning_changed,
            ..FACTS
        };
        let may = |phase| forward(&TABLE, &at(phase, phase), &facts).is_ok();
        assert_eq!(
            (may(Phase::Old), may(Phase::Soak)),
            (mirror, cutover),
            "{who:?}"
        );
    }
}

#[test]
fn a_migration_begins_once_and_its_major_stays_closed() {
    let begun = begin(&PhaseRecord::first(), 1, 2);
    assert_eq!(live(begun.clone()), Ok((Phase::Old, Phase::Old)));
    let again = begun.and_then(|record| begin(&record, 2, 3));
    assert_eq!(again, Err(PhaseRefusal::Running { from: 1, to: 2 }));
    let last = at(Phase::Cleanup, Phase::Cleanup);
    let left = MoveFacts { left: 1, ..FACTS };
    assert_eq!(
        finish(&TABLE, &last, &left),
        Err(PhaseRefusal::OldLeft { left: 1 })
    );
    let half = at(Phase::Cutover, Phase::Cleanup);
    assert!(finish(&TABLE, &half, &FACTS).is_err());
    let ended = finish(&TABLE, &last, &FACTS);
    let reopened = ended.clone().and_then(|record| begin(&record, 1, 3));
    assert_eq!(reopened, Err(PhaseRefusal::WrongMajors { from: 1, to: 3 }));
    assert!(ended.and_then(|record| begin(&record, 2, 3)).is_ok());
    assert!(begin(&PhaseRecord::first(), 2, 2).is_err());
}

#[test]
fn servers_are_turned_round_before_the_phase_that_they_left_is_closed() {
    let server = |phase| {
        [PhaseAcknowledgement {
            server: "a".to_owned(),
            phase: Some(phase),
        }]
    };
    let half = at(Phase::Mirror, Phase::ReadNew);
    let (high, low) = (server(Phase::ReadNew), server(Phase::Mirror));
    let facts = |servers| MoveFacts { servers, ..FACTS };
    let heading = |record: &PhaseRecord| record.migration.unwrap().heading;
    let place = |record: &PhaseRecord| record.migration.unwrap().place(true).unwrap();
    assert_eq!(place(&half), Phase::ReadNew);
    let turned = back(&TABLE, &half, &facts(&high)).unwrap();
    assert_eq!(
        (heading(&turned), turned.epoch),
        (PhaseDirection::Back, half.epoch)
    );
    assert_eq!(place(&turned), Phase::Mirror);
    let waits = back(&TABLE, &turned, &facts(&high));
    assert!(matches!(waits, Err(PhaseRefusal::ServersBehind { .. })));
    let closed = back(&TABLE, &turned, &facts(&low));
    assert_eq!(live(closed), Ok((Phase::Mirror, Phase::Mirror)));
    let again = forward(&TABLE, &turned, &facts(&low)).unwrap();
    assert_eq!(
        (heading(&again), place(&again)),
        (PhaseDirection::Forward, Phase::ReadNew)
    );
}

#[test]
fn a_migration_ends_where_it_began_once_no_mirror_is_left() {
    let first = at(Phase::Old, Phase::Old);
    let left = MoveFacts { left: 3, ..FACTS };
    assert_eq!(
        abandon(&TABLE, &first, &left),
        Err(PhaseRefusal::MirrorsLeft { left: 3 })
    );
    let ended = abandon(&TABLE, &first, &FACTS).unwrap();
    assert_eq!((ended.migration, ended.closed.len()), (None, 0));
    assert_eq!(ended.epoch, Epoch(1));
    assert!(begin(&ended, 1, 2).is_ok());
    for (low, high) in [(Phase::Old, Phase::Mirror), (Phase::Mirror, Phase::Mirror)] {
        let refused = abandon(&TABLE, &at(low, high), &FACTS);
        assert!(matches!(refused, Err(PhaseRefusal::NotFirst { .. })));
    }
}

#[test]
fn only_mirrors_are_discarded() {
    for standing in STANDINGS {
        let plan = discard(&found(standing));
        let paired = matches!(
            standing,
            PairStanding::OnlyNew | PairStanding::Fresh | PairStanding::Stale
        );
        let removes =
            plan.is_some_and(|plan| (plan.old, plan.new) == (KeyStep::Leave, KeyStep::Delete));
        assert_eq!(removes, paired, "{standing:?}");
    }
}

#[test]
fn the_environment_may_ask_for_what_is_live_or_beside_it() {
    let record = at(Phase::Mirror, Phase::Mirror);
    let asked = |phase| ask(&TABLE, &record, phase, &[]);
    assert_eq!(asked(Phase::Mirror), Ok(EnvironmentRequest::Work));
    assert_eq!(asked(Phase::ReadNew), Ok(EnvironmentRequest::Forward));
    assert_eq!(asked(Phase::Old), Ok(EnvironmentRequest::Back));
    assert!(asked(Phase::Soak).is_err());
    let none = ask(&TABLE, &PhaseRecord::first(), Phase::Mirror, &[]);
    assert_eq!(none, Err(PhaseRefusal::NoMigration));
}

#[test]
fn the_environment_is_told_which_servers_hold_it_back() {
    let server = |name: &str, phase| PhaseAcknowledgement {
        server: name.to_owned(),
        phase: Some(phase),
    };
    let servers = [
        server("slow", Phase::Mirror),
        server("quick", Phase::ReadNew),
    ];
    let half = at(Phase::Mirror, Phase::ReadNew);
    for (asked, holds) in [(Phase::Backfill, "slow"), (Phase::Old, "quick")] {
        let refused = ask(&TABLE, &half, asked, &servers);
        let held =
            matches!(refused, Err(PhaseRefusal::OutOfReach { held_by, .. }) if held_by == [holds]);
        assert!(held, "{asked}");
    }
}

#[test]
fn what_the_environment_asks_for_passes_the_same_gates() {
    let waiting = without(Phase::Backfill, false, true);
    assert_eq!(
        ask(&TABLE, &waiting, Phase::Soak, &[]),
        Ok(EnvironmentRequest::Forward)
    );
    let environment = MoveFacts {
        who: MoveInitiator::Environment,
        ..FACTS
    };
    let moved = forward(&TABLE, &waiting, &environment);
    assert_eq!(moved, Err(PhaseRefusal::BackfillNotDone));
    let last = at(Phase::Cleanup, Phase::Cleanup);
    assert_eq!(
        ask(&TABLE, &last, Phase::Cutover, &[]),
        Ok(EnvironmentRequest::Back)
    );
    assert!(back(&TABLE, &last, &environment).is_err());
}
