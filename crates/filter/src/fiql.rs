//! Filters as people write them, the same in every API.
//!
//! ```text
//! or     := and (',' and)*
//! and    := one (';' one)*
//! one    := '(' or ')' | key operator value
//! operator := == != =gt= =ge= =lt= =le=
//! ```
//!
//! In a value `*` is a wildcard, and a backslash takes the next character as it is; `( ) , ; \`
//! must have one. What the keys are is up to who asks.

use crate::limits::{DEPTH, NODES};
use crate::{FieldComparison, FieldTest, Filter, FilterError, FilterField, Operand};
use coeval_codes::Coded;

/// Why a text is no filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum FiqlError {
    /// It can't be read.
    #[error("the filter can't be read at character {at}: {reason}")]
    #[code(
        FILTER_SYNTAX,
        advice = "Write comparisons such as name==web*, joined by ; (and) or , (or); a backslash takes the next character as it is."
    )]
    Syntax {
        /// Where, counted from 1 on.
        at: usize,
        /// Why.
        reason: String,
    },
    /// It can be read, and asks for what there is not.
    #[error(transparent)]
    #[code(transparent)]
    Filter(#[from] FilterError),
}

/// How long a filter may be, in bytes.
const LONGEST: usize = 16 * 1024;

/// Reads a filter; `field` says what a key means.
///
/// # Errors
/// With the place of what is wrong.
pub fn parse(
    text: &str,
    field: impl Fn(&str) -> Result<FilterField, FilterError>,
) -> Result<Filter, FiqlError> {
    // The length first: what follows is read character by character, and errors cite the text.
    if text.len() > LONGEST {
        return Err(FiqlError::Syntax {
            at: LONGEST,
            reason: format!("it has more than {LONGEST} bytes"),
        });
    }
    let mut reader = FiqlReader {
        text,
        at: 0,
        parts: 0,
        field: &field,
    };
    // From the outermost level down; `or` binds weakest.
    let filter = reader.or(0)?;
    match reader.peek() {
        None => Ok(filter),
        Some(')') => Err(reader.wrong("there is no ( before this )")),
        Some(_) => Err(reader.wrong("the filter should end here")),
    }
}

/// What an operator makes of a value.
type OperatorMeaning = fn(Operand) -> FieldComparison;

struct FiqlReader<'a> {
    text: &'a str,
    /// In bytes.
    at: usize,
    parts: usize,
    field: &'a dyn Fn(&str) -> Result<FilterField, FilterError>,
}

