//! Programs log in with an API token: it opens a session, which ends with the token at the latest.
//! A token may be announced first, under a name, and its secret be asked for once, later.

use crate::identity::failures::Counters;
use crate::identity::login::{LoggedIn, told};
use crate::identity::sessions::{self, Session, SessionRecord};
use crate::resources::Resources;
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
use coeval_records::records::draw_id;
use coeval_storage::{AtomicWrite, ReadRequest, WriteCondition};

/// How long an announced token waits for its secret to be asked for.
const ANNOUNCED_FOR: Time = 60 * 60 * 1_000;

/// A program shows its token.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenShown {
    /// The API token's secret.
    pub token: String,
    /// The organization, by name, whose users may come in here.
    pub org: String,
    /// Where it comes from, as far as the API knows.
    pub source: Option<String>,
}

impl std::fmt::Debug for TokenShown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TokenShown(… at {:?})", self.org)
    }
}

fn unknown() -> EngineError {
    IdentityError::SessionUnknown.into()
}

impl Resources {
    /// Refuses somebody at the door of another organization's users, by its name.
    ///
    /// # Errors
    /// If the caller's own organization has another name.
    pub async fn at_own_door(&self, caller: &Caller, org: &str) -> Result<(), EngineError> {
        self.door(caller.subject.org(), org).await
    }

    async fn door(&self, own: &str, org: &str) -> Result<(), EngineError> {
        let found = self.own_named(OwnKind::Org, org).await?;
        match found.map(|found| OwnKind::Org.urn(found.stored.id)) {
            Some(id) if id == own => Ok(()),
            _ => {
                let org = told(org);
                Err(IdentityError::OtherDoor { org }.into())
            }
        }
    }

    /// Begins a session with an API token.
    ///
    /// A token that is not valid is counted as a failed login is, for that token and its source.
    /// One that is shown at another organization's door is refused and not counted: programs that
    /// don't know whose token they have try one door after the other.
    ///
    /// # Errors
    /// If the token is not valid, another organization's, or comes too early after failures.
    pub async fn begin_session(&self, shown: &TokenShown) -> Result<LoggedIn, EngineError> {
        // No organization has such a name, so nobody's logins are counted together with this.
        let counters = Counters::new("\0token", &shown.token, shown.source.as_deref())?;
        self.not_blocked(&counters).await?;
        match self.session_of_token(shown).await {
            Err(EngineError::Identity(IdentityError::TokenInvalid)) => {
                let mut deed = Deed::other(What::LoginFailed, &OwnKind::User.of().to_string());
                deed.name = Some(told(&format!("{}/a token", shown.org)));
                deed.note = shown.source.as_deref().map(told);
                let audit = audit::step(self.now(), "", "", &deed)?;
                match self.count_failure(&counters, &audit).await {
                    Ok(()) | Err(EngineError::Contended { .. }) => {}
                    Err(error) => return Err(error),
                }
                Err(IdentityError::TokenInvalid.into())
            }
            other => other,
        }
    }

    async fn session_of_token(&self, shown: &TokenShown) -> Result<LoggedIn, EngineError> {
        let invalid = || EngineError::from(IdentityError::TokenInvalid);
        let subject = self.authenticate(&shown.token).await?;
        let of_token = token::hash(&shown.token)?;
        let key = keys::session(&of_token)?;
        let snapshot = self.store.read(ReadRequest::keys([key.clone()])).await?;
        let entry = snapshot.keys.into_iter().next().flatten();
        let entry = entry.as_ref().and_then(SessionRecord::read);
        let record = entry.ok_or_else(invalid)?;
        if record.kind != SessionKind::ApiToken {
            return Err(invalid());
        }
        // Only for a valid token: nobody else learns whether this is the right door.
        self.door(subject.org(), &shown.org).await?;
        let own = self.user_record(subject.user()).await?;
        let user: UserContent = self.read_own(&own)?;
        let now = self.now();
        let lasts = i64::try_from(self.identity_settings.session.as_millis());
        let expires = now.saturating_add(lasts.unwrap_or(i64::MAX));
        let session = SessionRecord {
            kind: SessionKind::Session,
            user: record.user,
            epoch: user.session_epoch,
            created: now,
            // Never beyond the token; revoking the token ends it as well, by `of_token`.
            expires: Some(record.expires.map_or(expires, |at| at.min(expires))),
            name: None,
            source: shown.source.as_deref().map(told),
            context: None,
            client: None,
            announced: false,
            of_token: Some(of_token),
        };
        let secret = TokenSecret::draw(SessionKind::Session)?;
        let hash = secret.hash();
        // The token must still be there: a session that begins while it is revoked would outlive
        // it.
        let mut write = AtomicWrite::new()
            .when(&own.fetched.key, WriteCondition::Exists)
            .when(&key, WriteCondition::Exists);
        let steps = sessions::steps(own.stored.id, &hash, &session)?;
        write.steps.extend(steps);
        let mut deed = Deed::other(What::Login, &OwnKind::User.of().to_string());
        deed.id = Some(own.stored.id.to_string());
        deed.name = Some(own.stored.header.name.clone());
        deed.org = Some(user.org.clone());
        deed.note = record
            .name
            .as_deref()
            .map(|name| told(&format!("with the token {name}")));
        let audit = audit::step(now, &session.user, &user.org, &deed)?;
        write.steps.push(audit);
        let written = unless_raced(self.commit(&keys::session(&hash)?, write).await)?;
        // Else the user was deleted, or the token revoked, at this moment.
        written.ok_or_else(invalid)?;
        Ok(LoggedIn {
            token: secret,
            session: Session::of(hash, session),
            org: user.org,
        })
    }

