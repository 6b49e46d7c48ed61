//! What a server can be told. This is the one declaration of flags, variables and keys.

use super::flags::{self, AskedPhase, EmulatedVersion, MigrateWhen};
use crate::deprecated;
use crate::keyring;
use crate::quantity;
use crate::store_address::StoreAddress;
use crate::telemetry::{LogOptions, REQUESTS, TraceOptions};
use clap::{ArgAction, Args};
use coeval_api::caller::RequestQuota;
use coeval_cli::Failure;
use coeval_codes::Coded;
use coeval_engine::{ResourceBelongings, Settings};
use coeval_server::{
    ConnectionLimits, DrainPeriods, Listener, ListenerConfig, ListenerTlsFiles, Readiness,
};
use coeval_storage::EventRetention;
use coeval_storage::maintenance::MaintenanceOptions;
use coeval_stores::OpenOptions;
use coeval_webhooks::{WebHookSettings, WebHooks};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Bytes of a gRPC message around the content.
const MESSAGE_AROUND: usize = 64 * 1024;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  coeval serve --data ./data
  coeval serve --listen 0.0.0.0:8080 --store postgres://coeval@127.0.0.1/coeval
  coeval serve --data ./data --bootstrap bootstrap.yaml --emulate acme:app=1.0.0")]
pub(crate) struct ServeOptions {
    /// Address and port for all APIs; port 0 picks a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    #[command(flatten)]
    pub(crate) address: StoreAddress,
    /// YAML of organizations, users, roles and types to make where they are absent
    #[arg(long, value_name = "FILE")]
    pub(super) bootstrap: Option<PathBuf>,
    /// What absolute URLs in answers begin with; the address that it listens on if nothing is said
    #[arg(long, value_name = "URL", value_parser = flags::public_url)]
    public_url: Option<String>,
    /// PEM certificate chain: serve TLS; read again when the file changes
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// PEM private key of the certificate; read again when the file changes
    #[arg(long, value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// PEM certificates of those who sign for clients: a client may show a certificate with the
    /// subject CN=<user>, O=<organization> instead of a token; read again when the file changes
    #[arg(long, value_name = "FILE")]
    client_ca: Option<PathBuf>,
    /// Take the last address of X-Forwarded-For for a request's source: only behind a proxy
    #[arg(long, value_name = "BOOL", default_value = "false", action = ArgAction::Set)]
    trust_forwarded_for: bool,
    /// The keyring for secure fields; without it COEVAL_SECRET_KEYRING may have the text
    #[arg(long, value_name = "FILE")]
    secret_keys: Option<PathBuf>,
    /// Know this type only up to this version, as an older server does: acme:app=1.1.0; repeatable
    #[arg(long, value_name = "TYPE=VERSION", value_delimiter = ',', value_parser = flags::emulated)]
    emulate: Vec<EmulatedVersion>,
    /// Work at this phase of a type's migration: acme:app=mirror; repeatable. Without it the server
    /// goes where the others go
    #[arg(long, value_name = "TYPE=PHASE", value_delimiter = ',', value_parser = flags::phase)]
    phases: Vec<AskedPhase>,
    /// When types that have resources at an older major are moved to the newest one
    #[arg(long, value_name = "WHEN", value_enum, default_value = "asked")]
    pub(super) migrate: MigrateWhen,
    /// Whether a change of an entity must say with If-Match which revision it changes
    #[arg(long, value_name = "BOOL", default_value = "false", action = ArgAction::Set)]
    require_if_match: bool,
    /// Whether the RDE API refuses a type version whose number is too small for its change
    #[arg(long, value_name = "BOOL", default_value = "false", action = ArgAction::Set)]
    refuse_small_bumps: bool,
    /// Connections at a time; more wait
    #[arg(long, value_name = "NUMBER", default_value = "10000", value_parser = flags::connections)]
    max_connections: usize,
    /// How long a connection may live, give or take a tenth; then its client is asked to open
    /// another one, which a balancer may lead to another server. Running requests and watches go
    /// on to their end; 0 is no limit
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = quantity::seconds)]
    max_connection_age_seconds: Duration,
    /// Requests a second of one user, or of one address without a user; as many may come at once;
    /// 0 is no limit
    #[arg(long, value_name = "NUMBER", default_value = "1000")]
    max_requests_per_user: u32,
    /// The largest body that is read, as 512KiB
    #[arg(long, value_name = "SIZE", default_value = "512KiB", value_parser = flags::body)]
    max_body: usize,
    /// The largest headers of one request that are read, as 64KiB
    #[arg(long, value_name = "SIZE", default_value = "64KiB", value_parser = flags::headers)]
    max_header_bytes: u32,
    /// How long a body may take to arrive
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = quantity::seconds)]
    body_seconds: Duration,
    /// After SIGTERM: how long the server says that it is not ready but still accepts
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = quantity::seconds)]
    drain_delay_seconds: Duration,
    /// After that: how long running requests may take to end before they are cut
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = quantity::seconds)]
    drain_seconds: Duration,
    /// How long events are kept for watchers that come back, as 30m or 1h
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = quantity::duration)]
    events_keep_age: Duration,
    /// How much space events may take, as 256MiB; the oldest go first
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = quantity::bytes)]
    events_keep_bytes: u64,
    /// Whether WebHooks may call this machine and private networks
    #[arg(long, value_name = "BOOL", default_value = "false", action = ArgAction::Set)]
    webhooks_allow_private: bool,
    /// Whether WebHooks may call without TLS
    #[arg(long, value_name = "BOOL", default_value = "false", action = ArgAction::Set)]
    webhooks_allow_http: bool,
    /// PEM certificates that WebHooks trust beside the public ones
    #[arg(long, value_name = "FILE")]
    webhooks_ca: Option<PathBuf>,
    #[command(flatten)]
    pub(super) logs: LogOptions,
    #[command(flatten)]
    pub(super) traces: TraceOptions,
}

