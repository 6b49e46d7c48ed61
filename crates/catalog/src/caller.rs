//! Who calls, and at which version.

use crate::identity::credentials::Credentials;
use crate::identity::seen::Seen;
use crate::prefetched::PrefetchedResource;
use crate::types::state::TypeState;
use crate::visible_versions::VisibleVersions;
use coeval_access::AccessSubject;
use coeval_core::decide::WantedVersion;
use coeval_core::version::{ClientVersion, Version};
use coeval_records::keys::TypeKey;
use coeval_storage::Token;
use std::sync::Arc;

/// What a caller says about versions, the strongest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WantedVersions {
    /// For this call: exactly this version, or nothing.
    pub exactly: Option<Version>,
    /// For this call: the newest of this major that a typed API describes.
    pub major: Option<Version>,
    /// The newest versions that the client understands, by type or by the type's nss alone.
    pub accept: Vec<(AcceptedType, Version)>,
    /// The client's release, which each type version's `clients` is compared with.
    pub release: Option<semver::Version>,
}

/// A type as a client names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AcceptedType {
    /// `acme:app`
    Full(TypeKey),
    /// `app`
    Nss(String),
}

impl WantedVersions {
    /// Exactly one version.
    #[must_use]
    pub fn exactly(version: Version) -> Self {
        Self {
            exactly: Some(version),
            ..Self::default()
        }
    }

    /// What that means for a type, of which these versions exist for the caller.
    #[must_use]
    pub fn of_type(&self, state: &TypeState, visible: &VisibleVersions) -> WantedVersion {
        // What a call names comes before what its client says of all calls.
        if let Some(version) = self.exactly {
            return WantedVersion::Exactly(version);
        }
        if let Some(version) = self.major {
            return WantedVersion::Major(version);
        }
        let named = self.accept.iter().find(|(of, _)| match of {
            AcceptedType::Full(of) => *of == state.key,
            AcceptedType::Nss(nss) => **nss == *state.key.nss,
        });
        if let Some((_, version)) = named {
            return WantedVersion::AtMost(ClientVersion(*version));
        }
        let Some(release) = &self.release else {
            return WantedVersion::Stored;
        };
        // A release tells something only of versions that say which clients they are for.
        let says = |one: &&coeval_core::types::TypeVersion| one.clients.is_some();
        if !visible.definitions(state).any(|one| says(&one)) {
            return WantedVersion::Stored;
        }
        let understood = visible.definitions(state).filter(|one| {
            let clients = one.clients.as_ref();
            clients.is_none_or(|clients| clients.matches(release))
        });
        match understood.map(|one| one.id.version).max() {
            Some(version) => WantedVersion::AtMost(ClientVersion(version)),
            // Older than every version that says something: nothing can be shown.
            None => WantedVersion::AtMost(ClientVersion(Version::new(0, 0, 0))),
        }
    }
}

/// Who calls, and at which version.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Who, of which organization, with which rights.
    pub subject: Arc<AccessSubject>,
    /// What it wants to see.
    pub wanted: WantedVersions,
    /// It has seen this, and must not be shown less.
    pub at_least: Option<Token>,
    /// How identity was when the caller was found out.
    pub seen: Option<Seen>,
    /// A point at which its rights were not newer than they are here.
    pub known_at: Option<Token>,
    /// The resource that its request is about, if that was read with it.
    pub prefetched: Option<Arc<PrefetchedResource>>,
    /// What it showed to be known.
    pub credentials: Option<Arc<Credentials>>,
}

impl Caller {
    /// Without a word about versions.
    #[must_use]
    pub fn new(subject: Arc<AccessSubject>) -> Self {
        Self {
            subject,
            wanted: WantedVersions::default(),
            at_least: None,
            seen: None,
            known_at: None,
            prefetched: None,
            credentials: None,
        }
    }

    /// The same, wanting exactly this version.
    #[must_use]
    pub fn at(mut self, version: Version) -> Self {
        self.wanted = WantedVersions::exactly(version);
        self
    }

    /// The same, with the resource that was read in the snapshot in which it was authenticated.
    pub fn with_prefetched(mut self, resource: PrefetchedResource) -> Self {
        self.prefetched = Some(Arc::new(resource));
        self
    }

    /// A point from which on a watch meets all that happened since it was read there, and to the
    /// caller's rights.
    pub fn watched_from(&self, read_at: Token) -> Token {
        // The earlier of the two, and only within one history: a restore begins another.
        match self.known_at {
            Some(at) if at.incarnation == read_at.incarnation && at.sequence < read_at.sequence => {
                at
            }
            _ => read_at,
        }
    }

    /// The user's id.
    #[must_use]
    pub fn user(&self) -> &str {
        self.subject.user()
    }

    /// The organization that it acts in.
    #[must_use]
    pub fn org(&self) -> &str {
        self.subject.effective_org()
    }
}
