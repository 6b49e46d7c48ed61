//! Every error code of Coeval, in one table.
//!
//! A code is a promise: once released it keeps its meaning, and `docs/errors/` has a page for it.
//! The first digit names the area: 1 version, 2 type, 3 conversion, 4 storage, 5 access,
//! 6 resource, 7 migration, 8 API, 9 server.

use std::fmt;

/// A stable error code, printed as `COEVAL-4001`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code {
    number: u16,
    title: &'static str,
}

impl Code {
    /// The four digits.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.number
    }

    /// One line that names the trouble; the heading of the code's page.
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.title
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "COEVAL-{:04}", self.number)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An error that can be shown to people: what happened is its `Display`, why is its page.
pub trait Coded: std::error::Error {
    /// The stable code.
    fn code(&self) -> Code;

    /// What to do next, as a sentence.
    fn advice(&self) -> String;
}

macro_rules! codes {
    ($($name:ident = $number:literal, $title:literal;)*) => {
        $(#[doc = $title] pub const $name: Code = Code { number: $number, title: $title };)*

        /// All codes, in order.
        pub const ALL: &[Code] = &[$($name),*];
        /// The constants' names, in the same order.
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

codes! {
    KEY_INVALID = 4001, "The key is not valid";
    TOO_LARGE = 4002, "A storage limit was exceeded";
    WRITE_INVALID = 4003, "The write is not well formed";
    NOT_FOUND = 4004, "The key does not exist";
    ALREADY_EXISTS = 4005, "The key exists already";
    CONFLICT = 4006, "The revision does not match";
    COMPACTED = 4007, "The sequence is not in this store's history any more";
    FELL_BEHIND = 4008, "The watcher fell behind";
    UNKNOWN_OUTCOME = 4009, "Nobody knows whether the write happened";
    UNAVAILABLE = 4010, "The store can't be reached";
    FULL = 4011, "The store has no space left";
    DAMAGED = 4012, "A stored record is damaged";
    IN_USE = 4013, "Another process owns the store";
    RESTORING = 4014, "A restore is under way or was not finished";
    CLOSED = 4015, "The store was closed";
    LEVEL_UNKNOWN = 4016, "The store was written by a newer release";
    NOT_EMPTY = 4017, "The target store is not empty";
    URL_INVALID = 4018, "The store's address is not valid";
    BUSY = 4019, "The store is too busy";
    CLOCK_OFF = 4020, "This server's clock is off";
    READ_ONLY = 4021, "The store was opened read-only";
    IMPORT_INVALID = 4022, "The file can't be imported";
    BACKUP_INVALID = 4023, "The file is not a usable backup";
    FAILED = 4024, "The store failed in a way that has no name yet";
    FILE = 4025, "A file can't be read or written";
    ROUTE_UNKNOWN = 8001, "This server has nothing at that path";
    METHOD_UNKNOWN = 8002, "The path does not answer that method";
    CONFIG_INVALID = 9001, "The configuration is not valid";
    LISTEN_FAILED = 9002, "The server can't listen";
    TLS_INVALID = 9003, "The certificate or key can't be used";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_ascending() {
        assert!(ALL.windows(2).all(|pair| pair[0].number < pair[1].number));
    }

    #[test]
    fn a_code_prints_with_four_digits() {
        assert_eq!(KEY_INVALID.to_string(), "COEVAL-4001");
    }
}
