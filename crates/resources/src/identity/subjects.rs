//! Who a token's user is and what it may do. What was found out once is remembered together with
//! the revision of the identity record, which is read with every token: a change on one server is
//! seen by the next request on all.

use crate::caches::subjects::KnownUser;
use crate::identity::own::Own;
use crate::identity::sessions::SessionRecord;
use crate::resources::Resources;
use coeval_access::AccessSubject;
use coeval_catalog::allow::SYSTEM_ORG;
use coeval_catalog::caller::{Caller, WantedVersions};
use coeval_catalog::identity::content::{OrgContent, UserContent};
use coeval_catalog::identity::credentials::Credentials;
use coeval_catalog::identity::seen::{Seen, identity_key};
use coeval_catalog::identity::session_kind::SessionKind;
use coeval_catalog::identity::token;
use coeval_catalog::kinds::OwnKind;
use coeval_core::version::Uuid;
use coeval_records::attempts::Attempts;
use coeval_records::error::EngineError;
use coeval_records::error::identity::IdentityError;
use coeval_records::keys;
use coeval_storage::{ReadRequest, ReadSnapshot, StoredEntry};
use std::sync::Arc;

/// A session as it was read.
struct ReadSession {
    record: SessionRecord,
    user: Uuid,
    seen: Seen,
}

impl ReadSession {
    /// Refuses one that was ended with all others of its user.
    fn holds(&self, known: &KnownUser) -> Result<(), EngineError> {
        let epoch = match self.record.kind {
            SessionKind::Session => known.session_epoch,
            SessionKind::ApiToken => known.token_epoch,
        };
        if self.record.epoch == epoch {
            Ok(())
        } else {
            Err(invalid())
        }
    }
}

fn invalid() -> EngineError {
    IdentityError::TokenInvalid.into()
}

fn seen_with(own: &Own) -> Seen {
    let entry = own.fetched.extra.keys.first().and_then(Option::as_ref);
    Seen(entry.and_then(|entry: &StoredEntry| entry.stored.revision()))
}

impl Resources {
    /// Who sends this token.
    ///
    /// # Errors
    /// If it is malformed, expired or revoked, or its user is disabled or gone.
    pub async fn authenticate(&self, sent: &str) -> Result<Arc<AccessSubject>, EngineError> {
        Ok(self.authenticated(sent, ReadRequest::default()).await?.1)
    }

    /// Who sends it, and whatever else was asked for in the same snapshot.
    async fn authenticated(
        &self,
        sent: &str,
        request: ReadRequest,
    ) -> Result<(Seen, Arc<AccessSubject>, ReadSnapshot, Credentials), EngineError> {
        let hash = token::hash(sent)?;
        let (session, snapshot) = self.session_with(&hash, request).await?;
        // It may be newer than the snapshot. For one request that is right: rights only get
        // fresher.
        let known = self.known_user_at(session.user, session.seen).await?.1;
        session.holds(&known)?;
        let credentials = Credentials {
            hash,
            user: session.user,
            expires: session.record.expires,
        };
        let subject = Arc::clone(&known.subject);
        Ok((session.seen, subject, snapshot, credentials))
    }

    /// A session, and whatever else was asked for in the same snapshot.
    async fn session_with(
        &self,
        hash: &str,
        mut request: ReadRequest,
    ) -> Result<(ReadSession, ReadSnapshot), EngineError> {
        let asked = request.keys.len();
        // One read for all of it: knowing the caller costs no read of its own.
        request.keys.extend([keys::session(hash)?, identity_key()?]);
        let mut snapshot = self.store.read(request).await?;
        let mut found = snapshot.keys.split_off(asked).into_iter();
        let record = found.next().flatten();
        let record = record.as_ref().and_then(SessionRecord::read);
        let record = record.ok_or_else(invalid)?;
        let identity = found.next().flatten();
        let seen = Seen(identity.and_then(|entry| entry.stored.revision()));
        let user = record.user_id().ok_or_else(invalid)?;
        Ok((ReadSession { record, user, seen }, snapshot))
    }

