//! URLs that flags take.

use axum::http::Uri;

/// One with a scheme, a host and perhaps a port and a path, without the slash at its end. It has no
/// user, no query and no fragment.
pub(crate) fn place(text: &str, example: &str) -> Result<(Uri, String), String> {
    let bad = || format!("use a URL such as {example}");
    let uri: Uri = text.parse().map_err(|_| bad())?;
    let (Some("http" | "https"), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Err(bad());
    };
    if text.contains(['?', '#']) {
        return Err("it must not have a query or a fragment".to_owned());
    }
    if authority.as_str().contains('@') || authority.host().is_empty() {
        return Err("it must have a host and no user".to_owned());
    }
    // The parser takes any word for a port.
    if authority.as_str() != authority.host() && authority.port_u16().is_none() {
        return Err("its port must be a number up to 65535".to_owned());
    }
    let kept = text.trim_end_matches('/').to_owned();
    Ok((uri, kept))
}
