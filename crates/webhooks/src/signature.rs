//! The signature, in the documented form: an HMAC-SHA512 over host, date, target and digest.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::{digest, hmac};

/// The digest of a body, as its header has it.
pub(crate) fn digest_of(body: &[u8]) -> String {
    let digest = digest::digest(&digest::SHA512, body);
    format!("SHA-512={}", STANDARD.encode(digest))
}

/// What is signed. The host is without its port, the path without its query.
#[must_use]
pub fn signed_text(host: &str, date: &str, path: &str, digest: &str) -> String {
    format!("host: {host}\ndate: {date}\n(request-target): post {path}\ndigest: {digest}")
}

/// The signature of a text by a key.
#[must_use]
pub fn sign(key: &str, text: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA512, key.as_bytes());
    STANDARD.encode(hmac::sign(&key, text.as_bytes()))
}

/// The header's value.
pub(crate) fn header(signature: &str) -> String {
    format!(
        "algorithm=\"hmac-sha512\",headers=\"host date (request-target) digest\",signature=\"{signature}\""
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, case 2, in base64.
    #[test]
    fn a_signature_is_the_standard_hmac() {
        let signed = sign("Jefe", "what do ya want for nothing?");
        let hex: String = STANDARD
            .decode(signed)
            .unwrap()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert!(hex.starts_with("164b7a7bfcf819e2e395fbe73b56e0a3"), "{hex}");
        assert_eq!(hex.len(), 128);
    }
}
