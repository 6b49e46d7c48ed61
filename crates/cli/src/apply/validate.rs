//! Whether a content would fit, found out here: the schema comes from the server, the content does
//! not go there.

use crate::context::ClientSession;
use coeval_client::{ClientError, Resource};
use coeval_core::types::{ContentError, RemoteRefs, TypeVersion};
use coeval_core::version::WriteVersion;
use coeval_proto::types::v1::ListTypeVersionsRequest;

/// What is found.
#[derive(Debug)]
pub(crate) enum SchemaFit {
    Fits,
    Unfit(ContentError),
    /// There is no schema that the caller sees, or none that this release reads.
    Unknown,
}

/// Whether a resource fits the schema of its version.
pub(crate) async fn fits(
    session: &ClientSession,
    resource: &Resource,
) -> Result<SchemaFit, ClientError> {
    let Ok(version) = WriteVersion::parse(&resource.version) else {
        // A version that can't be read is refused by the server, which knows more than this
        // release.
        return Ok(SchemaFit::Unknown);
    };
    let version = version.version().to_string();
    let (vendor, nss) = match resource.kind.split_once(':') {
        Some((vendor, nss)) => (vendor, nss),
        None => ("", resource.kind.as_str()),
    };
    let mut page_token = String::new();
    loop {
        let request = ListTypeVersionsRequest {
            vendor: vendor.to_owned(),
            nss: nss.to_owned(),
            page_token,
            ..Default::default()
        };
        let mut service = session.client.types();
        let page = service.list_type_versions(request).await?.into_inner();
        let mut versions = page.type_versions.into_iter();
        // Page by page only until it is found: a type may have many versions, and each comes with
        // its file.
        if let Some(found) = versions.find(|one| one.version == version) {
            // What the schema refers to elsewhere accepts anything, as it does at the server.
            let read = TypeVersion::parse_with(&found.file, RemoteRefs::Anything);
            return Ok(
                match read.map(|read| read.schema.validate(&resource.spec)) {
                    Ok(Ok(())) => SchemaFit::Fits,
                    Ok(Err(error)) => SchemaFit::Unfit(error),
                    Err(_) => SchemaFit::Unknown,
                },
            );
        }
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(SchemaFit::Unknown);
        }
    }
}
