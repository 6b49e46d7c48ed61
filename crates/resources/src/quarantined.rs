//! Stored objects that can't be shown: named in answers, counted, and logged.

use coeval_codes::{Code, Coded};
use coeval_records::error::EngineError;
use quick_cache::sync::Cache;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A stored object that can't be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    /// Which; its key, if not even the id is readable.
    pub id: String,
    /// Why, as a code.
    pub code: Code,
    /// Why, as a sentence.
    pub reason: String,
}

impl Quarantined {
    pub fn of(id: String, error: &EngineError) -> Self {
        let code = error.code();
        metrics::counter!("coeval_quarantined_total", "code" => code.to_string()).increment(1);
        let reason = error.to_string();
        if is_news(&id, code, Instant::now()) {
            tracing::warn!(id, %code, reason, "quarantined");
        }
        Self { id, code, reason }
    }
}

/// A client that lists every second must not fill the log: one line for an object and a reason in
/// this time.
const SILENCE: Duration = Duration::from_secs(600);

/// Objects that are remembered as logged; of more, some are logged again.
const REMEMBERED: usize = 10_000;

fn is_news(id: &str, code: Code, now: Instant) -> bool {
    static LOGGED: OnceLock<Cache<(String, String), Instant>> = OnceLock::new();
    let logged = LOGGED.get_or_init(|| Cache::new(REMEMBERED));
    let key = (id.to_owned(), code.to_string());
    let recent = |at: Instant| now.saturating_duration_since(at) < SILENCE;
    if logged.get(&key).is_some_and(recent) {
        return false;
    }
    logged.insert(key, now);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_logged_once_in_a_while_for_each_reason() {
        let now = Instant::now();
        let (one, other) = (coeval_codes::VIEW_UNFIT, coeval_codes::DAMAGED);
        assert!(is_news("a", one, now));
        assert!(!is_news("a", one, now + Duration::from_secs(1)));
        assert!(is_news("a", other, now));
        assert!(is_news("b", one, now));
        assert!(is_news("a", one, now + SILENCE));
    }
}
