//! The cookie of a browser's session, and the token that protects it against requests that other
//! sites make a browser send.
//!
//! The token is made from the session's secret alone, so there is no state for it: whoever holds
//! the secret can make it again, and nobody else can.
//!
//! The cookie alone opens reads. A change needs the token as well, which only pages of this
//! origin can read from an answer; and before both the origin itself is checked, as far as the
//! browser tells it.

use http::{HeaderMap, header};
use ring::hmac::{HMAC_SHA256, Key, sign, verify};
use std::fmt::Write as _;

/// The header that the token comes back in.
pub(crate) const CSRF: &str = "coeval-csrf";

/// What the token is made over, so that the secret serves this purpose in no other place.
const PURPOSE: &[u8] = b"coeval webapi csrf 1";

/// What the cookie is called. With the prefix browsers take it only over https, for this host and
/// from this host.
const fn name(secure: bool) -> &'static str {
    if secure {
        "__Host-coeval-session"
    } else {
        "coeval-session"
    }
}

/// The session's secret, if the request has the cookie. Two that differ are none: one of them is
/// not ours.
pub(crate) fn session(headers: &HeaderMap, secure: bool) -> Option<String> {
    let name = name(secure);
    // HTTP/2 allows a browser to split its cookies over several headers.
    let texts = headers.get_all(header::COOKIE).iter();
    let texts = texts.filter_map(|value| value.to_str().ok());
    let pairs = texts.flat_map(|text| text.split(';'));
    let mut found = None;
    for pair in pairs {
        // Other cookies of the host may be of any form.
        let Some((key, value)) = pair.trim().split_once('=') else {
            continue;
        };
        if key != name {
            continue;
        }
        // A page of a neighbouring host can plant a cookie of this name. Which one is ours nobody can tell.
        match found {
            Some(other) if other != value => return None,
            _ => found = Some(value),
        }
    }
    found.filter(|value| !value.is_empty()).map(str::to_owned)
}

/// The cookie as it is set, for so many seconds.
pub(crate) fn set(secret: &str, seconds: u64, secure: bool) -> String {
    let end = if secure { "; Secure" } else { "" };
    let name = name(secure);
    // `Strict` keeps it off requests that other sites start; the token is for where that fails.
    format!("{name}={secret}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{end}")
}

/// The cookie as it is taken away.
pub(crate) fn clear(secure: bool) -> String {
    // With the same name and path: else the browser would keep the old one beside it.
    set("", 0, secure)
}

fn key(secret: &str) -> Key {
    Key::new(HMAC_SHA256, secret.as_bytes())
}

/// The token of a session.
pub(crate) fn csrf(secret: &str) -> String {
    let tag = sign(&key(secret), PURPOSE);
    tag.as_ref().iter().fold(String::new(), |mut text, byte| {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Whether it is the token of a session; it takes as long whatever is wrong.
pub(crate) fn is_csrf(secret: &str, sent: &str) -> bool {
    // As bytes: pairs cut from a text could split a character.
    let digits: Vec<u8> = sent.bytes().collect();
    let bytes = digits.chunks(2).map(|pair| {
        let text = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(text, 16).ok()
    });
    let bytes: Option<Vec<u8>> = bytes.collect();
    let Some(bytes) = bytes.filter(|_| sent.len() == 64) else {
        return false;
    };
    // Ring compares in constant time.
    verify(&key(secret), PURPOSE, &bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn headers(cookies: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for cookie in cookies {
            headers.append(header::COOKIE, HeaderValue::from_str(cookie).unwrap());
        }
        headers
    }

    #[test]
    fn the_cookie_is_found_among_others_in_one_header_or_several() {
        for cookies in [
            &["coeval-session=S"][..],
            &["a=b; coeval-session=S; c"],
            &["a=b", "coeval-session=S"],
            &["coeval-session=S", "coeval-session=S"],
        ] {
            let found = session(&headers(cookies), false);
            assert_eq!(found.as_deref(), Some("S"), "{cookies:?}");
        }
        for cookies in [
            &["coeval-session="][..],
            &["xcoeval-session=S"],
            &["coeval-session=S; coeval-session=T"],
            &[],
        ] {
            assert_eq!(session(&headers(cookies), false), None, "{cookies:?}");
        }
    }

    #[test]
    fn over_https_the_cookie_has_another_name_and_the_old_one_is_not_read() {
        let both = headers(&["coeval-session=S; __Host-coeval-session=T"]);
        assert_eq!(session(&both, true).as_deref(), Some("T"));
        assert_eq!(session(&both, false).as_deref(), Some("S"));
        let cookie = set("T", 60, true);
        assert!(cookie.starts_with("__Host-coeval-session=T; Path=/;"));
        assert!(cookie.ends_with("; Secure") && cookie.contains("HttpOnly; SameSite=Strict"));
        assert!(!set("T", 60, false).contains("Secure"));
        assert!(clear(false).contains("Max-Age=0"));
    }

    #[test]
    fn a_token_is_of_one_session_and_nothing_else_is_one() {
        let token = csrf("cvs_a");
        assert!(is_csrf("cvs_a", &token));
        assert!(!is_csrf("cvs_b", &token));
        assert_ne!(token, csrf("cvs_b"));
        for bad in ["", "00", "é", &token[1..], &format!("{token}00"), "cvs_a"] {
            assert!(!is_csrf("cvs_a", bad), "{bad:?}");
        }
    }
}
