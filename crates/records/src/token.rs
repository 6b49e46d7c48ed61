//! Page tokens: where a listing goes on, opaque to clients, good only for the same caller, filter and order.
//!
//! A position holds keys of stored values, so it is sealed and not only signed: a client can neither read one
//! nor make one up. Any server of the store goes on with any token, as long as the key that sealed it is kept.
//! A token is bound to its listing: with another filter it is refused, rather than going on at a place that
//! means something else there.

use crate::seal::context::{Context, Purpose};
use crate::seal::error::SealError;
use crate::seal::keyring::Keyring;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use coeval_codes::Coded;

/// The longest token that is read; what is written is never longer.
pub const LONGEST: usize = 4 * 1024;

/// How the payload is written. A release reads those of the release before.
const LAYOUT: u8 = 1;

/// The listing that a token belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Listing<'l> {
    /// Who asks.
    pub caller: &'l str,
    /// What is listed, and at which version.
    pub of: &'l str,
    /// The filter's fingerprint.
    pub filter: &'l str,
    /// The order's fingerprint.
    pub order: &'l str,
}

/// A token that is not given or not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum TokenError {
    /// Too long, not base64, or of no known layout.
    #[error("the page token can't be read")]
    #[code(
        PAGE_TOKEN_INVALID,
        advice = "Send the token as it was given, or start again from the first page."
    )]
    Unreadable,
    /// Of another caller, filter or order, altered, or sealed with a key that is gone.
    #[error("the page token was not given for this listing")]
    #[code(
        PAGE_TOKEN_OTHER,
        advice = "Start again from the first page, and keep filter and order while you page."
    )]
    OtherListing,
    /// The position does not fit into a token.
    #[error("the position in the listing needs {bytes} bytes, more than a page token has")]
    #[code(PAGE_TOKEN_INVALID, advice = "Order by shorter fields.")]
    TooLong {
        /// How many.
        bytes: usize,
    },
    /// No token can be made.
    #[error(transparent)]
    #[code(transparent)]
    NotSealed(SealError),
}

/// A token for going on at `position`: safe in URLs and headers.
///
/// # Errors
///
/// If the position is too long, or nothing can be sealed.
pub fn give(keys: &Keyring, listing: &Listing<'_>, position: &[u8]) -> Result<String, TokenError> {
    let sealed = in_context(listing, |context| keys.seal(context, position));
    let mut bytes = vec![LAYOUT];
    bytes.extend(sealed.map_err(TokenError::NotSealed)?);
    let token = URL_SAFE_NO_PAD.encode(bytes);
    if token.len() > LONGEST {
        Err(TokenError::TooLong {
            bytes: position.len(),
        })
    } else {
        Ok(token)
    }
}

/// The position in a token that was given for this listing.
///
/// # Errors
///
/// If it is no token, or one of another listing.
pub fn accept(keys: &Keyring, listing: &Listing<'_>, token: &str) -> Result<Vec<u8>, TokenError> {
    // Before anything is decoded: the text comes from outside.
    if token.len() > LONGEST {
        return Err(TokenError::Unreadable);
    }
    let bytes = URL_SAFE_NO_PAD.decode(token);
    let bytes = bytes.map_err(|_| TokenError::Unreadable)?;
    let Some((&LAYOUT, sealed)) = bytes.split_first() else {
        return Err(TokenError::Unreadable);
    };
    let opened = in_context(listing, |context| keys.open(context, sealed));
    opened.map_err(|error| match error {
        SealError::Malformed => TokenError::Unreadable,
        // With a key that is gone, too: either way the client begins again at the first page.
        _ => TokenError::OtherListing,
    })
}

fn in_context<T>(listing: &Listing<'_>, work: impl FnOnce(&Context<'_>) -> T) -> T {
    // It stands in front of the sealed bytes, unsealed; so it is bound like the rest.
    let layout = [LAYOUT];
    let parts = [
        layout.as_slice(),
        listing.caller.as_bytes(),
        listing.of.as_bytes(),
        listing.filter.as_bytes(),
        listing.order.as_bytes(),
    ];
    work(&Context::new(Purpose::PageToken, &parts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::keyring::KeyId;

    fn keys() -> Keyring {
        let id = KeyId::new("k1").unwrap();
        Keyring::parse(&Keyring::generate_line(&id).unwrap()).unwrap()
    }

    const LISTING: Listing<'static> = Listing {
        caller: "ada",
        of: "acme:app:1.1.0",
        filter: "name==a*",
        order: "name",
    };

    #[test]
    fn a_token_leads_back_to_its_position_and_is_safe_in_a_url() {
        let keys = keys();
        for position in [&b""[..], b"x", &[0xff; 300]] {
            let token = give(&keys, &LISTING, position).unwrap();
            let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            assert!(token.chars().all(safe), "{token}");
            assert_eq!(accept(&keys, &LISTING, &token).unwrap(), position);
        }
    }

    #[test]
    fn a_token_of_another_caller_type_filter_or_order_is_told_to_start_again() {
        let keys = keys();
        let token = give(&keys, &LISTING, b"here").unwrap();
        for other in [
            Listing {
                caller: "bob",
                ..LISTING
            },
            Listing {
                of: "acme:app:1.0.0",
                ..LISTING
            },
            Listing {
                filter: "",
                ..LISTING
            },
            Listing {
                order: "-name",
                ..LISTING
            },
            // The same letters with the border elsewhere.
            Listing {
                filter: "name==a*n",
                order: "ame",
                ..LISTING
            },
        ] {
            let error = accept(&keys, &other, &token).unwrap_err();
            assert_eq!(error, TokenError::OtherListing);
            assert_eq!(error.code(), coeval_codes::PAGE_TOKEN_OTHER);
            assert!(error.advice().contains("Start again from the first page"));
        }
    }

    #[test]
    fn whatever_is_no_token_is_refused_without_reading_it_far() {
        let keys = keys();
        let token = give(&keys, &LISTING, b"here").unwrap();
        let next_layout = URL_SAFE_NO_PAD.encode([LAYOUT + 1, 0, 0]);
        let long = "A".repeat(LONGEST + 1);
        for wrong in [
            "",
            "A",
            "AQ",
            "not base64!",
            &token[..8],
            &next_layout,
            &long,
            &format!("{token}="),
        ] {
            assert_eq!(
                accept(&keys, &LISTING, wrong),
                Err(TokenError::Unreadable),
                "{wrong}"
            );
        }
    }

    #[test]
    fn no_character_of_a_token_can_be_changed() {
        let keys = keys();
        let token = give(&keys, &LISTING, b"here").unwrap();
        for at in 0..token.len() {
            let mut altered = token.clone().into_bytes();
            altered[at] = if altered[at] == b'A' { b'B' } else { b'A' };
            let altered = String::from_utf8(altered).unwrap();
            assert!(accept(&keys, &LISTING, &altered).is_err(), "{at}");
        }
    }

    #[test]
    fn what_is_given_can_be_accepted_or_is_refused_when_given() {
        let keys = keys();
        for length in [3_000, 3_030, 3_040, 3_050, 4_096] {
            match give(&keys, &LISTING, &vec![7; length]) {
                Ok(token) => assert!(accept(&keys, &LISTING, &token).is_ok()),
                Err(error) => assert_eq!(error, TokenError::TooLong { bytes: length }),
            }
        }
        assert!(give(&keys, &LISTING, &[7; 3_000]).is_ok());
        assert!(give(&keys, &LISTING, &[7; 4_096]).is_err());
    }
}