    /// Whose credentials they are by now, exactly as in the snapshot that comes with it.
    ///
    /// # Errors
    /// If they don't hold any more.
    pub(crate) async fn subject_again(
        &self,
        credentials: &Credentials,
        context: Option<&str>,
        request: &ReadRequest,
    ) -> Result<(Arc<AccessSubject>, ReadSnapshot), EngineError> {
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let hash = &credentials.hash;
            let (session, snapshot) = self.session_with(hash, request.clone()).await?;
            let (at, known) = self.known_user_at(session.user, session.seen).await?;
            session.holds(&known)?;
            // A watcher needs both of one moment, so it reads until they are.
            if at != session.seen {
                continue;
            }
            let subject = match context {
                None => Arc::clone(&known.subject),
                Some(org) => {
                    let acting = AccessSubject::clone(&known.subject).in_context(org);
                    Arc::new(acting.map_err(IdentityError::from)?)
                }
            };
            return Ok((subject, snapshot));
        }
    }

    /// The caller of a request: who sends the token, for which organization, wanting which
    /// versions.
    ///
    /// # Errors
    /// As [`Resources::authenticate`]; or if the user may not act for the organization.
    pub async fn caller(
        &self,
        sent: &str,
        context: Option<&str>,
        wanted: WantedVersions,
    ) -> Result<Caller, EngineError> {
        let nothing = ReadRequest::default();
        Ok(self.caller_and(sent, context, wanted, nothing).await?.0)
    }

    /// The caller, and whatever else was asked for in the same snapshot.
    pub(crate) async fn caller_and(
        &self,
        sent: &str,
        context: Option<&str>,
        wanted: WantedVersions,
        request: ReadRequest,
    ) -> Result<(Caller, ReadSnapshot), EngineError> {
        let (seen, subject, snapshot, credentials) = self.authenticated(sent, request).await?;
        let mut caller = self.acting(seen, subject, context, wanted).await?;
        caller.credentials = Some(Arc::new(credentials));
        caller.known_at = Some(snapshot.token);
        Ok((caller, snapshot))
    }

    /// The caller that a subject is, for an organization.
    pub(crate) async fn acting(
        &self,
        seen: Seen,
        mut subject: Arc<AccessSubject>,
        context: Option<&str>,
        wanted: WantedVersions,
    ) -> Result<Caller, EngineError> {
        if let Some(context) = context {
            let org = match OwnKind::Org.id(context) {
                Some(id) => OwnKind::Org.urn(id),
                // Some clients name it. One that there is not is refused below, as another's is.
                None => match self.own_named(OwnKind::Org, context).await? {
                    Some(own) => OwnKind::Org.urn(own.stored.id),
                    None => context.to_owned(),
                },
            };
            if org != subject.org() {
                let acting = AccessSubject::clone(&subject).in_context(&org);
                let acting = acting.map_err(IdentityError::from)?;
                // After the right to act there: else anybody could find out which organizations
                // exist.
                self.has_org(&org, seen).await?;
                subject = Arc::new(acting);
            }
        }
        let mut caller = Caller::new(subject);
        caller.wanted = wanted;
        caller.seen = Some(seen);
        Ok(caller)
    }

    /// Whether there is that organization, by id.
    async fn has_org(&self, org: &str, seen: Seen) -> Result<(), EngineError> {
        if self.identity.subjects.orgs.get(org) == Some(seen) {
            return Ok(());
        }
        self.org_record(org).await?;
        self.identity.subjects.orgs.insert(org.to_owned(), seen);
        Ok(())
    }

    pub async fn known_user(&self, user: Uuid, seen: Seen) -> Result<Arc<KnownUser>, EngineError> {
        Ok(self.known_user_at(user, seen).await?.1)
    }

    /// As it was then, or is by now; and which of the two.
    async fn known_user_at(
        &self,
        user: Uuid,
        seen: Seen,
    ) -> Result<(Seen, Arc<KnownUser>), EngineError> {
        if let Some((at, known)) = self.identity.subjects.users.get(&user)
            && at == seen
        {
            return Ok((at, known));
        }
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let Some((at, known)) = self.find_out(user).await? else {
                continue;
            };
            let known = Arc::new(known);
            let remembered = (at, Arc::clone(&known));
            // Under the moment that it was read at, which may be newer than the one that was asked
            // for.
            self.identity.subjects.users.insert(user, remembered);
            return Ok((at, known));
        }
    }

    /// `None` if something changed while it was read.
    async fn find_out(&self, user: Uuid) -> Result<Option<(Seen, KnownUser)>, EngineError> {
        let identity = || Ok::<_, EngineError>(vec![identity_key()?]);
        // Three reads, each with the identity record: if it is the same in all, they are one
        // moment.
        let own = self.own_with(OwnKind::User, user, identity()?).await?;
        let own = own.ok_or_else(invalid)?;
        let seen = seen_with(&own);
        let content: UserContent = self.read_own(&own)?;
        let org = OwnKind::Org.id(&content.org).ok_or_else(invalid)?;
        let org = self.own_with(OwnKind::Org, org, identity()?).await?;
        let org = org.ok_or_else(invalid)?;
        let directory = self.directory_at(seen).await?;
        if seen_with(&org) != seen || directory.seen != seen {
            return Ok(None);
        }
        let org: OrgContent = self.read_own(&org)?;
        // As for an unknown token: why one is refused is told to nobody.
        if !content.enabled || !org.enabled {
            return Err(invalid());
        }
        let id = OwnKind::User.urn(user);
        let provider = content.org == SYSTEM_ORG;
        let rights = directory.rights(provider, &content.org, &content.roles);
        let subject = if provider {
            AccessSubject::provider(&id, &content.org, content.roles, rights)
        } else {
            AccessSubject::tenant(&id, &content.org, content.roles, rights)
        };
        let known = KnownUser {
            subject: Arc::new(subject),
            session_epoch: content.session_epoch,
            token_epoch: content.token_epoch,
        };
        Ok(Some((seen, known)))
    }
}
