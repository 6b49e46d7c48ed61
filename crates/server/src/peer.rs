//! Who is at the other end: told to handlers as an extension of the request, and by them as one of
//! the answer.

use http::HeaderMap;
use rustls_pki_types::CertificateDer;
use std::net::{IpAddr, SocketAddr};

/// Where a request comes from: an extension of every request.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The address; that of the last proxy's client, where proxies are trusted.
    pub source: IpAddr,
    /// The client's own certificate, verified when the connection was made.
    pub certificate: Option<CertificateDer<'static>>,
}

/// The id of the user whom a request was answered for: an extension of the answer, for the access
/// log.
#[derive(Clone, Debug)]
pub struct CalledBy(pub String);

/// Where proxies say whom they speak for.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The address that the nearest proxy saw: the last one. Those before it are the client's own
/// words.
pub(crate) fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all(FORWARDED_FOR).iter().next_back()?;
    let last = last.to_str().ok()?.rsplit(',').next()?.trim();
    // Proxies write IPv6 with and without brackets, and some add the port.
    let bare = last.trim_start_matches('[').trim_end_matches(']');
    let whole = bare.parse::<IpAddr>().ok();
    whole.or_else(|| {
        last.parse::<SocketAddr>()
            .ok()
            .map(|with_port| with_port.ip())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn the_last_address_is_the_one_that_the_nearest_proxy_saw() {
        for (said, expected) in [
            (&["10.0.0.1"][..], Some("10.0.0.1")),
            (&["6.6.6.6, 10.0.0.1"], Some("10.0.0.1")),
            (&["6.6.6.6", "10.0.0.1"], Some("10.0.0.1")),
            (&["10.0.0.1:4711"], Some("10.0.0.1")),
            (&["[2001:db8::1]:4711"], Some("2001:db8::1")),
            (&["[2001:db8::1]"], Some("2001:db8::1")),
            (&["2001:db8::1"], Some("2001:db8::1")),
            (&["10.0.0.1, unknown"], None),
            (&[""], None),
            (&[], None),
        ] {
            let mut headers = HeaderMap::new();
            for text in said {
                headers.append(FORWARDED_FOR, HeaderValue::from_static(text));
            }
            let expected = expected.map(|text| text.parse().unwrap());
            assert_eq!(forwarded_for(&headers), expected, "{said:?}");
        }
    }
}
