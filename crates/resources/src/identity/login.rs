//! Logging in. Whatever is wrong with an attempt, the answer is the same and takes as long.

use crate::identity::failures::Counters;
use crate::identity::own::Own;
use crate::identity::sessions::{self, Session, SessionRecord};
use crate::resources::Resources;
use coeval_catalog::caller::Caller;
use coeval_catalog::identity::content::{OrgContent, UserContent};
use coeval_catalog::identity::names;
use coeval_catalog::identity::password::{Password, PasswordGiven, PasswordPhc};
use coeval_catalog::identity::session_kind::SessionKind;
use coeval_catalog::identity::token::TokenSecret;
use coeval_catalog::kinds::OwnKind;
use coeval_records::attempts::unless_raced;
use coeval_records::audit::{self, Deed, What};
use coeval_records::error::EngineError;
use coeval_records::error::identity::IdentityError;
use coeval_records::keys;
use coeval_storage::{AtomicWrite, WriteAction, WriteCondition, WriteStep};
use serde::Deserialize;

/// An attempt to log in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// The organization's name.
    pub org: String,
    /// The user's name there.
    pub user: String,
    /// The password.
    pub password: Password,
    /// Where it comes from, as far as the API knows: an address.
    pub source: Option<String>,
}

/// A login that succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedIn {
    /// To be sent with every request. It is not shown again.
    pub token: TokenSecret,
    /// What was begun.
    pub session: Session,
    /// The user's organization.
    pub org: String,
}

/// The longest texts of an attempt that are recorded.
const TOLD: usize = 256;

/// A stored password.
#[derive(Deserialize)]
struct StoredPassword {
    phc: PasswordPhc,
}

struct Candidate {
    own: Own,
    content: UserContent,
    phc: Option<PasswordPhc>,
    enabled: bool,
}

impl Resources {
    /// Begins a session.
    ///
    /// # Errors
    /// If the attempt fails, comes too early after others that failed, or too many log in at once.
    pub async fn login(&self, login: &Login) -> Result<LoggedIn, EngineError> {
        let (candidate, counters) = self.checked(login).await?;
        let Candidate { own, content, .. } = candidate;
        let (id, now) = (own.stored.id, self.now());
        let lasts = i64::try_from(self.identity_settings.session.as_millis());
        let record = SessionRecord {
            kind: SessionKind::Session,
            user: OwnKind::User.urn(id),
            epoch: content.session_epoch,
            created: now,
            expires: Some(now.saturating_add(lasts.unwrap_or(i64::MAX))),
            name: None,
            source: login.source.as_deref().map(told),
            context: None,
            client: None,
            announced: false,
            of_token: None,
        };
        let token = TokenSecret::draw(SessionKind::Session)?;
        let hash = token.hash();
        // Only that the user exists: a concurrent edit of it must not fail a login. If the password
        // changes meanwhile, the epoch in the record is outdated and the session never valid.
        let mut write = AtomicWrite::new().when(&own.fetched.key, WriteCondition::Exists);
        write.steps.extend(sessions::steps(id, &hash, &record)?);
        write.steps.push(WriteStep {
            // A success forgets the user's failures, not the source's: an attacker may have an
            // account too.
            key: counters.user,
            condition: WriteCondition::Whatever,
            action: WriteAction::Delete,
        });
        let mut deed = Deed::other(What::Login, &OwnKind::User.of().to_string());
        deed.id = Some(id.to_string());
        deed.name = Some(own.stored.header.name.clone());
        deed.org = Some(content.org.clone());
        deed.note.clone_from(&record.source);
        let audit = audit::step(self.now(), &record.user, &content.org, &deed)?;
        write.steps.push(audit);
        let written = unless_raced(self.commit(&keys::session(&hash)?, write).await)?;
        // Else the user was deleted at this moment.
        written.ok_or(IdentityError::LoginFailed)?;
        Ok(LoggedIn {
            token,
            session: Session::of(hash, record),
            org: content.org,
        })
    }

