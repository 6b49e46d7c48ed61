//! A GET of something that the server has beside its services, such as the `.proto` files of typed
//! services, over the same connection and with the same credentials.

use crate::client::Client;
use crate::error::{ClientError, ClientErrorKind};
use http::Request;
use http_body_util::{BodyExt as _, Limited};
use std::error::Error;
use std::time::Duration;
use tonic::body::Body;
use tower::{Service as _, ServiceExt as _};

/// Nothing that is asked for so is larger.
const LARGEST: usize = 64 << 20;
/// How long a server may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// An answer, whatever it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainAnswer {
    /// The status, such as 200.
    pub status: u16,
    /// The body.
    pub text: String,
}

impl Client {
    /// What the server answers to a GET of a path, such as `/protos`.
    ///
    /// # Errors
    /// If there is no answer, or it is no text. An answer that says no is none.
    pub async fn get_plain(&self, path: &str) -> Result<PlainAnswer, ClientError> {
        match tokio::time::timeout(PATIENCE, self.send_get(path)).await {
            Ok(answer) => answer,
            Err(_) => Err(self.silent(&"it takes too long")),
        }
    }

    async fn send_get(&self, path: &str) -> Result<PlainAnswer, ClientError> {
        let request = Request::get(path).body(Body::empty());
        let request = request.map_err(|error| {
            let message = format!("{path:?} is no path: {error}");
            ClientError::new(
                ClientErrorKind::Invalid,
                message,
                "Check the name that it is made of.",
            )
        })?;
        let mut connection = self.connection.clone();
        let ready = connection
            .ready()
            .await
            .map_err(|e| self.silent(&deepest(&e)))?;
        let answer = ready.call(request).await;
        let answer = answer.map_err(|error| self.silent(&deepest(&error)))?;
        let status = answer.status().as_u16();
        // Bounded: whatever answers here may be no server of ours.
        let body = Limited::new(answer.into_body(), LARGEST).collect().await;
        let body = body.map_err(|error| self.silent(&error))?.to_bytes();
        let text = String::from_utf8(body.into()).map_err(|error| self.silent(&error))?;
        Ok(PlainAnswer { status, text })
    }

    fn silent(&self, why: &dyn std::fmt::Display) -> ClientError {
        let message = format!("{} does not answer: {why}", self.url());
        let advice = "Check the address and that a server is running there.";
        ClientError::new(ClientErrorKind::Unavailable, message, advice)
    }
}

/// What the others wrap: "transport error" alone tells nothing.
fn deepest(error: &dyn Error) -> String {
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}
