//! How a watcher looks at resources: who it is, and the type as it was when that was found out.

use crate::resources::Resources;
use coeval_access::{
    AccessDecision, AccessLevel, AccessSubject, Acl, AclFacts, AclMember, Grant, ResourceAction,
    ResourceFacts, VersionFacts, decide,
};
use coeval_catalog::allow::{home, resource_facts, type_name};
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::{VisibleVersions, WantedView};
use coeval_core::phases::RecordHome;
use coeval_core::version::Version;
use coeval_records::attempts::Attempts;
use coeval_records::error::EngineError;
use coeval_records::keys::TypeKey;
use coeval_records::stored::Stored;
use coeval_storage::{ReadRequest, Token};
use std::sync::Arc;

/// Who watches, and what it watches, both exactly as they were at a sequence.
#[derive(Clone, Debug)]
pub(crate) struct Eye {
    pub subject: Arc<AccessSubject>,
    pub state: Arc<TypeState>,
    pub wanted: WantedView,
    pub token: Token,
}

/// What decides, beside its ACL, who may see a resource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About<'a> {
    pub org: &'a str,
    pub owner: Option<&'a str>,
    pub version: Version,
    /// Whether it takes part in the migration of its type.
    pub home: RecordHome,
}

impl<'a> About<'a> {
    pub(crate) fn of(stored: &'a Stored) -> Self {
        Self {
            org: &stored.header.org,
            owner: Some(&stored.header.owner),
            version: stored.header.version,
            home: stored.home(),
        }
    }
}

/// Whether somebody may see a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sees {
    /// With this level.
    Yes(AccessLevel),
    No,
    /// Its ACL decides.
    AskAcl,
}

impl Sees {
    pub(crate) const fn level(self) -> Option<AccessLevel> {
        match self {
            Self::Yes(level) => Some(level),
            Self::No | Self::AskAcl => None,
        }
    }
}

impl Eye {
    pub(crate) fn sees(&self, about: &About<'_>, acl: Option<&Acl>) -> Sees {
        let version = resource_facts(&self.state, about.version, about.home, &self.subject);
        self.sees_at(about, version, acl)
    }

    fn sees_at(&self, about: &About<'_>, version: VersionFacts, acl: Option<&Acl>) -> Sees {
        let Ok(of) = type_name(&self.state.key) else {
            return Sees::No;
        };
        let facts = ResourceFacts {
            of,
            version,
            home: home(about.org),
            owner: about.owner,
            acl: acl.map_or(AclFacts::NotLoaded, AclFacts::Loaded),
        };
        match decide(ResourceAction::Read, &self.subject, &facts) {
            AccessDecision::Allowed(allowed) => Sees::Yes(allowed.level),
            AccessDecision::Denied(_) => Sees::No,
            AccessDecision::NeedsAcl => Sees::AskAcl,
        }
    }

    /// Whether the two see the same of every resource that both know the version of.
    pub(crate) fn sees_as(&self, other: &Self) -> bool {
        // ACLs may name roles, which the table below does not try.
        if self.subject.roles() != other.subject.roles() {
            return false;
        }
        // At the time of the one that lacks a version there were no resources at it.
        let versions = self.state.definitions.keys();
        let mut shared = versions.filter(|one| other.state.definitions.contains_key(one));
        // A migration that begins or ends changes what takes part, and so what is seen of it.
        let homes = [RecordHome::Paired, RecordHome::Alone];
        shared.all(|version| {
            homes.into_iter().all(|home| {
                let own = resource_facts(&self.state, *version, home, &self.subject);
                let others = resource_facts(&other.state, *version, home, &other.subject);
                self.table(own) == other.table(others)
            })
        })
    }

    /// Whether a resource that takes part in a migration is seen otherwise because its source of
    /// truth is of another major now.
    pub(crate) fn truth_changed_for(&self, other: &Self) -> bool {
        let truth = |eye: &Self| match eye.state.reading() {
            Ok(Some(part)) => Some(part.majors().0),
            Ok(None) | Err(_) => None,
        };
        let (Some(before), Some(now)) = (truth(self), truth(other)) else {
            return false;
        };
        let tables = |major| {
            let versions = other.state.definitions.keys();
            let versions = versions.filter(move |version| version.major == major);
            versions.map(|version| {
                let home = RecordHome::Paired;
                let facts = resource_facts(&other.state, *version, home, &other.subject);
                other.table(facts)
            })
        };
        // By the rules of now, for all versions of both majors: if they are alike, it makes no
        // difference which of the two records is judged.
        let mut all = tables(before).chain(tables(now));
        let first = all.next();
        before != now && all.any(|table| Some(&table) != first.as_ref())
    }

    /// Whether what a type version's ACL grants makes a difference to the watcher.
    pub(crate) fn depends_on_type_acls(&self) -> bool {
        self.state.definitions.values().any(|definition| {
            let facts = |level| VersionFacts {
                max_implicit: definition.meta.max_implicit_right,
                ..VersionFacts::new(definition.version, level)
            };
            // Tried with every level that the ACL could grant; what never differs does not depend
            // on it.
            let without = self.table(facts(None));
            AccessLevel::ALL
                .into_iter()
                .any(|level| self.table(facts(Some(level))) != without)
        })
    }

    /// What is seen of resources at a version: own ones and others', here and at the provider's,
    /// with each grant.
    fn table(&self, version: VersionFacts) -> Vec<Sees> {
        let user = self.subject.user();
        let member = AclMember::User(user.to_owned());
        let grant = |level| Grant {
            member: member.clone(),
            level,
        };
        // Few facts decide, so all of them are tried, rather than rights compared one by one.
        let mut acls = vec![Acl::default()];
        acls.extend(AccessLevel::ALL.map(|level| Acl::from(vec![grant(level)])));
        let mut table = Vec::new();
        for org in [
            self.subject.effective_org(),
            coeval_catalog::allow::SYSTEM_ORG,
        ] {
            for owner in [None, Some(user)] {
                let about = About {
                    org,
                    owner,
                    version: version.version,
                    home: RecordHome::Alone,
                };
                let seen = acls.iter();
                table.extend(seen.map(|acl| self.sees_at(&about, version, Some(acl))));
            }
        }
        table
    }
}

impl Resources {
    /// Who a caller is by now, and the type as it is now, both in one snapshot.
    pub(crate) async fn eye(&self, caller: &Caller, of: &TypeKey) -> Result<Eye, EngineError> {
        let mut state = self.types.get(of).await?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let request = ReadRequest {
                at_least: caller.at_least,
                ..ReadRequest::keys([state.phase_key.clone()])
            };
            let (subject, snapshot) = match &caller.credentials {
                None => (Arc::clone(&caller.subject), self.store.read(request).await?),
                Some(credentials) => {
                    let context = caller.subject.context();
                    self.subject_again(credentials, context, &request).await?
                }
            };
            let phase = snapshot.keys.into_iter().next().flatten();
            // The phase record says which definitions hold: rights and type are of the same moment.
            if phase.and_then(|entry| entry.stored.revision()) == Some(state.phase_revision) {
                state.reading()?;
                let visible = VisibleVersions::of(&state, &subject);
                return Ok(Eye {
                    subject,
                    wanted: WantedView {
                        wanted: caller.wanted.of_type(&state, &visible),
                        visible,
                    },
                    state,
                    token: snapshot.token,
                });
            }
            state = self.types.load(of).await?;
        }
    }
}
