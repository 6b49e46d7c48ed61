//! The newest sequence that a client has seen. Every call carries it, so that no server answers with
//! less.

use std::sync::{PoisonError, RwLock};

/// Hexadecimal digits of the number at the end of a sequence; what is before names the history.
const NUMBER: usize = 16;

/// The newest one.
#[derive(Debug, Default)]
pub(crate) struct NewestSequence(RwLock<Option<String>>);

impl NewestSequence {
    pub(crate) fn get(&self) -> Option<String> {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Notes one that was seen. One of another history is not taken silently: the next read carries
    /// the old one, is refused, and the caller is told.
    pub(crate) fn note(&self, seen: &str) {
        let mut newest = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Of another history is never *after*: see above.
        if newest.as_deref().is_none_or(|known| is_after(seen, known)) {
            *newest = Some(seen.to_owned());
        }
    }

    /// Forgets the one that a call carried: the history that it belongs to is over. One that was
    /// noted since then stays.
    pub(crate) fn forget(&self, carried: Option<&str>) {
        let mut newest = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if newest.as_deref() == carried {
            *newest = None;
        }
    }
}

/// Whether `seen` is a later point of the same history than `known`.
pub(crate) fn is_after(seen: &str, known: &str) -> bool {
    let parts = |text: &str| {
        let cut = text.len().checked_sub(NUMBER)?;
        Some((text.get(..cut)?.to_owned(), text.get(cut..)?.to_owned()))
    };
    match (parts(seen), parts(known)) {
        (Some((history, number)), Some((known_history, known_number))) => {
            // Both have the same number of digits, so text and number have the same order.
            history == known_history && number > known_number
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(history: &str, number: u64) -> String {
        format!("{history}{number:016x}")
    }

    #[test]
    fn only_a_newer_one_counts() {
        let newest = NewestSequence::default();
        newest.note(&of("a", 9));
        newest.note(&of("a", 7));
        assert_eq!(newest.get(), Some(of("a", 9)));
        newest.note(&of("a", 255));
        assert_eq!(newest.get(), Some(of("a", 255)));
    }

    #[test]
    fn one_of_another_history_counts_once_the_old_one_is_forgotten() {
        let newest = NewestSequence::default();
        newest.note(&of("a", 9));
        newest.note(&of("b", 1));
        assert_eq!(newest.get(), Some(of("a", 9)));
        newest.forget(Some(&of("a", 8)));
        assert_eq!(newest.get(), Some(of("a", 9)), "another call's");
        newest.forget(Some(&of("a", 9)));
        newest.note(&of("b", 1));
        assert_eq!(newest.get(), Some(of("b", 1)));
    }
}
