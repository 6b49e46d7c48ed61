//! Where a browser's request comes from. Browsers say it, pages can't change it; other programs say
//! nothing, and need no protection: nothing is sent along with their requests that they did not
//! choose.

use crate::error::WebError;
use http::request::Parts;
use http::{HeaderMap, Method, header};

/// Set by browsers.
const SITE: &str = "sec-fetch-site";

/// Whether a request may change something.
pub(crate) const fn is_unsafe(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Refuses what a page of another site made a browser send.
pub(crate) fn check(parts: &Parts, public_url: &str) -> Result<(), WebError> {
    // HTTP/2 has the host in the URI, HTTP/1.1 in a header.
    let host = parts.uri.authority().map(http::uri::Authority::as_str);
    let host = host.or_else(|| parts.headers.get(header::HOST)?.to_str().ok());
    if is_own(&parts.headers, host, public_url) {
        Ok(())
    } else {
        Err(WebError::OriginForeign)
    }
}

fn is_own(headers: &HeaderMap, host: Option<&str>, public_url: &str) -> bool {
    let sites = headers.get_all(SITE).iter();
    // `same-site` is refused too: a neighbouring host is not this one.
    if !sites
        .into_iter()
        .all(|site| matches!(site.as_bytes(), b"same-origin" | b"none"))
    {
        return false;
    }
    // The page was served by whoever is asked now, under the name that is asked now or the public
    // one.
    let ours = |origin: &str| {
        // An origin has no path: what follows `://` is its authority.
        let authority = origin.split_once("://").map(|(_, authority)| authority);
        origin == origin_of(public_url) || (authority.is_some() && authority == host)
    };
    let mut origins = headers.get_all(header::ORIGIN).iter();
    // True where there is none: programs send no origin.
    origins.all(|origin| origin.to_str().is_ok_and(ours))
}

/// `https://host:port` of a URL.
fn origin_of(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url.get(start..).and_then(|rest| rest.find('/'));
    url.get(..end.map_or(url.len(), |end| start + end))
        .unwrap_or(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn only_what_a_browser_says_of_another_site_is_refused() {
        let own = |pairs: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(*name, HeaderValue::from_static(value));
            }
            is_own(&headers, Some("10.0.0.1:8080"), "https://coeval.example/a")
        };
        for pairs in [
            &[][..],
            &[("origin", "https://coeval.example")],
            &[("origin", "http://10.0.0.1:8080")],
            &[("sec-fetch-site", "same-origin")],
            &[("sec-fetch-site", "none")],
        ] {
            assert!(own(pairs), "{pairs:?}");
        }
        for pairs in [
            &[("origin", "https://evil.example")][..],
            &[("origin", "https://coeval.example.evil.example")],
            &[("origin", "https://coeval.example:8443")],
            &[("origin", "http://coeval.example")],
            &[("origin", "null")],
            &[("origin", "10.0.0.1:8080")],
            &[("origin", "")],
            &[("sec-fetch-site", "cross-site")],
            &[("sec-fetch-site", "same-site")],
            &[
                ("origin", "https://coeval.example"),
                ("origin", "https://evil.example"),
            ],
            &[
                ("origin", "https://coeval.example"),
                ("sec-fetch-site", "cross-site"),
            ],
        ] {
            assert!(!own(pairs), "{pairs:?}");
        }
    }

    #[test]
    fn the_origin_of_a_url_ends_before_its_path() {
        for (url, origin) in [
            ("https://a.b/c/d", "https://a.b"),
            ("http://a:1", "http://a:1"),
            ("", ""),
        ] {
            assert_eq!(origin_of(url), origin);
        }
    }
}
