//! Sessions and API tokens. A session begins with a login and ends by itself; a token is made for a
//! program, has a name, and lasts until it is revoked or a time that was said.
//!
//! Each is a record under the hash of its secret, so the store never has what opens it, and a mark
//! under its user, by which they are found. There are three ways in which one ends:
//!
//! - It expires; the sweep removes the record and the mark, each by itself.
//! - Its record is deleted, by a logout or because somebody revokes it. Open watches see that in the
//!   feed and end.
//! - Its user's epoch is raised, which ends all that hold an older one with a single write, however
//!   many there are. A new password does so with sessions, and revoking all with tokens too.
//!
//! Which of them came first never matters: whatever is left over of one is swept away later.

use crate::identity::orgs::hidden;
use crate::resources::Resources;
use coeval_access::GeneralRight;
use coeval_catalog::caller::Caller;
use coeval_catalog::identity::content::UserContent;
use coeval_catalog::identity::session_kind::SessionKind;
use coeval_catalog::identity::token::{self, TokenSecret};
use coeval_catalog::kinds::OwnKind;
use coeval_core::version::Uuid;
use coeval_records::attempts::unless_raced;
use coeval_records::audit::{self, Deed, What};
use coeval_records::error::EngineError;
use coeval_records::error::identity::IdentityError;
use coeval_records::header::Time;
use coeval_records::keys;
use coeval_storage::{
    AtomicWrite, ReadRange, ReadRequest, RecordContent, RecordPut, StoredEntry, UnixMillis,
    WriteAction, WriteCondition, WriteStep,
};
use serde::{Deserialize, Serialize};

/// A session or token as it is stored, under the hash of its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    pub kind: SessionKind,
    /// The user's id.
    pub user: String,
    /// It is over if the user's is another by now.
    pub epoch: u64,
    pub created: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Of a token that was announced before its secret was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// Its secret was not asked for yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub announced: bool,
    /// Of a session that began with a token: the token's id. It ends with the token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_token: Option<String>,
}

impl SessionRecord {
    pub fn read(entry: &StoredEntry) -> Option<Self> {
        serde_json::from_slice(&entry.stored.record()?.content.body).ok()
    }

    pub(crate) fn user_id(&self) -> Option<Uuid> {
        OwnKind::User.id(&self.user)
    }

    /// Whether the user's sessions or tokens were ended since it was made.
    pub(crate) fn is_over(&self, user: &UserContent) -> bool {
        self.epoch
            != match self.kind {
                SessionKind::Session => user.session_epoch,
                SessionKind::ApiToken => user.token_epoch,
            }
    }
}

/// A session or token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// To revoke it by.
    pub id: String,
    /// Which of the two.
    pub kind: SessionKind,
    /// The user's id.
    pub user: String,
    /// Of a token.
    pub name: Option<String>,
    /// When it was made.
    pub created: Time,
    /// When it ends; nothing: when it is revoked.
    pub expires: Option<Time>,
    /// From where, as far as the API said.
    pub source: Option<String>,
    /// The organization that its user acted in last, for a console to come back to.
    pub context: Option<String>,
    /// Of a token: it was announced, and its secret was not asked for yet.
    pub announced: bool,
    /// A shorter id, which a token keeps from its announcement on.
    pub short: Uuid,
}

impl Session {
    pub fn of(id: String, record: SessionRecord) -> Self {
        let short = record.client.as_deref().and_then(Uuid::parse);
        Self {
            short: short.unwrap_or_else(|| token::short(&id)),
            announced: record.announced,
            id,
            kind: record.kind,
            user: record.user,
            name: record.name,
            created: record.created,
            expires: record.expires,
            source: record.source,
            context: record.context,
        }
    }
}

/// An API token to be made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewToken {
    /// To tell it from others.
    pub name: String,
    /// When it ends, if ever.
    pub expires: Option<UnixMillis>,
}

/// How many are read or removed at once.
const AT_ONCE: usize = 40;

/// The steps that store one.
pub fn steps(
    user: Uuid,
    hash: &str,
    record: &SessionRecord,
) -> Result<Vec<WriteStep>, EngineError> {
    let expires = record.expires.map(UnixMillis);
    let body = coeval_records::encode::encode("a session", record)?;
    let step = |key, content: RecordContent| WriteStep {
        key,
        condition: WriteCondition::NotExists,
        // Each is found by the sweep on its own.
        action: WriteAction::Put(RecordPut::of(content).expiring(expires)),
    };
    Ok(vec![
        step(keys::session(hash)?, body.into()),
        step(keys::session_of(user, hash)?, RecordContent::default()),
    ])
}

pub(crate) fn deletion(user: Uuid, hash: &str) -> Result<AtomicWrite, EngineError> {
    Ok(AtomicWrite::new()
        .delete(&keys::session(hash)?)
        .delete(&keys::session_of(user, hash)?))
}