    /// Announces an API token for the caller itself. Nobody knows its secret;
    /// [`Resources::issue_token`] gives it one, within the hour.
    ///
    /// # Errors
    /// If the caller is no stored user, or the name can't be used.
    pub async fn announce_token(
        &self,
        caller: &Caller,
        name: &str,
    ) -> Result<Session, EngineError> {
        coeval_catalog::identity::names::check_user(name)?;
        let own = self.user_record(caller.user()).await?;
        let user: UserContent = self.read_own(&own)?;
        let now = self.now();
        let record = SessionRecord {
            kind: SessionKind::ApiToken,
            user: OwnKind::User.urn(own.stored.id),
            epoch: user.token_epoch,
            created: now,
            expires: Some(now.saturating_add(ANNOUNCED_FOR)),
            name: Some(name.to_owned()),
            source: None,
            context: None,
            client: Some(draw_id()?.to_string()),
            announced: true,
            of_token: None,
        };
        // The secret is dropped here, so this opens nothing.
        let hash = TokenSecret::draw(SessionKind::ApiToken)?.hash();
        let mut write = AtomicWrite::new().when(&own.fetched.key, WriteCondition::Exists);
        let steps = sessions::steps(own.stored.id, &hash, &record)?;
        write.steps.extend(steps);
        self.commit(&keys::session(&hash)?, write).await?;
        Ok(Session::of(hash, record))
    }

    /// Gives an announced token of the caller its secret, which is not shown again.
    ///
    /// # Errors
    /// If the caller has announced none of that id, or has its secret already.
    pub async fn issue_token(
        &self,
        caller: &Caller,
        short: Uuid,
    ) -> Result<(TokenSecret, Session), EngineError> {
        let all = self.list_sessions(caller, caller.user()).await?;
        let announced = all
            .into_iter()
            .find(|one| one.announced && one.short == short);
        let announced = announced.ok_or_else(unknown)?;
        let own = self.user_record(caller.user()).await?;
        let user: UserContent = self.read_own(&own)?;
        let record = SessionRecord {
            kind: SessionKind::ApiToken,
            user: announced.user,
            epoch: user.token_epoch,
            created: self.now(),
            // The hour was for asking; the token itself lasts until it is revoked.
            expires: None,
            name: announced.name.clone(),
            source: None,
            context: None,
            client: Some(short.to_string()),
            announced: false,
            of_token: None,
        };
        let secret = TokenSecret::draw(SessionKind::ApiToken)?;
        let hash = secret.hash();
        // It is there until somebody takes it: two who ask at once don't both get one.
        let mut write = sessions::deletion(own.stored.id, &announced.id)?;
        for step in &mut write.steps {
            step.condition = WriteCondition::Exists;
        }
        write = write.when(&own.fetched.key, WriteCondition::Exists);
        let steps = sessions::steps(own.stored.id, &hash, &record)?;
        write.steps.extend(steps);
        let mut deed = Deed::other(What::Create, "coeval:token");
        deed.name.clone_from(&record.name);
        deed.org = Some(user.org);
        write.steps.push(self.audit_step(caller, &deed)?);
        let written = unless_raced(self.commit(&keys::session(&hash)?, write).await)?;
        written.ok_or_else(unknown)?;
        Ok((secret, Session::of(hash, record)))
    }
}
