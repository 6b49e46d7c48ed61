//! The user that a client's certificate names: `CN=<user>, O=<organization>`.
//!
//! The listener has verified who signed it; here it is read, and looked at once more for its time:
//! a connection can outlive the certificate that it was made with.

use coeval_codes::Coded;
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer;
use x509_parser::x509::AttributeTypeAndValue;

/// A user as a certificate names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateUser {
    /// The common name.
    pub user: String,
    /// The organization; none is the provider's own.
    pub org: Option<String>,
}

/// A certificate that names nobody here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[error("the client's certificate is not accepted: {reason}")]
#[code(
    CERTIFICATE_REFUSED,
    advice = "Use a certificate with the subject CN=<user>, O=<organization>, or send a token."
)]
pub struct CertificateError {
    reason: String,
}

impl CertificateError {
    fn new(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { reason }
    }

    /// There is no such user, or it may not log in: which of the two is not told.
    #[must_use]
    pub fn unknown_user() -> Self {
        Self::new("it names no user of this server")
    }
}

impl CertificateUser {
    /// Reads a certificate, DER.
    ///
    /// # Errors
    /// If it can't be read, its time is over, or its subject does not have one common name and at
    /// most one organization.
    pub fn of(der: &[u8]) -> Result<Self, CertificateError> {
        let Ok((_, certificate)) = X509Certificate::from_der(der) else {
            return Err(CertificateError::new("it can't be read"));
        };
        // Again, though the handshake has checked it: the connection may outlive it.
        if !certificate.validity().is_valid() {
            return Err(CertificateError::new("its time is over"));
        }
        let subject = certificate.subject();
        let user = one("common name", subject.iter_common_name())?;
        let user = user.ok_or_else(|| CertificateError::new("its subject has no common name"))?;
        let org = one("organization", subject.iter_organization())?;
        Ok(Self { user, org })
    }
}

fn one<'a>(
    what: &str,
    mut all: impl Iterator<Item = &'a AttributeTypeAndValue<'a>>,
) -> Result<Option<String>, CertificateError> {
    let Some(first) = all.next() else {
        return Ok(None);
    };
    // Which of two would count is a matter of taste, and the other reader lets in somebody else.
    if all.next().is_some() {
        return Err(CertificateError::new(format!(
            "its subject has more than one {what}"
        )));
    }
    match first.as_str() {
        Ok(text) if !text.is_empty() => Ok(Some(text.to_owned())),
        _ => Err(CertificateError::new(format!(
            "the {what} in its subject is no text"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair, date_time_ymd};

    fn certificate(subject: &[(DnType, &str)], ends: i32) -> Vec<u8> {
        let mut name = DistinguishedName::new();
        for (kind, value) in subject {
            name.push(kind.clone(), *value);
        }
        let mut params = CertificateParams::default();
        params.distinguished_name = name;
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(ends, 1, 1);
        let key = KeyPair::generate().unwrap();
        params.self_signed(&key).unwrap().der().to_vec()
    }

    #[test]
    fn the_subject_names_a_user_and_its_organization() {
        use DnType::{CommonName, OrganizationName};
        let named = |user: &str, org: Option<&str>| CertificateUser {
            user: user.to_owned(),
            org: org.map(str::to_owned),
        };
        let both = certificate(&[(CommonName, "alice"), (OrganizationName, "acme")], 4000);
        assert_eq!(CertificateUser::of(&both), Ok(named("alice", Some("acme"))));
        let alone = certificate(&[(CommonName, "administrator")], 4000);
        assert_eq!(
            CertificateUser::of(&alone),
            Ok(named("administrator", None))
        );
    }

    #[test]
    fn a_certificate_that_names_nobody_or_is_over_is_refused() {
        let nobody = certificate(&[(DnType::OrganizationName, "acme")], 4000);
        let empty = certificate(&[(DnType::CommonName, "")], 4000);
        let over = certificate(&[(DnType::CommonName, "alice")], 2021);
        for der in [&nobody[..], &empty, &over, b"", b"junk", &over[..40]] {
            assert!(CertificateUser::of(der).is_err());
        }
    }
}