    /// Changes the caller's own password, given the old one. All its sessions end.
    ///
    /// # Errors
    /// As [`Resources::login`], or if the new password can't be used.
    pub async fn change_password(
        &self,
        caller: &Caller,
        old: &Password,
        new: &Password,
        source: Option<&str>,
    ) -> Result<(), EngineError> {
        let own = self.user_record(caller.user()).await?;
        let content: UserContent = self.read_own(&own)?;
        let org = self.org_record(&content.org).await?;
        let login = Login {
            org: org.stored.header.name,
            user: content.username,
            password: old.clone(),
            source: source.map(str::to_owned),
        };
        // As a login, and counted as one: with a stolen session nobody may guess the password.
        self.checked(&login).await?;
        let new = PasswordGiven::Clear(new.clone());
        self.put_password(caller, caller.user(), &new).await
    }

    /// The user whose password it is. A failure is counted and recorded.
    async fn checked(&self, login: &Login) -> Result<(Candidate, Counters), EngineError> {
        let counters = Counters::new(&login.org, &login.user, login.source.as_deref())?;
        self.not_blocked(&counters).await?;
        // Verifying is slow on purpose, so only a few do at once; the others wait or are refused.
        let turn = self.identity.hasher.turn().await?;
        // Others may have failed while this one waited.
        self.not_blocked(&counters).await?;
        let candidate = self.candidate(&login.org, &login.user).await?;
        let phc = candidate.as_ref().and_then(|one| one.phc.clone());
        let hasher = &self.identity.hasher;
        // Also without a user or a password: else the time would tell which names exist.
        let fits = hasher.verify(turn, &login.password, phc).await?;
        let candidate = match candidate {
            Some(candidate) if fits && candidate.enabled => candidate,
            other => {
                self.failed(login, &counters, other.as_ref()).await?;
                return Err(IdentityError::LoginFailed.into());
            }
        };
        Ok((candidate, counters))
    }

    async fn failed(
        &self,
        login: &Login,
        counters: &Counters,
        candidate: Option<&Candidate>,
    ) -> Result<(), EngineError> {
        let mut deed = Deed::other(What::LoginFailed, &OwnKind::User.of().to_string());
        deed.name = Some(told(&names::within(&login.org, &login.user)));
        deed.note = login.source.as_deref().map(told);
        let mut org = "";
        if let Some(candidate) = candidate {
            deed.id = Some(candidate.own.stored.id.to_string());
            deed.org = Some(candidate.content.org.clone());
            org = &candidate.content.org;
        }
        let audit = audit::step(self.now(), "", org, &deed)?;
        match self.count_failure(counters, &audit).await {
            // So many fail at once that this one need not be counted.
            Err(EngineError::Contended { .. }) => Ok(()),
            other => other,
        }
    }

    /// The user of that name with its password, read in one snapshot: a password that is changed
    /// meanwhile opens no session that outlives the change.
    async fn candidate(&self, org: &str, user: &str) -> Result<Option<Candidate>, EngineError> {
        let Some(org) = self.own_named(OwnKind::Org, org).await? else {
            return Ok(None);
        };
        let enabled: OrgContent = self.read_own(&org)?;
        let name = names::within(&org.stored.header.name, user);
        let Some(found) = self.own_named(OwnKind::User, &name).await? else {
            return Ok(None);
        };
        let id = found.stored.id;
        let with_password = vec![keys::password(id)?];
        let Some(own) = self.own_with(OwnKind::User, id, with_password).await? else {
            return Ok(None);
        };
        let content: UserContent = self.read_own(&own)?;
        let entry = own.fetched.extra.keys.first().and_then(Option::as_ref);
        let record = entry.and_then(|entry| entry.stored.record());
        let stored: Option<StoredPassword> =
            record.and_then(|record| serde_json::from_slice(&record.content.body).ok());
        Ok(Some(Candidate {
            enabled: enabled.enabled && content.enabled,
            phc: stored.map(|stored| stored.phc),
            content,
            own,
        }))
    }
}

pub fn told(text: &str) -> String {
    text.chars().take(TOLD).collect()
}
