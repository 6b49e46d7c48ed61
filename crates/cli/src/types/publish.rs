//! `coeval type publish` and `coeval type unpublish`: which organizations see a type.
//!
//! Every type has a rights bundle of its own. Published to an organization, it brings the rights of
//! the type and a grant on each version that there is.

use crate::context::ClientSession;
use crate::failure::Failure;
use crate::rows::say;
use coeval_client::ClientError;
use coeval_proto::access::v1 as pb;

/// To whom.
#[derive(Debug)]
pub(super) struct PublishedTo {
    pub(super) named: Vec<String>,
    pub(super) all: bool,
}

impl PublishedTo {
    fn told(&self) -> String {
        if self.all {
            "all organizations".to_owned()
        } else {
            self.named.join(", ")
        }
    }
}

pub(super) async fn publish(
    session: &ClientSession,
    of: &str,
    to: PublishedTo,
) -> Result<(), Failure> {
    let bundle = bundle_of(session, of).await?;
    let told = format!("{} is published to {}", bundle.r#type, to.told());
    let request = pb::PublishBundleRequest {
        name: bundle.id,
        organizations: to.named,
        all: to.all,
    };
    let done = session.client.bundles().publish_bundle(request).await;
    done.map_err(ClientError::of_write)?;
    say(&told);
    Ok(())
}

pub(super) async fn unpublish(
    session: &ClientSession,
    of: &str,
    from: PublishedTo,
) -> Result<(), Failure> {
    let bundle = bundle_of(session, of).await?;
    let told = format!("{} is taken from {}", bundle.r#type, from.told());
    let request = pb::UnpublishBundleRequest {
        name: bundle.id,
        organizations: from.named,
        all: from.all,
    };
    let done = session.client.bundles().unpublish_bundle(request).await;
    done.map_err(ClientError::of_write)?;
    say(&told);
    Ok(())
}

/// The bundle that was made for the type.
async fn bundle_of(session: &ClientSession, of: &str) -> Result<pb::Bundle, Failure> {
    let (mut found, mut page_token) = (Vec::new(), String::new());
    // With a vendor the name is exact; without one its last part decides.
    let is = |bundle: &pb::Bundle| {
        if of.contains(':') {
            bundle.r#type == of
        } else {
            bundle.r#type.rsplit(':').next() == Some(of) && !bundle.r#type.is_empty()
        }
    };
    loop {
        let request = pb::ListBundlesRequest {
            page_size: 0,
            page_token,
        };
        let page = session.client.bundles().list_bundles(request).await;
        let page = page.map_err(ClientError::from)?.into_inner();
        found.extend(page.bundles.into_iter().filter(is));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    let none = || {
        Failure::refused(
            format!("there is no type {of} that can be published"),
            "`coeval type list` shows the types that there are.",
        )
    };
    let types: Vec<_> = found.iter().map(|bundle| bundle.r#type.clone()).collect();
    // Two vendors may have a type of this name.
    if types.len() > 1 {
        return Err(Failure::usage(
            format!("{of} can be {}", types.join(" or ")),
            "Say which, with the vendor before it.",
        ));
    }
    found.pop().ok_or_else(none)
}
