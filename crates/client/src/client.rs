//! A client: where the server is, who calls, and a stub for each service.

use crate::connection::{Connection, SharedState, WarningHandler};
use crate::error::{ClientError, ClientErrorKind};
use crate::resources::Resources;
use crate::retry::{CallAttempts, RetryLimits, reading};
use crate::typed::Spec;
use coeval_proto::access::v1 as access;
use coeval_proto::migrations::v1::migration_service_client::MigrationServiceClient;
use coeval_proto::releases::v1::release_service_client::ReleaseServiceClient;
use coeval_proto::resources::v1::resource_service_client::ResourceServiceClient;
use coeval_proto::tasks::v1::task_service_client::TaskServiceClient;
use coeval_proto::types::v1 as types;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};

/// Answers may be large pages.
pub(crate) const LARGEST_ANSWER: usize = 64 << 20;

/// How a client is made.
///
/// ```
/// # use coeval_client::Client;
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
/// # let _inside = runtime.enter();
/// let client = Client::builder("http://127.0.0.1:8080")
///     .token("very-secret")
///     .timeout(std::time::Duration::from_secs(5))
///     .understands("acme:app", "1.1")
///     .build()
///     .unwrap();
/// // It has not called yet, so there is no server that has to run.
/// assert_eq!((client.url(), client.sequence()), ("http://127.0.0.1:8080", None));
/// assert!(!format!("{client:?}").contains("very-secret"));
/// ```
#[derive(Clone)]
#[must_use]
pub struct ClientBuilder {
    url: String,
    token: Option<String>,
    authority: Option<Vec<u8>>,
    connect_timeout: Duration,
    accept: Vec<(String, String)>,
    limits: RetryLimits,
    warn: Option<WarningHandler>,
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = f.debug_struct("ClientBuilder");
        told.field("url", &self.url).finish_non_exhaustive()
    }
}

impl ClientBuilder {
    /// The token of a session, or an API token.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// The authority of the server's certificate, as PEM, where it is none of the usual ones.
    pub fn authority(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.authority = Some(pem.into());
        self
    }

    /// How long a connection may take to be made; ten seconds by default.
    pub const fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How long a call may take in all, with what is tried again; thirty seconds by default.
    /// A single attempt takes at most half of it, so that there is time to find out what came of it.
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.limits.timeout = timeout;
        self
    }

    /// How long a call goes on looking for a server where none can be connected to; by default for as
    /// long as it may take in all. For programs that somebody waits for.
    pub const fn reach(mut self, time: Duration) -> Self {
        self.limits.reach = Some(time);
        self
    }

    /// How long a watch goes on looking for a server before it ends with an error; five minutes by
    /// default.
    pub const fn patience(mut self, patience: Duration) -> Self {
        self.limits.patience = patience;
        self
    }

    /// The newest version of a kind that this program understands: `understands("acme:app", "1.1")`.
    /// What is stored newer is shown as that, and saving it loses nothing.
    pub fn understands(mut self, kind: impl Into<String>, version: impl Into<String>) -> Self {
        self.accept.push((kind.into(), version.into()));
        self
    }

    /// Who is told if the server is too old for a part of a request, and what it does instead (the part is
    /// left out), and what else it warns of in answers to reads, such as a deprecated version. A text may
    /// come again with every answer; nobody is told by default.
    pub fn on_warning(mut self, handler: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.warn = Some(Arc::new(handler));
        self
    }

    /// The client. It connects when it first calls, and again when it has to.
    ///
    /// ```
    /// use coeval_client::{Client, ClientErrorKind};
    ///
    /// let error = Client::builder("localhost:8080").build().unwrap_err();
    /// assert_eq!(error.kind(), ClientErrorKind::Address, "it lacks http://");
    /// ```
    ///
    /// # Errors
    /// If the address is none, or the authority can't be read.
    pub fn build(self) -> Result<Client, ClientError> {
        let wrong = |error: &dyn fmt::Display| {
            let message = format!("{} is no address of a server: {error}", self.url);
            ClientError::new(
                ClientErrorKind::Address,
                message,
                "Give it as http://HOST:PORT or https://HOST.",
            )
        };
        // Every way of being no address has one error: what matters to the caller is the address
        // that was given.
        let mut endpoint = Endpoint::from_shared(self.url.clone()).map_err(|e| wrong(&e))?;
        let uri = endpoint.uri().clone();
        match uri.scheme_str() {
            Some("https") => {
                let mut tls = ClientTlsConfig::new().with_enabled_roots();
                if let Some(pem) = self.authority {
                    // Beside the system's authorities, not in their place.
                    tls = tls.ca_certificate(Certificate::from_pem(pem));
                }
                endpoint = endpoint.tls_config(tls).map_err(|e| wrong(&e))?;
            }
            Some("http") => {}
            _ => return Err(wrong(&"it begins with neither http:// nor https://")),
        }
        let channel = endpoint
            .connect_timeout(self.connect_timeout)
            .tcp_nodelay(true)
            // Notices a server that vanished: without pings a watch would wait for its next message
            // for ever. While idle too, so that the next call does not find a dead connection.
            .http2_keep_alive_interval(Duration::from_secs(20))
            .keep_alive_timeout(Duration::from_secs(10))
            .keep_alive_while_idle(true)
            // Lazily, so that a client can be made before its server runs.
            .connect_lazy();
        // Without a user or password, which have no place in a message.
        let host = self.url.rsplit_once('@').map(|(_, host)| host.to_owned());
        let shared = SharedState::of(host.as_deref().unwrap_or(&self.url), self.limits, self.warn);
        if let Some(token) = self.token {
            shared.set_token(token);
        }
        for (kind, version) in self.accept {
            // Versions are compared as the server writes them, without the letter.
            shared.understands(kind, version.trim_start_matches('v').to_owned());
        }
        Ok(Client {
            connection: Connection::new(channel, Arc::new(shared)),
            url: self.url.into(),
        })
    }
}