impl<'a> FiqlReader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        if there {
            self.at += wanted.len_utf8();
        }
        there
    }

    /// Counted in characters, from 1 on.
    fn place(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or_default();
        before.chars().count() + 1
    }

    fn wrong_at(&self, at: usize, reason: impl Into<String>) -> FiqlError {
        FiqlError::Syntax {
            at: self.place(at),
            reason: reason.into(),
        }
    }

    fn wrong(&self, reason: impl Into<String>) -> FiqlError {
        self.wrong_at(self.at, reason)
    }

    fn count(&mut self) -> Result<(), FiqlError> {
        self.parts += 1;
        if self.parts > NODES {
            Err(self.wrong(format!("there are more than {NODES} parts")))
        } else {
            Ok(())
        }
    }

    fn or(&mut self, depth: usize) -> Result<Filter, FiqlError> {
        let mut all = vec![self.and(depth)?];
        while self.take(',') {
            all.push(self.and(depth)?);
        }
        Ok(joined(all, Filter::Or))
    }

    fn and(&mut self, depth: usize) -> Result<Filter, FiqlError> {
        let mut all = vec![self.one(depth)?];
        while self.take(';') {
            all.push(self.one(depth)?);
        }
        Ok(joined(all, Filter::And))
    }

    fn one(&mut self, depth: usize) -> Result<Filter, FiqlError> {
        // Counted before it is read, so that a filter of nothing but brackets ends too.
        self.count()?;
        if depth >= DEPTH {
            return Err(self.wrong(format!("there are more than {DEPTH} levels")));
        }
        // Remembered, because the message names the bracket that is never closed, not the end.
        let opened = self.at;
        if self.take('(') {
            let inner = self.or(depth + 1)?;
            return if self.take(')') {
                Ok(inner)
            } else {
                Err(self.wrong_at(opened, "this ( is never closed"))
            };
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Filter, FiqlError> {
        let began = self.at;
        let rest = self.rest();
        // A name ends where an operator or a bracket begins.
        let end = rest.find(['=', '!', ',', ';', '(', ')']);
        let key = match end {
            Some(end) => rest.get(..end).unwrap_or_default(),
            None => rest,
        };
        if key.trim().is_empty() {
            return Err(self.wrong("there should be a field, such as name"));
        }
        self.at += key.len();
        let operator = self.operator()?;
        let value = self.value()?;
        let placed = |error: FilterError, at| error.placed(Some(at));
        // The front end knows what a key means; its error gets the position.
        let field = (self.field)(key.trim()).map_err(|e| placed(e, self.place(began)))?;
        let operand = Operand::from_escaped(value).map_err(|e| placed(e, self.place(began)))?;
        Ok(Filter::Test(FieldTest {
            field,
            compare: operator(operand),
            at: Some(self.place(began)),
        }))
    }

    fn operator(&mut self) -> Result<OperatorMeaning, FiqlError> {
        const OPERATORS: [(&str, OperatorMeaning); 6] = [
            ("==", FieldComparison::Equal),
            ("!=", FieldComparison::NotEqual),
            ("=gt=", FieldComparison::Greater),
            ("=ge=", FieldComparison::GreaterOrEqual),
            ("=lt=", FieldComparison::Less),
            ("=le=", FieldComparison::LessOrEqual),
        ];
        let rest = self.rest();
        // No operator is the beginning of another one, so the first that fits is the one.
        let found = OPERATORS.iter().find(|(name, _)| rest.starts_with(name));
        let Some((name, compare)) = found else {
            return Err(self.wrong("there should be == != =gt= =ge= =lt= or =le= here"));
        };
        self.at += name.len();
        Ok(*compare)
    }

    /// A value as it is written, with its backslashes.
    fn value(&mut self) -> Result<&'a str, FiqlError> {
        let rest = self.rest();
        let mut characters = rest.char_indices();
        let mut end = rest.len();
        while let Some((at, character)) = characters.next() {
            match character {
                // The next character is skipped too: an escaped bracket does not end the value.
                '\\' if characters.next().is_none() => {
                    let at = self.at + at;
                    return Err(self.wrong_at(at, "a backslash stands before nothing"));
                }
                // It would be read as a group that begins inside of a value.
                '(' => {
                    let at = self.at + at;
                    return Err(self.wrong_at(at, "a ( in a value needs a backslash before it"));
                }
                ',' | ';' | ')' => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        self.at += end;
        Ok(rest.get(..end).unwrap_or_default())
    }
}

fn joined(mut all: Vec<Filter>, join: fn(Vec<Filter>) -> Filter) -> Filter {
    match all.len() {
        1 => all.pop().unwrap_or(Filter::And(Vec::new())),
        _ => join(all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Filter, FiqlError> {
        parse(text, |key| FilterField::parse(key, "entity"))
    }

    fn place(text: &str) -> usize {
        match read(text) {
            Err(FiqlError::Syntax { at, .. }) => at,
            Err(FiqlError::Filter(error)) => error.at().unwrap(),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn equal(key: &str, value: &str) -> Filter {
        let field = FilterField::parse(key, "entity").unwrap();
        Filter::test(field, FieldComparison::Equal(Operand::Text(value.into())))
    }

    fn without_places(filter: Filter) -> Filter {
        match filter {
            Filter::And(all) => Filter::And(all.into_iter().map(without_places).collect()),
            Filter::Or(all) => Filter::Or(all.into_iter().map(without_places).collect()),
            Filter::Test(test) => Filter::Test(FieldTest { at: None, ..test }),
            other => other,
        }
    }

    #[test]
    fn and_binds_closer_than_or_and_parentheses_closer_still() {
        let parsed = without_places(read("name==a;state==b,id==c").unwrap());
        let and = Filter::And(vec![equal("name", "a"), equal("state", "b")]);
        assert_eq!(parsed, Filter::Or(vec![and, equal("id", "c")]));
        let parsed = without_places(read("name==a;(state==b,id==c)").unwrap());
        let or = Filter::Or(vec![equal("state", "b"), equal("id", "c")]);
        assert_eq!(parsed, Filter::And(vec![equal("name", "a"), or]));
    }

    #[test]
    fn colons_spaces_and_dots_are_plain_and_the_rest_is_escaped() {
        for (text, key, value) in [
            (
                "name==cse:nativeCluster Entitlement",
                "name",
                "cse:nativeCluster Entitlement",
            ),
            (
                "id==urn:vcloud:entity:a:b:c",
                "id",
                "urn:vcloud:entity:a:b:c",
            ),
            ("name==c \\(3\\)", "name", "c (3)"),
            ("name==a\\,b\\;c\\\\d\\*e", "name", "a,b;c\\d*e"),
            ("name==a=b!c", "name", "a=b!c"),
            ("entity.metadata.orgName==x", "entity.metadata.orgName", "x"),
            ("name==", "name", ""),
        ] {
            assert_eq!(
                without_places(read(text).unwrap()),
                equal(key, value),
                "{text}"
            );
        }
    }

    #[test]
    fn errors_say_at_which_character() {
        for (text, at) in [
            ("", 1),
            ("name", 5),
            ("name=a", 5),
            ("name==a;", 9),
            ("(name==a", 1),
            ("name==a)", 8),
            ("näme==a", 1),
            ("name==é(x", 8),
            ("name==a\\", 8),
            ("name==a;nope==b", 9),
            ("name==a,,name==b", 9),
            ("=eq=a", 1),
        ] {
            assert_eq!(place(text), at, "{text}");
        }
    }

    #[test]
    fn hostile_filters_end_soon() {
        let deep = format!("{}name==a{}", "(".repeat(10_000), ")".repeat(10_000));
        assert!(read(&deep).is_err());
        let wide = vec!["name==a"; 5_000].join(",");
        assert!(read(&wide).is_err());
        let stars = format!("name=={}", "*a".repeat(500));
        assert!(read(&stars).is_err());
    }
}
