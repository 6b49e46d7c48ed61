//! What a server can be told. This is the one declaration of flags, variables and keys.

use crate::failure::Failure;
use crate::quantity;
use crate::store_address::StoreAddress;
use crate::telemetry::LogOptions;
use clap::Args;
use coeval_engine::{ResourceBelongings, Settings};
use coeval_server::{Config, Drain, Limits, TlsFiles};
use coeval_storage::Retention;
use coeval_storage::maintenance::Maintenance;
use coeval_stores::OpenOptions;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Args)]
pub(crate) struct ServeOptions {
    /// Address and port for all APIs; port 0 picks a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    #[command(flatten)]
    pub(super) address: StoreAddress,
    /// YAML of organizations, users, roles and types to make where they are absent
    #[arg(long, value_name = "FILE")]
    pub(super) bootstrap: Option<PathBuf>,
    /// What absolute URLs in answers begin with; the address that it listens on if nothing is said
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// PEM certificate chain: serve TLS; read again when the file changes
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// PEM private key of the certificate; read again when the file changes
    #[arg(long, value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// Connections at a time; more wait
    #[arg(long, value_name = "NUMBER", default_value = "10000", value_parser = connections)]
    max_connections: usize,
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
    #[command(flatten)]
    pub(super) logs: LogOptions,
}

impl ServeOptions {
    pub(super) fn listener(&self) -> Result<Config, Failure> {
        let tls = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Some(TlsFiles::new(certificate.clone(), key.clone())),
            (None, None) => None,
            (Some(_), None) => return Err(half_a_pair("--tls-cert", "--tls-key")),
            (None, Some(_)) => return Err(half_a_pair("--tls-key", "--tls-cert")),
        };
        Ok(Config {
            tls,
            limits: Limits {
                connections: self.max_connections,
                ..Limits::default()
            },
            drain: Drain {
                delay: self.drain_delay_seconds,
                limit: self.drain_seconds,
            },
            ..Config::at(self.listen)
        })
    }

    pub(super) fn engine(&self) -> Result<Settings, Failure> {
        Ok(Settings::default())
    }

    pub(super) fn cloudapi(&self, listening: &str) -> coeval_cloudapi::Settings {
        let url = self.public_url.as_deref().unwrap_or(listening);
        coeval_cloudapi::Settings::new(url.trim_end_matches('/'))
    }

    pub(super) fn store(&self) -> OpenOptions {
        OpenOptions {
            maintenance: Maintenance {
                belongings: Some(Arc::new(ResourceBelongings::default())),
                retention: Retention {
                    age: self.events_keep_age,
                    bytes: self.events_keep_bytes,
                },
                ..Maintenance::default()
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

/// More than the semaphore can count is no limit at all.
fn connections(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (1..=1_000_000).contains(&number) => Ok(number),
        _ => Err("use a number from 1 to 1000000".to_owned()),
    }
}