impl ServeOptions {
    /// Whether it serves TLS.
    pub(crate) const fn has_tls(&self) -> bool {
        self.tls_cert.is_some() || self.tls_key.is_some()
    }

    pub(super) fn listener(&self) -> Result<ListenerConfig, Failure> {
        let tls = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Some(ListenerTlsFiles {
                client_ca: self.client_ca.clone(),
                ..ListenerTlsFiles::new(certificate.clone(), key.clone())
            }),
            (None, None) if self.client_ca.is_some() => {
                return Err(half_a_pair("--client-ca", "--tls-cert and --tls-key"));
            }
            (None, None) => None,
            (Some(_), None) => return Err(half_a_pair("--tls-cert", "--tls-key")),
            (None, Some(_)) => return Err(half_a_pair("--tls-key", "--tls-cert")),
        };
        Ok(ListenerConfig {
            tls,
            limits: ConnectionLimits {
                connections: self.max_connections,
                header_bytes: self.max_header_bytes,
                age: Some(self.max_connection_age_seconds).filter(|age| !age.is_zero()),
                ..ConnectionLimits::default()
            },
            drain: DrainPeriods {
                delay: self.drain_delay_seconds,
                limit: self.drain_seconds,
            },
            trust_forwarded_for: self.trust_forwarded_for,
            spans: self.traces.has_collector().then_some(REQUESTS),
            ..ListenerConfig::at(self.listen)
        })
    }

    pub(super) fn engine(&self) -> Result<Settings, Failure> {
        let emulate = self.emulate.iter();
        Ok(Settings {
            keyring: keyring::read(self.secret_keys.as_deref())?.map(Arc::new),
            emulate: emulate.map(|one| (one.of.clone(), one.version)).collect(),
            phases: self
                .phases
                .iter()
                .map(|one| (one.of.clone(), one.phase))
                .collect(),
            executors: vec![Arc::new(self.webhooks()?)],
            ..Settings::default()
        })
    }

    fn webhooks(&self) -> Result<WebHooks, Failure> {
        let settings = WebHookSettings {
            allow_private: self.webhooks_allow_private,
            allow_http: self.webhooks_allow_http,
            ca_file: self.webhooks_ca.clone(),
        };
        WebHooks::new(settings).map_err(|error| Failure::config(error.to_string(), error.advice()))
    }

    /// One for all APIs: who is too fast at one of them is so at all.
    pub(super) fn quota(&self) -> Arc<RequestQuota> {
        Arc::new(RequestQuota::per_second(self.max_requests_per_user))
    }

    pub(super) fn grpc(
        &self,
        quota: &Arc<RequestQuota>,
        listener: &Listener,
        readiness: &Readiness,
    ) -> coeval_grpc::GrpcSettings {
        coeval_grpc::GrpcSettings {
            message_bytes: self.max_body + MESSAGE_AROUND,
            quota: Arc::clone(quota),
            lifecycle: listener.lifecycle(),
            readiness: readiness.clone(),
            deprecations: deprecated::all(),
        }
    }

    pub(super) fn webapi(
        &self,
        quota: &Arc<RequestQuota>,
        listener: &Listener,
    ) -> coeval_webapi::WebApiSettings {
        coeval_webapi::WebApiSettings {
            public_url: self.url(&listener.url()),
            body_bytes: self.max_body,
            body_time: self.body_seconds,
            quota: Arc::clone(quota),
            lifecycle: listener.lifecycle(),
            deprecations: deprecated::all(),
        }
    }

    fn url(&self, listening: &str) -> String {
        self.public_url.as_deref().unwrap_or(listening).to_owned()
    }

    pub(super) fn cloudapi(
        &self,
        quota: &Arc<RequestQuota>,
        listener: &Listener,
    ) -> coeval_cloudapi::CloudApiSettings {
        coeval_cloudapi::CloudApiSettings {
            body_bytes: self.max_body,
            body_time: self.body_seconds,
            if_match_required: self.require_if_match,
            refuse_small_bumps: self.refuse_small_bumps,
            quota: Arc::clone(quota),
            ..coeval_cloudapi::CloudApiSettings::new(self.url(&listener.url()))
        }
    }

    pub(super) fn store(&self) -> OpenOptions {
        OpenOptions {
            maintenance: MaintenanceOptions {
                dependents: Some(Arc::new(ResourceBelongings::default())),
                retention: EventRetention {
                    age: self.events_keep_age,
                    bytes: self.events_keep_bytes,
                },
                ..MaintenanceOptions::default()
            },
            ..OpenOptions::default()
        }
    }
}

fn half_a_pair(given: &str, missing: &str) -> Failure {
    Failure::config(
        format!("{given} is given without {missing}"),
        "TLS needs both; give none of them to serve plain HTTP.",
    )
}
