//! When to try again: a few times, in a time that is bounded, after a while that is drawn.

use crate::error::{ClientError, RequestReach};
use std::future::Future;
use std::time::Duration;
use tokio::time::Instant;
use tonic::{Response, Status};

/// How often a call is tried again. The time that it may take usually ends it before.
const MOST: u32 = 30;
const FIRST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_secs(2);

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RetryLimits {
    /// A call, with all that is tried again.
    pub(crate) timeout: Duration,
    /// A watch that finds no server.
    pub(crate) patience: Duration,
    /// A call that finds no server; by default as long as one may take.
    pub(crate) reach: Option<Duration>,
}

impl Default for RetryLimits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            patience: Duration::from_secs(300),
            reach: None,
        }
    }
}

/// The attempts of one call.
#[derive(Debug)]
pub(crate) struct CallAttempts {
    until: Instant,
    /// Until when it is tried to reach a server at all.
    reach: Instant,
    /// How long one may take.
    each: Duration,
    made: u32,
    most: u32,
}

impl CallAttempts {
    pub(crate) fn of(limits: RetryLimits) -> Self {
        // Half of the time for one attempt: then there is time left to find out what came of it.
        let attempts = Self::within(limits.timeout, limits.timeout / 2, MOST);
        attempts.reaching(limits.reach)
    }

    /// Gives up after this time where no server can be connected to.
    fn reaching(mut self, time: Option<Duration>) -> Self {
        // A program that somebody waits for gives up sooner where there is no server at all.
        let now = Instant::now();
        let end = time.and_then(|time| now.checked_add(time));
        self.reach = end.map_or(self.until, |end| end.min(self.until));
        self
    }

    /// No longer than until then.
    pub(crate) fn until(mut self, until: Option<Instant>) -> Self {
        self.until = until.map_or(self.until, |until| until.min(self.until));
        self
    }

    /// When they end.
    pub(crate) const fn end(&self) -> Instant {
        self.until
    }

    /// Goes on for as long as this from now.
    pub(crate) fn prolong(&mut self, time: Duration) {
        let now = Instant::now();
        self.until = now.checked_add(time).unwrap_or(now);
        self.reach = self.until;
    }

    /// For as long as this, however often.
    pub(crate) fn for_as_long_as(patience: Duration) -> Self {
        Self::within(patience, patience, u32::MAX)
    }

    fn within(time: Duration, each: Duration, most: u32) -> Self {
        let now = Instant::now();
        let until = now.checked_add(time).unwrap_or(now);
        Self {
            until,
            reach: until,
            each,
            made: 0,
            most,
        }
    }

    /// One attempt, with the time that it may take.
    pub(crate) async fn attempt<T>(
        &self,
        call: impl Future<Output = Result<Response<T>, Status>>,
    ) -> Result<Response<T>, ClientError> {
        // Never longer than the whole call may take.
        let left = self.until.saturating_duration_since(Instant::now());
        let each = self.each.min(left);
        match tokio::time::timeout(each, call).await {
            Ok(answer) => answer.map_err(ClientError::from),
            Err(_) => Err(ClientError::timed_out(each)),
        }
    }

    /// Waits until it is time for another attempt; false if there is none.
    pub(crate) async fn wait_for_next(&mut self, error: &ClientError) -> bool {
        self.made = self.made.saturating_add(1);
        let pause = pause(self.made, error.retry_after(), fastrand::f64());
        let until = match error.reached() {
            // No server was reached, so this counts against the shorter time.
            RequestReach::Nowhere => self.until.min(self.reach),
            _ => self.until,
        };
        let left = until.saturating_duration_since(Instant::now());
        // A pause that would end after the time is over is no pause but a delay of the error.
        if self.made >= self.most || pause >= left {
            return false;
        }
        tokio::time::sleep(pause).await;
        true
    }
}

/// How long to wait: drawn from nothing up to a bound that doubles, but never less than the server
/// asks for.
fn pause(made: u32, asked: Option<Duration>, drawn: f64) -> Duration {
    // Full jitter: anything from nothing to the bound, so that clients that failed together don't
    // come together.
    let doubled = FIRST.saturating_mul(1_u32.checked_shl(made.min(16)).unwrap_or(u32::MAX));
    let pause = doubled.min(LONGEST).mul_f64(drawn.clamp(0.0, 1.0));
    // Many who are told the same second are not to come in the same instant.
    asked.map_or(pause, |asked| asked.saturating_add(pause))
}

/// Reads, and tries again what may pass: a read can happen as often as it likes.
pub(crate) async fn reading<T, F>(
    mut attempts: CallAttempts,
    mut call: impl FnMut() -> F,
) -> Result<Response<T>, ClientError>
where
    F: Future<Output = Result<Response<T>, Status>>,
{
    loop {
        match attempts.attempt(call()).await {
            Err(error) if error.is_transient() && attempts.wait_for_next(&error).await => {}
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_drawn_below_a_bound_that_doubles_and_ends() {
        assert_eq!(pause(1, None, 0.0), Duration::ZERO);
        assert_eq!(pause(1, None, 1.0), Duration::from_millis(40));
        assert_eq!(pause(2, None, 1.0), Duration::from_millis(80));
        assert_eq!(pause(2, None, 0.5), Duration::from_millis(40));
        for made in [8, 31, 32, 33, u32::MAX] {
            assert_eq!(pause(made, None, 1.0), LONGEST, "{made}");
        }
    }

    #[test]
    fn a_server_that_says_when_is_not_asked_before() {
        let asked = Duration::from_secs(3);
        for drawn in [0.0, 0.3, 1.0] {
            assert!(pause(1, Some(asked), drawn) >= asked);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_not_there_is_given_up_earlier_if_that_is_wanted() {
        let gone = ClientError::nowhere();
        let slow = ClientError::timed_out(Duration::ZERO);
        for (error, expected) in [(gone, 3), (slow, 30)] {
            let attempts = CallAttempts::for_as_long_as(Duration::from_secs(30));
            let mut attempts = attempts.reaching(Some(Duration::from_secs(3)));
            let begun = Instant::now();
            while attempts.wait_for_next(&error).await {}
            let (took, most) = (begun.elapsed(), Duration::from_secs(expected));
            assert!(took <= most && took + LONGEST >= most, "{took:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn attempts_end_by_number_and_by_time() {
        let error = ClientError::timed_out(Duration::ZERO);
        let mut few = CallAttempts::within(Duration::from_secs(1_000), Duration::ZERO, 3);
        assert!(few.wait_for_next(&error).await && few.wait_for_next(&error).await);
        assert!(!few.wait_for_next(&error).await);
        let mut short = CallAttempts::for_as_long_as(Duration::from_secs(30));
        let begun = Instant::now();
        while short.wait_for_next(&error).await {}
        assert!(begun.elapsed() <= Duration::from_secs(30));
    }
}
