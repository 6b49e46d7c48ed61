//! How many requests one user, or one address, may send: a bucket for each that fills evenly.

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, RateLimiter};
use moka::sync::Cache;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

/// How many buckets are remembered. One that is forgotten begins anew, full: that errs on the side
/// of whoever sends, and memory stays bounded.
const MOST: u64 = 100_000;
/// A bucket that was not used for so long is full anyway.
const FORGET_AFTER: Duration = Duration::from_secs(60);

/// Requests a second for each who sends them; a second's worth may come at once.
pub struct RequestQuota {
    each: Option<NonZeroU32>,
    buckets: Cache<String, Arc<DefaultDirectRateLimiter>>,
}

impl fmt::Debug for RequestQuota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Quota").field(&self.each).finish()
    }
}

impl RequestQuota {
    /// So many a second; 0 is no limit.
    #[must_use]
    pub fn per_second(requests: u32) -> Self {
        Self {
            each: NonZeroU32::new(requests),
            buckets: Cache::builder()
                .max_capacity(MOST)
                .time_to_idle(FORGET_AFTER)
                .build(),
        }
    }

    /// Who sends, where only the address is known. One who has IPv6 has a whole /64 of addresses, so
    /// those count as one.
    #[must_use]
    pub fn of_address(address: Option<IpAddr>) -> String {
        match address {
            None => "nowhere".to_owned(),
            Some(IpAddr::V4(address)) => address.to_string(),
            Some(IpAddr::V6(address)) => {
                // Whoever has the network chooses the last 64 bits.
                let network = u128::from(address) >> 64 << 64;
                format!("{}/64", Ipv6Addr::from(network))
            }
        }
    }

    /// Takes one request out of somebody's bucket.
    ///
    /// # Errors
    /// When to come again, if the bucket is empty.
    pub fn take(&self, who: &str) -> Result<(), Duration> {
        let Some(each) = self.each else {
            return Ok(());
        };
        let new = || Arc::new(RateLimiter::direct(governor::Quota::per_second(each)));
        // The second lookup creates one bucket for a key, also if two first requests come at once.
        let bucket = match self.buckets.get(who) {
            Some(bucket) => bucket,
            None => self.buckets.get_with_by_ref(who, new),
        };
        bucket
            .check()
            .map_err(|not_until| not_until.wait_time_from(DefaultClock::default().now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seconds_worth_may_come_at_once_and_then_everybody_waits_alone() {
        let quota = RequestQuota::per_second(5);
        for _ in 0..5 {
            assert_eq!(quota.take("alice"), Ok(()));
        }
        let wait = quota.take("alice").unwrap_err();
        assert!(wait <= Duration::from_millis(200), "{wait:?}");
        assert_eq!(
            quota.take("bob"),
            Ok(()),
            "others have buckets of their own"
        );
        std::thread::sleep(Duration::from_millis(250));
        assert_eq!(quota.take("alice"), Ok(()), "it fills again");
    }

    #[test]
    fn nothing_is_refused_where_no_limit_is_set() {
        let quota = RequestQuota::per_second(0);
        assert!((0..10_000).all(|_| quota.take("alice").is_ok()));
    }

    #[test]
    fn all_addresses_of_one_ipv6_network_are_one_sender() {
        let of = |text: &str| RequestQuota::of_address(Some(text.parse().unwrap()));
        assert_eq!(of("2001:db8:1:2::3"), of("2001:db8:1:2:ffff::4"));
        assert_ne!(of("2001:db8:1:2::3"), of("2001:db8:1:3::3"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
    }

    #[test]
    fn however_many_send_not_more_buckets_are_kept_than_a_bound() {
        let quota = RequestQuota::per_second(1);
        for number in 0..MOST + 20_000 {
            let _ = quota.take(&number.to_string());
        }
        quota.buckets.run_pending_tasks();
        assert!(quota.buckets.entry_count() <= MOST);
    }
}