impl Resources {
    /// Makes an API token for the caller itself. Its secret is not shown again.
    ///
    /// # Errors
    /// If the caller is no stored user, or the expiry has passed.
    pub async fn create_token(
        &self,
        caller: &Caller,
        new: &NewToken,
    ) -> Result<(TokenSecret, Session), EngineError> {
        coeval_catalog::identity::names::check_user(&new.name)?;
        let now = self.now();
        if new.expires.is_some_and(|at| at.0 <= now) {
            let what = "the token's expiry has passed".to_owned();
            return Err(EngineError::MetadataInvalid { what });
        }
        let own = self.user_record(caller.user()).await?;
        let user: UserContent = self.read_own(&own)?;
        let record = SessionRecord {
            kind: SessionKind::ApiToken,
            user: OwnKind::User.urn(own.stored.id),
            epoch: user.token_epoch,
            created: now,
            expires: new.expires.map(|at| at.0),
            name: Some(new.name.clone()),
            source: None,
            context: None,
            client: None,
            announced: false,
            of_token: None,
        };
        let secret = TokenSecret::draw(SessionKind::ApiToken)?;
        let hash = secret.hash();
        // A user who is deleted at this moment leaves no token behind.
        let mut write = AtomicWrite::new().when(&own.fetched.key, WriteCondition::Exists);
        write.steps.extend(steps(own.stored.id, &hash, &record)?);
        let mut deed = Deed::other(What::Create, "coeval:token");
        deed.name = Some(new.name.clone());
        deed.org = Some(user.org);
        write.steps.push(self.audit_step(caller, &deed)?);
        self.commit(&keys::session(&hash)?, write).await?;
        Ok((secret, Session::of(hash, record)))
    }

    /// The user, if the caller is that user or has the right in its organization.
    async fn user_with_sessions(
        &self,
        caller: &Caller,
        user: &str,
        right: GeneralRight,
    ) -> Result<(Uuid, UserContent), EngineError> {
        let own = self.user_record(user).await?;
        let content: UserContent = self.read_own(&own)?;
        if OwnKind::User.urn(own.stored.id) != caller.user() {
            let unknown = || {
                let what = user.chars().take(100).collect();
                IdentityError::UserUnknown { what }.into()
            };
            self.allow_general(caller, right, Some(&content.org))
                .map_err(|error| hidden(error, unknown))?;
        }
        Ok((own.stored.id, content))
    }

    /// A user's sessions and tokens; everybody may see one's own.
    ///
    /// # Errors
    /// If the caller may not see them.
    pub async fn list_sessions(
        &self,
        caller: &Caller,
        user: &str,
    ) -> Result<Vec<Session>, EngineError> {
        let right = GeneralRight::ViewSessions;
        let (id, content) = self.user_with_sessions(caller, user, right).await?;
        let mut range = ReadRange::of(keys::sessions_of(id)?).limit(AT_ONCE);
        let mut found = Vec::new();
        loop {
            let (page, next) = self.sessions_page(range).await?;
            let live = page
                .into_iter()
                .filter_map(|(hash, record)| Some((hash, record?)));
            // Ended by their epoch, though not swept away yet.
            let live = live.filter(|(_, record)| !record.is_over(&content));
            found.extend(live.map(|(hash, record)| Session::of(hash, record)));
            match next {
                Some(next) => range = next,
                None => return Ok(found),
            }
        }
    }

    /// A page of a user's sessions, and where to go on. One may be gone while its mark is there.
    async fn sessions_page(
        &self,
        range: ReadRange,
    ) -> Result<(Vec<(String, Option<SessionRecord>)>, Option<ReadRange>), EngineError> {
        let (_, page) = self.store.range(range.clone()).await?;
        let hash_of = |entry: &StoredEntry| {
            let last = entry.key.as_bytes().rsplit(|byte| *byte == b'/').next()?;
            std::str::from_utf8(last).ok().map(str::to_owned)
        };
        let hashes: Vec<String> = page.entries.iter().filter_map(hash_of).collect();
        let next = match page.entries.last() {
            Some(last) if page.more => Some(range.after(&last.key)),
            _ => None,
        };
        let wanted = hashes.iter().map(|hash| keys::session(hash));
        let wanted = wanted.collect::<Result<Vec<_>, _>>()?;
        if wanted.is_empty() {
            return Ok((Vec::new(), next));
        }
        let snapshot = self.store.read(ReadRequest::keys(wanted)).await?;
        let records = snapshot.keys.iter();
        let records = records.map(|entry| entry.as_ref().and_then(SessionRecord::read));
        Ok((hashes.into_iter().zip(records).collect(), next))
    }

