//! How long a connection may live.
//!
//! A balancer of TCP connections decides once for each of them. Clients that keep theirs for ever stay
//! where they are when servers are added or replaced: the last server of a rolling upgrade would
//! have none. So a connection that is old is given up, without anybody losing a request:
//!
//! - HTTP/2: GOAWAY. What runs goes on to its end; the client opens the next request on a new
//!   connection. A stream that has no end of its own should listen to [`ConnectionEnd::moving`]:
//!   where it ends, the connection does, and some clients notice GOAWAY only then.
//! - HTTP/1.1: the next answer says `connection: close`. An idle connection is left alone: closing
//!   it could cross with a request, and then nobody knows whether the server got that.

use http::header::CONNECTION;
use http::{HeaderValue, Response, Version};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep_until};

/// The age of one connection.
#[derive(Debug)]
pub(crate) struct ConnectionAge {
    /// When it is old; never, without.
    end: Option<Instant>,
    is_http_2: AtomicBool,
    asked_by_http_2: Notify,
    is_moving: watch::Sender<bool>,
}

/// The end of the connection that a request came on: an extension of every request.
#[derive(Clone, Debug, Default)]
pub struct ConnectionEnd(pub(crate) Option<Arc<ConnectionAge>>);

impl ConnectionEnd {
    /// Resolves once the client was asked to go on with another connection. Never on HTTP/1.1,
    /// where a stream has its connection for itself.
    pub async fn moving(&self) {
        match &self.0 {
            // The sender lives in self, so that waiting can't fail.
            Some(age) => drop(age.is_moving.subscribe().wait_for(|moving| *moving).await),
            None => std::future::pending().await,
        }
    }
}

impl ConnectionAge {
    pub(crate) fn begin(most: Option<Duration>) -> Self {
        let most = most.map(|most| jittered(most, drawn()));
        Self {
            end: most.and_then(|most| Instant::now().checked_add(most)),
            is_http_2: AtomicBool::new(false),
            asked_by_http_2: Notify::new(),
            is_moving: watch::Sender::new(false),
        }
    }

    /// GOAWAY goes before whatever streams send from now on.
    pub(crate) fn moves(&self) {
        self.is_moving.send_replace(true);
    }

    /// Which protocol the peer speaks is known from its first request on.
    pub(crate) fn asked(&self, version: Version) {
        if version == Version::HTTP_2 {
            self.is_http_2.store(true, Ordering::Relaxed);
            self.asked_by_http_2.notify_one();
        }
    }

    /// Resolves when it is time for GOAWAY; never on HTTP/1.1.
    pub(crate) async fn is_over_on_http_2(&self) {
        match self.end {
            Some(end) => sleep_until(end).await,
            None => std::future::pending().await,
        }
        // A permit is stored if the first request came earlier, so that the order does not matter.
        self.asked_by_http_2.notified().await;
    }

    /// Makes an answer on HTTP/1.1 the last of its connection, if that is old or the server stops.
    pub(crate) fn mark_last<B>(&self, is_draining: bool, response: &mut Response<B>) {
        let is_old = self.end.is_some_and(|end| Instant::now() >= end);
        if (is_old || is_draining) && !self.is_http_2.load(Ordering::Relaxed) {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
    }
}

/// Without it, connections that were opened together would also be closed together for ever.
fn drawn() -> u8 {
    let mut drawn = [128];
    // Without random numbers there is no jitter, and nothing worse.
    let _ = getrandom::fill(&mut drawn);
    let [drawn] = drawn;
    drawn
}

/// From nine tenths to eleven tenths of it.
fn jittered(most: Duration, drawn: u8) -> Duration {
    most.mul_f64(0.9 + 0.2 * f64::from(drawn) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_age_differs_by_a_tenth_in_both_directions() {
        let most = Duration::from_secs(600);
        assert_eq!(jittered(most, 0), Duration::from_secs(540));
        assert_eq!(jittered(most, 255), Duration::from_secs(660));
        let middle = jittered(most, 128);
        assert!(middle > Duration::from_secs(599) && middle < Duration::from_secs(601));
    }
}
