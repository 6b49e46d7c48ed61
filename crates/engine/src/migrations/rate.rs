//! How fast a run goes, and when it will be done.

use super::shard::Shard;

/// Seconds that are left, with their spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Expected {
    pub(super) soonest: f64,
    pub(super) likely: f64,
    pub(super) latest: f64,
}

/// Resources a second, of all parts together.
pub(super) fn per_second(shards: &[Shard]) -> f64 {
    let began = shards.iter().map(|shard| shard.began).min();
    let at = shards.iter().map(|shard| shard.at).max();
    let visited: u64 = shards.iter().map(|shard| shard.counts.visited).sum();
    let (Some(began), Some(at)) = (began, at) else {
        return 0.0;
    };
    let seconds = (at - began) as f64 / 1_000.0;
    match seconds > 0.0 {
        true => visited as f64 / seconds,
        false => 0.0,
    }
}

/// When `left` more will be visited. The spread is that of the parts' own rates.
pub(super) fn expected(shards: &[Shard], left: u64) -> Option<Expected> {
    let rate = per_second(shards);
    if rate <= 0.0 {
        return None;
    }
    let likely = left as f64 / rate;
    let spread = spread(shards).clamp(0.05, 1.0);
    Some(Expected {
        soonest: likely * (1.0 - spread / 2.0),
        likely,
        latest: likely * (1.0 + spread),
    })
}

/// How much the rates of the parts that have begun differ, as a part of their mean; the more parts
/// there are to look at, the less it matters.
fn spread(shards: &[Shard]) -> f64 {
    let rates: Vec<f64> = shards
        .iter()
        .filter(|shard| shard.counts.visited > 0)
        .map(|shard| {
            let seconds = ((shard.at - shard.began) as f64 / 1_000.0).max(0.001);
            shard.counts.visited as f64 / seconds
        })
        .collect();
    let count = rates.len() as f64;
    if count < 2.0 {
        return 0.5;
    }
    let mean = rates.iter().sum::<f64>() / count;
    let variance = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / (count - 1.0);
    variance.sqrt() / mean / count.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::migrations::shard::Counts;

    fn shard(visited: u64, began: i64, at: i64) -> Shard {
        Shard {
            counts: Counts {
                visited,
                ..Counts::default()
            },
            began,
            at,
            ..Shard::default()
        }
    }

    #[test]
    fn a_steady_run_is_expected_to_go_on_so() {
        let shards = [shard(500, 0, 1_000), shard(500, 0, 1_000)];
        let left = expected(&shards, 3_000).unwrap();
        assert!((left.likely - 3.0).abs() < 0.01);
        assert!(left.soonest < left.likely && left.likely < left.latest);
        assert!(left.latest < 3.5, "{left:?}");
    }

    #[test]
    fn nothing_is_said_before_anything_was_done() {
        assert_eq!(expected(&[], 10), None);
        assert_eq!(expected(&[shard(0, 5, 5)], 10), None);
    }

    #[test]
    fn parts_that_differ_say_less() {
        let even = [shard(500, 0, 1_000), shard(500, 0, 1_000)];
        let uneven = [shard(900, 0, 1_000), shard(100, 0, 1_000)];
        let latest = |shards: &[Shard]| expected(shards, 1_000).unwrap().latest;
        assert!(latest(&uneven) > latest(&even));
    }
}