    /// Ends one session or token, by its id.
    ///
    /// # Errors
    /// If there is none that the caller may end.
    pub async fn revoke_session(&self, caller: &Caller, id: &str) -> Result<(), EngineError> {
        let unknown = || EngineError::from(IdentityError::SessionUnknown);
        if !token::is_hash(id) {
            return Err(unknown());
        }
        let request = ReadRequest::keys([keys::session(id)?]);
        let entry = self.store.read(request).await?.keys.into_iter().next();
        let record = entry.flatten().as_ref().and_then(SessionRecord::read);
        let record = record.ok_or_else(unknown)?;
        let right = GeneralRight::ManageSessions;
        let user = self.user_with_sessions(caller, &record.user, right).await;
        // One answer for all of them: whether an id is somebody's session is not told.
        let (user, _) = user.map_err(|_| unknown())?;
        let mut deed = Deed::other(What::Logout, &OwnKind::User.of().to_string());
        deed.id = Some(user.to_string());
        deed.note.clone_from(&record.name);
        let mut write = deletion(user, id)?;
        write.steps.push(self.audit_step(caller, &deed)?);
        self.store.atomic_write(write).await?;
        // After the token: a session that begins with it meanwhile is refused, because the token is
        // gone.
        self.sweep_of_token(user, id).await
    }

    /// Ends the sessions that began with a token which is gone.
    async fn sweep_of_token(&self, user: Uuid, token: &str) -> Result<(), EngineError> {
        self.sweep_sessions(user, |record| record.of_token.as_deref() == Some(token))
            .await
    }

    /// Ends all sessions and tokens of a user, at once and on all servers.
    ///
    /// # Errors
    /// If the caller may not.
    pub async fn revoke_sessions(&self, caller: &Caller, user: &str) -> Result<(), EngineError> {
        let right = GeneralRight::ManageSessions;
        self.user_with_sessions(caller, user, right).await?;
        // The epoch first: it ends them all at once, whatever becomes of the sweep.
        let (id, content) = self
            .change_epochs(caller, user, None, |content| {
                content.session_epoch += 1;
                content.token_epoch += 1;
            })
            .await?;
        self.sweep_sessions(id, |session| session.is_over(&content))
            .await
    }

    /// Ends the session, or revokes the token, whose secret is given.
    ///
    /// # Errors
    /// If it is not valid.
    pub async fn logout(&self, sent: &str) -> Result<(), EngineError> {
        let hash = token::hash(sent)?;
        // One that is not valid leaves no audit record, or anybody could fill the log.
        let subject = self.authenticate(sent).await?;
        let Some(user) = OwnKind::User.id(subject.user()) else {
            return Err(IdentityError::TokenInvalid.into());
        };
        let mut deed = Deed::other(What::Logout, &OwnKind::User.of().to_string());
        deed.id = Some(user.to_string());
        let mut write = deletion(user, &hash)?;
        let audit = audit::step(self.now(), subject.user(), subject.org(), &deed)?;
        write.steps.push(audit);
        self.store.atomic_write(write).await?;
        self.sweep_of_token(user, &hash).await
    }

    /// Notes the organization that the user of a session acts in, for a console to come back to.
    ///
    /// # Errors
    /// If the session is not valid, or its user may not act there.
    pub async fn note_context(&self, sent: &str, org: Option<&str>) -> Result<(), EngineError> {
        let caller = self
            .caller(sent, org, coeval_catalog::caller::WantedVersions::default())
            .await?;
        let key = keys::session(&token::hash(sent)?)?;
        let snapshot = self.store.read(ReadRequest::keys([key.clone()])).await?;
        let entry = snapshot.keys.into_iter().next().flatten();
        let gone = || EngineError::from(IdentityError::TokenInvalid);
        let record = entry.as_ref().and_then(SessionRecord::read);
        let mut record = record.ok_or_else(gone)?;
        let revision = entry.and_then(|entry| entry.stored.revision());
        let revision = revision.ok_or_else(gone)?;
        record.context = caller.subject.context().map(str::to_owned);
        let body = coeval_records::encode::encode("a session", &record)?;
        let put = RecordPut::of(body).expiring(record.expires.map(UnixMillis));
        // Another one was noted at the same moment, or it is over: both are as good.
        unless_raced(self.store.conditional_update(&key, revision, put).await)?;
        Ok(())
    }

    /// Removes what is over of a user's sessions. They don't count any more; this is tidying up.
    pub(crate) async fn sweep_sessions(
        &self,
        user: Uuid,
        is_over: impl Fn(&SessionRecord) -> bool,
    ) -> Result<(), EngineError> {
        let mut range = ReadRange::of(keys::sessions_of(user)?).limit(AT_ONCE);
        loop {
            let (page, next) = self.sessions_page(range).await?;
            let mut write = AtomicWrite::new();
            for (hash, record) in page {
                // A mark without its session is a leftover, such as of one that expired first.
                if record.is_none_or(|record| is_over(&record)) {
                    write.steps.extend(deletion(user, &hash)?.steps);
                }
            }
            if !write.steps.is_empty() {
                self.store.atomic_write(write).await?;
            }
            match next {
                Some(next) => range = next,
                None => return Ok(()),
            }
        }
    }
}
