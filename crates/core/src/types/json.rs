//! Strict JSON as a stream of events, each with its place. Nothing here recurses.

use super::body::BodyError;
use super::number;
use super::position::{LineStarts, Position};
use serde_json::Number;
use std::borrow::Cow;

/// What comes next in a text.
#[derive(Debug, PartialEq)]
pub(crate) enum JsonEvent<'t> {
    Object,
    Array,
    /// Of the innermost object or array.
    End,
    Key(Cow<'t, str>),
    String(Cow<'t, str>),
    Number(Number),
    Bool(bool),
    Null,
}

#[derive(Clone, Copy, PartialEq)]
enum ExpectedToken {
    Value,
    FirstItem,
    FirstKey,
    CommaOrEnd,
    Nothing,
}

/// The events of one JSON text.
pub(crate) struct JsonEvents<'t> {
    text: &'t str,
    at: usize,
    /// Whether each open container is an object.
    open: Vec<bool>,
    expect: ExpectedToken,
    depth: usize,
}

impl<'t> JsonEvents<'t> {
    /// At most `depth` levels are read.
    pub(crate) fn of(text: &'t str, depth: usize) -> Self {
        Self {
            text,
            at: 0,
            open: Vec::new(),
            expect: ExpectedToken::Value,
            depth,
        }
    }

    /// Lines and columns are counted only when somebody asks: nearly all texts are fine.
    pub(crate) fn position(&self, offset: usize) -> Position {
        LineStarts::of(self.text).position(offset)
    }

    /// The next event and the offset where it begins.
    pub(crate) fn next(&mut self) -> Result<Option<(usize, JsonEvent<'t>)>, BodyError> {
        self.skip_space();
        let begin = self.at;
        let in_object = self.open.last() == Some(&true);
        match (self.expect, self.peek()) {
            (ExpectedToken::Nothing, None) => Ok(None),
            (ExpectedToken::Nothing, Some(_)) => Err(self.wrong("something follows the value")),
            (_, None) => Err(self.wrong("the text ends too early")),
            (ExpectedToken::FirstItem, Some(b']')) | (ExpectedToken::FirstKey, Some(b'}')) => {
                Ok(Some((begin, self.end())))
            }
            (ExpectedToken::CommaOrEnd, Some(b'}')) if in_object => Ok(Some((begin, self.end()))),
            (ExpectedToken::CommaOrEnd, Some(b']')) if !in_object => Ok(Some((begin, self.end()))),
            (ExpectedToken::CommaOrEnd, Some(b',')) => {
                self.at += 1;
                self.skip_space();
                let begin = self.at;
                let event = if in_object { self.key() } else { self.value() };
                Ok(Some((begin, event?)))
            }
            (ExpectedToken::CommaOrEnd, Some(_)) => Err(self.wrong("a comma or an end is missing")),
            (ExpectedToken::FirstKey, Some(_)) => Ok(Some((begin, self.key()?))),
            (ExpectedToken::Value | ExpectedToken::FirstItem, Some(_)) => {
                Ok(Some((begin, self.value()?)))
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn wrong(&self, reason: &'static str) -> BodyError {
        BodyError::NotJson {
            position: self.position(self.at),
            reason,
        }
    }

    fn end(&mut self) -> JsonEvent<'t> {
        self.at += 1;
        self.open.pop();
        self.after_value();
        JsonEvent::End
    }

    fn after_value(&mut self) {
        self.expect = if self.open.is_empty() {
            ExpectedToken::Nothing
        } else {
            ExpectedToken::CommaOrEnd
        };
    }

    fn key(&mut self) -> Result<JsonEvent<'t>, BodyError> {
        if self.peek() != Some(b'"') {
            return Err(self.wrong("a key in double quotes is missing"));
        }
        let key = self.string()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.wrong("a colon is missing after the key"));
        }
        self.at += 1;
        self.expect = ExpectedToken::Value;
        Ok(JsonEvent::Key(key))
    }

    fn value(&mut self) -> Result<JsonEvent<'t>, BodyError> {
        let event = match self.peek() {
            Some(b'{') => return self.begin(true),
            Some(b'[') => return self.begin(false),
            Some(b'"') => JsonEvent::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => JsonEvent::Number(self.number()?),
            _ => self.word()?,
        };
        self.after_value();
        Ok(event)
    }

    fn begin(&mut self, object: bool) -> Result<JsonEvent<'t>, BodyError> {
        if self.open.len() >= self.depth {
            return Err(BodyError::TooDeep {
                position: self.position(self.at),
                limit: self.depth,
            });
        }
        self.at += 1;
        self.open.push(object);
        let (expect, event) = if object {
            (ExpectedToken::FirstKey, JsonEvent::Object)
        } else {
            (ExpectedToken::FirstItem, JsonEvent::Array)
        };
        self.expect = expect;
        Ok(event)
    }

    fn word(&mut self) -> Result<JsonEvent<'t>, BodyError> {
        let known = [
            ("true", JsonEvent::Bool(true)),
            ("false", JsonEvent::Bool(false)),
            ("null", JsonEvent::Null),
        ];
        for (word, event) in known {
            if self.rest().starts_with(word) {
                self.at += word.len();
                return Ok(event);
            }
        }
        Err(self.wrong("a value is missing"))
    }

    fn string(&mut self) -> Result<Cow<'t, str>, BodyError> {
        let begin = self.at;
        let mut escaped = false;
        self.at += 1;
        loop {
            match self.peek() {
                None => return Err(self.wrong("a string does not end")),
                Some(b'"') => break,
                Some(0..=0x1f) => return Err(self.wrong("a control character in a string")),
                Some(b'\\') => {
                    escaped = true;
                    self.at += 2;
                }
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        if !escaped {
            let inside = self.text.get(begin + 1..self.at - 1);
            return Ok(Cow::Borrowed(inside.unwrap_or_default()));
        }
        let quoted = self.text.get(begin..self.at).unwrap_or_default();
        serde_json::from_str(quoted)
            .map(Cow::Owned)
            .map_err(|_| BodyError::NotJson {
                position: self.position(begin),
                reason: "a string has an escape that means nothing",
            })
    }

    fn digits(&mut self) -> usize {
        let begin = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        self.at - begin
    }

    fn number(&mut self) -> Result<Number, BodyError> {
        let begin = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let zero = self.peek() == Some(b'0');
        let whole = self.digits();
        if whole == 0 || (zero && whole > 1) {
            return Err(self.wrong("a number is not well formed"));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.wrong("digits are missing after the point"));
            }
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.wrong("digits are missing in the exponent"));
            }
        }
        let text = self.text.get(begin..self.at).unwrap_or_default();
        number::exact(text).ok_or_else(|| BodyError::Number {
            position: self.position(begin),
            text: text.chars().take(40).collect(),
        })
    }
}