/// A connection to a server. Cheap to clone; clones share what was seen.
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) connection: Connection,
    url: Arc<str>,
}

/// A session that was begun.
#[derive(Clone)]
pub struct LoginSession {
    /// To be sent with every call; the client does it already.
    pub token: String,
    /// When it ends.
    pub expires: Option<jiff::Timestamp>,
}

impl fmt::Debug for LoginSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = f.debug_struct("LoginSession");
        told.field("expires", &self.expires).finish_non_exhaustive()
    }
}

macro_rules! stubs {
    ($($(#[$doc:meta])* $name:ident: $($stub:ident)::+;)*) => {
        impl Client {
            $($(#[$doc])* #[must_use]
            pub fn $name(&self) -> $($stub)::+<Connection> {
                $($stub)::+::new(self.connection.clone()).max_decoding_message_size(LARGEST_ANSWER)
            })*
        }
    };
}

stubs! {
    /// The generic service, as it is.
    resource_service: ResourceServiceClient;
    /// Type versions.
    types: types::type_service_client::TypeServiceClient;
    /// Interfaces.
    interfaces: types::interface_service_client::InterfaceServiceClient;
    /// Who may do what, and why not.
    access: access::access_service_client::AccessServiceClient;
    /// Organizations.
    organizations: access::organization_service_client::OrganizationServiceClient;
    /// Users.
    users: access::user_service_client::UserServiceClient;
    /// Roles and rights.
    roles: access::role_service_client::RoleServiceClient;
    /// Bundles of rights.
    bundles: access::bundle_service_client::BundleServiceClient;
    /// Sessions and API tokens.
    sessions: access::session_service_client::SessionServiceClient;
    /// Long-running jobs.
    tasks: TaskServiceClient;
    /// Types that move from one major to the next, and the servers that take part.
    migrations: MigrationServiceClient;
    /// The server's release, and what in it is deprecated.
    releases: ReleaseServiceClient;
}

impl Client {
    /// Of the server at an address.
    pub fn builder(url: impl Into<String>) -> ClientBuilder {
        ClientBuilder {
            url: url.into(),
            token: None,
            authority: None,
            connect_timeout: Duration::from_secs(10),
            accept: Vec::new(),
            limits: RetryLimits::default(),
            warn: None,
        }
    }

    /// Where the server is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The release of the server that answered last, once one has.
    #[must_use]
    pub fn server_release(&self) -> Option<String> {
        self.connection.shared().release()
    }

    /// The newest sequence that was seen.
    #[must_use]
    pub fn sequence(&self) -> Option<String> {
        self.connection.shared().newest.get()
    }

    /// Begins a session; the calls that follow are made with it.
    ///
    /// # Errors
    /// If the name or the password is wrong.
    pub async fn log_in(
        &self,
        user: &str,
        namespace: &str,
        password: &str,
    ) -> Result<LoginSession, ClientError> {
        let request = access::LoginRequest {
            user: user.to_owned(),
            namespace: namespace.to_owned(),
            password: password.to_owned(),
        };
        let answer = self.sessions().login(request).await?.into_inner();
        // The token is set for all clones of this client, and with it the cached id of the caller
        // is dropped.
        self.connection.shared().set_token(answer.token.clone());
        Ok(LoginSession {
            token: answer.token,
            expires: answer.expires.and_then(crate::resource::from_proto_time),
        })
    }

    /// The resources of a kind, with JSON as their content.
    #[must_use]
    pub fn resources(&self, kind: impl Into<String>) -> Resources<serde_json::Value> {
        self.resources_as(kind)
    }

    /// The resources of a kind, with a type of yours as their content.
    #[must_use]
    pub fn resources_as<S: Serialize + DeserializeOwned>(
        &self,
        kind: impl Into<String>,
    ) -> Resources<S> {
        Resources::new(self.clone(), kind.into())
    }

    /// The resources of a type of yours, at the version that it is made for: what is stored newer is
    /// shown as that, and saving it loses nothing.
    #[must_use]
    pub fn typed<S: Spec>(&self) -> Resources<S> {
        self.resources_as(S::KIND).understanding(S::VERSION)
    }

    /// How long its calls may take.
    pub(crate) fn limits(&self) -> RetryLimits {
        self.connection.shared().limits
    }

    /// The id of the user who calls.
    pub(crate) async fn me(&self, attempts: CallAttempts) -> Result<String, ClientError> {
        let held = &self.connection.shared().me;
        let known = held.read().unwrap_or_else(PoisonError::into_inner).clone();
        // Asked once for each token: it is needed only after a lost answer.
        if let Some(known) = known {
            return Ok(known);
        }
        let call = || {
            let mut service = self.access();
            async move { service.who_am_i(access::WhoAmIRequest::default()).await }
        };
        let answer = reading(attempts, call).await?.into_inner();
        let me = answer.user.map(|user| user.id).unwrap_or_default();
        *held.write().unwrap_or_else(PoisonError::into_inner) = Some(me.clone());
        Ok(me)
    }
}
