//! The service of sessions and API tokens.

use crate::api::GrpcState;
use crate::call::answer;
use crate::fields::text;
use crate::pages::PageRequest;
use crate::proto::access::v1 as pb;
use crate::status;
use crate::times::{millis, timestamp};
use coeval_access::SYSTEM_ORGANIZATION;
use coeval_api::caller::{CallerRefusal, Peer, SentCredentials};
use coeval_api::methods::MethodError;
use coeval_api::negotiation::RequestHeaders;
use coeval_engine::Caller;
use coeval_engine::identity::{LoggedIn, Login, NewToken, Password, Session, SessionKind};
use std::sync::Arc;
use tonic::{Request, Response, Status};

/// The service.
#[derive(Clone, Debug)]
pub(crate) struct SessionService(pub(crate) Arc<GrpcState>);

#[tonic::async_trait]
impl pb::session_service_server::SessionService for SessionService {
    /// The one method for nobody known.
    async fn login(
        &self,
        request: Request<pb::LoginRequest>,
    ) -> Result<Response<pb::LoginResponse>, Status> {
        // Nobody is known yet, so the address pays: guessing passwords costs as much as other requests.
        let peer = request.extensions().get::<Peer>().cloned();
        let begun = login(&self.0, peer.as_ref(), request.into_inner()).await;
        Ok(Response::new(begun.map_err(status::of)?))
    }

    async fn logout(&self, request: Request<pb::LogoutRequest>) -> Result<Response<()>, Status> {
        let headers = request.metadata().clone().into_headers();
        // Who is known by something else than a token has nothing to end.
        let call = self.0.enter(request).await?;
        let sent = SentCredentials::of(RequestHeaders(&headers)).map_err(MethodError::from);
        let Some(SentCredentials::Bearer(token)) = sent.map_err(status::of)? else {
            return Err(status::of(MethodError::from(
                CallerRefusal::CredentialsMissing,
            )));
        };
        let ended = self.0.methods.engine().logout(&token).await;
        ended.map_err(status::of)?;
        Ok(answer(&call.caller, ()))
    }

    async fn list_sessions(
        &self,
        request: Request<pb::ListSessionsRequest>,
    ) -> Result<Response<pb::ListSessionsResponse>, Status> {
        self.0.serve(request, list).await
    }

    async fn revoke_session(
        &self,
        request: Request<pb::RevokeSessionRequest>,
    ) -> Result<Response<()>, Status> {
        self.0.serve(request, revoke).await
    }

    async fn create_api_token(
        &self,
        request: Request<pb::CreateApiTokenRequest>,
    ) -> Result<Response<pb::CreateApiTokenResponse>, Status> {
        self.0.serve(request, create_token).await
    }
}

async fn login(
    api: &GrpcState,
    peer: Option<&Peer>,
    asked: pb::LoginRequest,
) -> Result<pb::LoginResponse, MethodError> {
    // Before the password is checked, which is slow by design.
    api.gate.admit_unknown(peer)?;
    let org = text(asked.namespace, "namespace")?;
    let login = Login {
        // The provider's is written in capitals or not, as everywhere.
        org: if org.eq_ignore_ascii_case(SYSTEM_ORGANIZATION) {
            SYSTEM_ORGANIZATION.to_owned()
        } else {
            org
        },
        user: text(asked.user, "user")?,
        password: Password::new(text(asked.password, "password")?),
        source: peer.map(|peer| peer.source.to_string()),
    };
    let LoggedIn { token, session, .. } = api.methods.engine().login(&login).await?;
    Ok(pb::LoginResponse {
        token: token.reveal().to_owned(),
        expires: session.expires.map(timestamp),
        session: Some(shown(session)),
    })
}

async fn list(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::ListSessionsRequest,
) -> Result<pb::ListSessionsResponse, MethodError> {
    let user = match asked.user.as_str() {
        "" => caller.user(),
        user => user,
    };
    let page = (asked.page_size, asked.page_token.as_str());
    let page = PageRequest::read((&api, &caller), "sessions", &[user], page).await?;
    let all = api.methods.engine().list_sessions(&caller, user).await?;
    let (found, next_page_token) = page.cut(all, |one| one.id.clone()).await?;
    Ok(pb::ListSessionsResponse {
        sessions: found.into_iter().map(shown).collect(),
        next_page_token,
    })
}

async fn revoke(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::RevokeSessionRequest,
) -> Result<(), MethodError> {
    let engine = api.methods.engine();
    Ok(engine.revoke_session(&caller, &asked.id).await?)
}

async fn create_token(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::CreateApiTokenRequest,
) -> Result<pb::CreateApiTokenResponse, MethodError> {
    let expires = asked.expires.map(|at| millis(at, "expires"));
    let new = NewToken {
        name: text(asked.name, "name")?,
        expires: expires.transpose()?,
    };
    let (token, session) = api.methods.engine().create_token(&caller, &new).await?;
    Ok(pb::CreateApiTokenResponse {
        token: token.reveal().to_owned(),
        session: Some(shown(session)),
    })
}

fn shown(session: Session) -> pb::Session {
    let kind = match session.kind {
        SessionKind::Session => pb::SessionKind::Session,
        SessionKind::ApiToken => pb::SessionKind::ApiToken,
    };
    pb::Session {
        id: session.id,
        kind: kind.into(),
        user: session.user,
        name: session.name.unwrap_or_default(),
        created: Some(timestamp(session.created)),
        expires: session.expires.map(timestamp),
        source: session.source.unwrap_or_default(),
    }
}
