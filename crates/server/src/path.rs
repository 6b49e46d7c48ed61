//! Paths that mean one thing to a proxy and another to the server are refused before anything is
//! looked up: empty parts, dots, encoded slashes, control characters, what is not UTF-8.

use coeval_codes::Coded;
use http::StatusCode;

/// The longest path that is read.
const LONGEST: usize = 4096;

/// Why a path is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[code(
    PATH_INVALID,
    advice = "Send the path in its plain form: parts between single slashes, without dots alone."
)]
pub(crate) enum PathError {
    #[error("the path does not begin with a slash")]
    NotRooted,
    #[error("the path has more than {LONGEST} bytes")]
    TooLong,
    #[error("the path has an empty part")]
    EmptyPart,
    #[error("the path has a part that is only dots")]
    Dots,
    #[error("a % in the path is not followed by two hexadecimal digits")]
    BadPercent,
    #[error("the path has an encoded slash")]
    EncodedSlash,
    #[error("the path has a control character")]
    Control,
    #[error("the path is not UTF-8")]
    NotUtf8,
}

impl PathError {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::TooLong => StatusCode::URI_TOO_LONG,
            _ => StatusCode::BAD_REQUEST,
        }
    }
}

/// Whether every reader takes the path for the same.
pub(crate) fn check(path: &str) -> Result<(), PathError> {
    if path.len() > LONGEST {
        return Err(PathError::TooLong);
    }
    let Some(inside) = path.strip_prefix('/') else {
        return Err(PathError::NotRooted);
    };
    // A slash at the end is no empty part.
    let inside = inside.strip_suffix('/').unwrap_or(inside);
    if inside.is_empty() {
        return match path {
            "/" => Ok(()),
            _ => Err(PathError::EmptyPart),
        };
    }
    inside.split('/').try_for_each(part)
}

fn part(text: &str) -> Result<(), PathError> {
    if text.is_empty() {
        return Err(PathError::EmptyPart);
    }
    // Checked after decoding: `%2e%2e` is two dots to whoever decodes later.
    let bytes = decoded(text)?;
    if bytes.contains(&b'/') {
        return Err(PathError::EncodedSlash);
    }
    let plain = std::str::from_utf8(&bytes).map_err(|_| PathError::NotUtf8)?;
    if plain.chars().any(char::is_control) {
        return Err(PathError::Control);
    }
    if plain == "." || plain == ".." {
        return Err(PathError::Dots);
    }
    Ok(())
}

fn decoded(text: &str) -> Result<Vec<u8>, PathError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        match (digit(rest.next()), digit(rest.next())) {
            (Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
            }
            _ => return Err(PathError::BadPercent),
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_path_is_read_with_and_without_a_slash_at_its_end() {
        for path in [
            "/",
            "/a",
            "/a/",
            "/cloudapi/1.0.0/entities/urn:vcloud:entity:a:b:c",
            "/a/urn%3Avcloud",
            "/a/..b/...",
            "/a/%C3%A9",
        ] {
            assert_eq!(check(path), Ok(()), "{path}");
        }
    }

    #[test]
    fn a_path_with_two_readings_is_refused_with_what_is_wrong() {
        let long = format!("/{}", "x".repeat(LONGEST));
        for (path, wrong) in [
            ("", PathError::NotRooted),
            ("*", PathError::NotRooted),
            ("//", PathError::EmptyPart),
            ("//a", PathError::EmptyPart),
            ("/a//b", PathError::EmptyPart),
            ("/a//", PathError::EmptyPart),
            ("/a/./b", PathError::Dots),
            ("/a/../b", PathError::Dots),
            ("/a/..", PathError::Dots),
            ("/a/%2e%2E/b", PathError::Dots),
            ("/a%2fb", PathError::EncodedSlash),
            ("/a%2Fb", PathError::EncodedSlash),
            ("/a%00", PathError::Control),
            ("/a%0d%0ab", PathError::Control),
            ("/a%", PathError::BadPercent),
            ("/a%4", PathError::BadPercent),
            ("/a%zz", PathError::BadPercent),
            ("/a%ff", PathError::NotUtf8),
            ("/%c0%af", PathError::NotUtf8),
            (&long, PathError::TooLong),
        ] {
            assert_eq!(check(path), Err(wrong), "{path}");
        }
    }
}
