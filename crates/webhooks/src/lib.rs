//! Executes behaviors of the kind `WebHook`: one signed POST to the server that the definition
//! names, and its answer.
//!
//! It goes to an address that was looked up and checked just before, never to one of this machine
//! or of a private network unless that is allowed; it follows no redirect, takes no more than the
//! time and the bytes that it is given, and tells no key, neither to that server nor to a log.

mod address;
mod answer;
mod call;
mod definition;
mod payload;
mod settings;
mod signature;

pub use address::is_public;
pub use settings::{SetupError, WebHookSettings};
pub use signature::{sign, signed_text};

use async_trait::async_trait;
use coeval_engine::lifecycle::{ExecutionError, Executor, Invocation};
use definition::WebhookDefinition;
use rustls::ClientConfig;
use serde_json::Value;
use std::sync::Arc;

/// The executor of `WebHook` behaviors.
#[derive(Debug)]
pub struct WebHooks {
    settings: WebHookSettings,
    tls: Arc<ClientConfig>,
}

impl WebHooks {
    /// With these settings.
    ///
    /// # Errors
    /// If the file of certificates can't be used.
    pub fn new(settings: WebHookSettings) -> Result<Self, SetupError> {
        let tls = Arc::new(settings.tls()?);
        Ok(Self { settings, tls })
    }
}

#[async_trait]
impl Executor for WebHooks {
    fn kind(&self) -> &'static str {
        "WebHook"
    }

    fn check(&self, execution: &Value) -> Result<(), ExecutionError> {
        WebhookDefinition::read(execution, &self.settings).map(|_| ())
    }

    async fn execute(&self, invocation: &Invocation) -> Result<Value, ExecutionError> {
        let definition = WebhookDefinition::read(&invocation.execution, &self.settings)?;
        let body = payload::of(invocation);
        let called = call::call(self, &definition, invocation, body);
        match tokio::time::timeout(definition.time, called).await {
            Ok(answered) => answered,
            Err(_) => Err(ExecutionError::TimedOut {
                host: definition.host,
                seconds: definition.time.as_secs(),
            }),
        }
    }
}
