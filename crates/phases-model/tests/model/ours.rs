//! Our table: every state within the bounds.

use crate::{SMALL, at_once, page};
use coeval_phases_model::{INVARIANTS, IndexValues, ModelBounds, Protocol, check};

fn holds(protocol: &Protocol) {
    let outcome = check(protocol, &INVARIANTS, 2);
    let row = row(protocol, outcome.states);
    println!("{row} {:.1?}", outcome.took);
    if let Some((invariant, trace)) = outcome.broken {
        panic!("{invariant}\n{trace}");
    }
    assert!(outcome.states > 10_000, "hardly anything was visited");
    page::has_line(&row);
}

/// The row of the page, up to the states. Times are seen once, states always.
fn row(protocol: &Protocol, states: usize) -> String {
    let bounds = protocol.bounds;
    let servers = match bounds.behind {
        0 => bounds.servers.to_string(),
        behind => format!("{}, {behind} behind", bounds.servers),
    };
    let resources = match bounds.alone {
        0 => bounds.old.to_string(),
        alone => format!("{} + {alone} alone", bounds.old),
    };
    let mut requests = if protocol.at_once {
        "at once".to_owned()
    } else {
        "in flight".to_owned()
    };
    if protocol.nameless {
        requests += ", nameless";
    }
    if protocol.unanswered {
        requests += ", or no answer";
    }
    let mut more = match protocol.bounds.parts {
        0 => Vec::new(),
        parts => vec![format!("{parts} part{}", if parts > 1 { "s" } else { "" })],
    };
    let values = protocol.belongings.map(|values| match values {
        IndexValues::Apart => "belongings, values apart",
        IndexValues::Alike => "belongings, values alike",
        IndexValues::Same => "belongings, one value",
    });
    more.extend(values.map(str::to_owned));
    let (writes, states) = (bounds.writes, grouped(states));
    let more = more.join("; ");
    let more = if more.is_empty() {
        "–".to_owned()
    } else {
        more
    };
    format!("| {servers} | {resources} | {writes} | {requests} | {more} | {states} |")
}

/// 1234567 as 1,234,567.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn nameless(protocol: Protocol) -> Protocol {
    Protocol {
        nameless: true,
        ..protocol
    }
}

fn with_belongings(values: IndexValues, protocol: Protocol) -> Protocol {
    Protocol {
        belongings: Some(values),
        ..protocol
    }
}

fn unanswered(protocol: Protocol) -> Protocol {
    Protocol {
        unanswered: true,
        ..protocol
    }
}

const ONE_WRITE: ModelBounds = ModelBounds { writes: 1, ..SMALL };

const TWO_RESOURCES: ModelBounds = ModelBounds {
    old: 2,
    ..ONE_WRITE
};

const THREE_SERVERS: ModelBounds = ModelBounds {
    servers: 3,
    ..SMALL
};

fn in_parts(parts: usize, bounds: ModelBounds) -> Protocol {
    at_once(ModelBounds { parts, ..bounds })
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_with_requests_in_flight() {
    holds(&Protocol::ours(SMALL));
    holds(&Protocol::ours(TWO_RESOURCES));
    holds(&nameless(Protocol::ours(ModelBounds {
        writes: 1,
        ..THREE_SERVERS
    })));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_over_two_writes() {
    holds(&at_once(SMALL));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_with_two_resources() {
    holds(&at_once(ModelBounds { old: 2, ..SMALL }));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_beside_a_resource_at_home_in_the_new_major() {
    holds(&at_once(ModelBounds { alone: 1, ..SMALL }));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_with_three_servers() {
    holds(&at_once(THREE_SERVERS));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_beside_a_server_without_the_new_major() {
    let behind = 1;
    holds(&at_once(ModelBounds {
        behind,
        ..THREE_SERVERS
    }));
    holds(&Protocol::ours(ModelBounds { behind, ..SMALL }));
    let three_writes = ModelBounds { writes: 3, ..SMALL };
    holds(&with_belongings(
        IndexValues::Apart,
        at_once(ModelBounds {
            behind,
            ..three_writes
        }),
    ));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_with_secrets_and_index_entries() {
    for values in [IndexValues::Apart, IndexValues::Alike, IndexValues::Same] {
        let writes = 3;
        holds(&with_belongings(
            values,
            at_once(ModelBounds { writes, ..SMALL }),
        ));
    }
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_with_workers_that_take_parts_over() {
    holds(&in_parts(1, TWO_RESOURCES));
    holds(&in_parts(2, TWO_RESOURCES));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_where_no_answer_comes() {
    holds(&unanswered(at_once(SMALL)));
    holds(&unanswered(Protocol::ours(ONE_WRITE)));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_in_larger_bounds_when_the_scale_is_ten() {
    if !is_long() {
        return;
    }
    let three_writes = ModelBounds { writes: 3, ..SMALL };
    let largest = ModelBounds {
        servers: 3,
        old: 2,
        ..three_writes
    };
    holds(&Protocol::ours(three_writes));
    holds(&Protocol::ours(ModelBounds { old: 2, ..SMALL }));
    holds(&nameless(Protocol::ours(THREE_SERVERS)));
    holds(&nameless(at_once(largest)));
}

#[test]
fn i1_i2_i3_i4_i5_and_i10_hold_with_more_in_larger_bounds_when_the_scale_is_ten() {
    if !is_long() {
        return;
    }
    for values in [IndexValues::Apart, IndexValues::Alike, IndexValues::Same] {
        holds(&with_belongings(values, Protocol::ours(SMALL)));
    }
    holds(&unanswered(in_parts(1, TWO_RESOURCES)));
    holds(&unanswered(Protocol::ours(SMALL)));
    let three_workers = ModelBounds {
        servers: 3,
        ..TWO_RESOURCES
    };
    holds(&nameless(in_parts(2, three_workers)));
    holds(&in_parts(1, ModelBounds { old: 2, ..SMALL }));
}

fn is_long() -> bool {
    let scale = std::env::var("COEVAL_TEST_SCALE").ok();
    scale.and_then(|scale| scale.parse::<u32>().ok()) >= Some(10)
}
