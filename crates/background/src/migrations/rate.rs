//! How fast a run goes, and when it will be done.

use crate::migrations::shard::Shard;

/// Seconds that are left, with their spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Expected {
    pub soonest: f64,
    pub likely: f64,
    pub latest: f64,
}

/// The rate is that of the last third of a run,
const LATELY: i64 = 3;
/// or of so many milliseconds, if that is more.
const AT_LEAST: i64 = 3_000;

/// Resources a second lately, of all parts together. A part is taken to have gone evenly from when
/// it began to where it is.
pub(crate) fn per_second(shards: &[Shard]) -> f64 {
    let began = shards.iter().map(|shard| shard.began).min();
    let at = shards.iter().map(|shard| shard.at).max();
    let (Some(began), Some(at)) = (began, at) else {
        return 0.0;
    };
    let from = at - ((at - began) / LATELY).max(AT_LEAST).min(at - began);
    if from >= at {
        return 0.0;
    }
    let lately = shards.iter().map(|shard| {
        // Clocks of two servers may differ.
        let time = (shard.at - shard.began).max(1);
        let within = (shard.at - shard.began.max(from)).clamp(0, time);
        shard.counts.visited as f64 * within as f64 / time as f64
    });
    lately.sum::<f64>() * 1_000.0 / (at - from) as f64
}

/// When `left` more will be visited. The spread is that of the parts' own rates.
pub(crate) fn expected(shards: &[Shard], left: u64) -> Option<Expected> {
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
        // A single part tells nothing of the spread.
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
    fn one_that_slows_down_is_expected_to_go_as_it_goes_lately() {
        // Two parts at a time: 1,000 a second in the first minute, 500 in the second.
        let shards = [
            shard(30_000, 0, 60_000),
            shard(30_000, 0, 60_000),
            shard(15_000, 60_000, 120_000),
            shard(15_000, 60_000, 120_000),
        ];
        assert!((per_second(&shards) - 500.0).abs() < 1.0);
        let left = expected(&shards, 50_000).unwrap();
        assert!((left.likely - 100.0).abs() < 1.0, "{left:?}");
        // One that was done before counts for nothing, one that goes on for the part that is late.
        let done = [shard(900, 0, 10_000), shard(9_000, 0, 90_000)];
        assert!((per_second(&done) - 100.0).abs() < 1.0);
    }

    #[test]
    fn nothing_is_said_before_anything_was_done() {
        assert_eq!(expected(&[], 10), None);
        assert_eq!(expected(&[shard(0, 5, 5)], 10), None);
        assert_eq!(expected(&[shard(7, 5, 2)], 10), None);
    }

    #[test]
    fn parts_that_differ_say_less() {
        let even = [shard(500, 0, 1_000), shard(500, 0, 1_000)];
        let uneven = [shard(900, 0, 1_000), shard(100, 0, 1_000)];
        let latest = |shards: &[Shard]| expected(shards, 1_000).unwrap().latest;
        assert!(latest(&uneven) > latest(&even));
    }
}
