//! Whether a content would fit, found out here: the schemas come from the server, the content does
//! not go there.

use super::error::ApplyError;
use super::plan::ApplyPlan;
use crate::context::ClientSession;
use coeval_client::{ClientError, Resource};
use coeval_core::convert::{ConversionRefusal, Versions};
use coeval_core::types::{ContentError, RemoteRefs, TypeVersion};
use coeval_core::version::{Version, WriteVersion};
use coeval_proto::types::v1::ListTypeVersionsRequest;
use serde_json::Value;
use std::sync::Arc;

/// How many undeclared fields are named.
const NAMED: usize = 8;

/// What is found.
#[derive(Debug, PartialEq)]
enum SchemaFit {
    Fits,
    Unfit(ContentError),
    /// It sets fields that only other versions have.
    Unexpressed(ConversionRefusal),
    /// It fits, and these fields no version declares.
    Undeclared(Vec<String>),
    /// There is no schema that the caller sees, or none that this release reads.
    Unknown,
}

/// Whether what is planned would be taken at its version.
async fn fits(session: &ClientSession, plan: &ApplyPlan) -> Result<SchemaFit, ClientError> {
    let body = &plan.body;
    let Ok(version) = WriteVersion::parse(&body.version) else {
        return Ok(SchemaFit::Unknown);
    };
    let types = seen(session, &body.kind).await?;
    let before = plan.live.as_ref().map(|live| &live.spec);
    Ok(judge(types, version.version(), body, before))
}

/// Why a plan would be refused for its content; a note of it, if nobody can tell.
pub(crate) async fn schema_refusal(
    session: &ClientSession,
    plan: &mut ApplyPlan,
) -> Option<ApplyError> {
    let name = plan.target.to_string();
    match fits(session, plan).await {
        Ok(SchemaFit::Fits) => None,
        Ok(SchemaFit::Unfit(error)) => Some(ApplyError::Unfit { name, error }),
        Ok(SchemaFit::Unexpressed(error)) => Some(ApplyError::Unexpressed { name, error }),
        Ok(SchemaFit::Undeclared(fields)) if session.strict => {
            let kind = plan.target.kind.clone();
            Some(ApplyError::Undeclared { name, kind, fields })
        }
        Ok(SchemaFit::Undeclared(fields)) => {
            let (kind, fields) = (&plan.target.kind, fields.join(", "));
            let note = format!("no version of {kind} declares {fields}: stored as sent");
            plan.notes.push(note);
            None
        }
        Ok(SchemaFit::Unknown) => {
            let version = plan.version();
            let note = format!("{name} was not checked: no schema of {version} can be seen");
            plan.notes.push(note);
            None
        }
        Err(error) => Some(ApplyError::Client { name, error }),
    }
}

/// The versions of a kind that the caller sees and this release reads.
async fn seen(session: &ClientSession, kind: &str) -> Result<Vec<Arc<TypeVersion>>, ClientError> {
    let (vendor, nss) = kind.split_once(':').unwrap_or(("", kind));
    let mut types = Vec::new();
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
        let files = page.type_versions.iter().map(|one| &one.file);
        let read = files.map(|file| TypeVersion::parse_with(file, RemoteRefs::Anything));
        types.extend(read.flatten().map(Arc::new));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(types);
        }
    }
}

/// As the server judges a write, so far as that can be known here.
fn judge(
    types: Vec<Arc<TypeVersion>>,
    at: Version,
    body: &Resource,
    before: Option<&Value>,
) -> SchemaFit {
    let Some(own) = types.iter().find(|one| one.id.version == at).cloned() else {
        return SchemaFit::Unknown;
    };
    let spec = &body.spec;
    // Where a parent is hidden from the caller, the server alone can tell.
    if let Ok(versions) = Versions::of_shared(types.clone())
        && let Err(refusal) = versions.check_expressed(at, spec, before)
    {
        return SchemaFit::Unexpressed(refusal);
    }
    if let Err(error) = own.schema.validate(spec) {
        return SchemaFit::Unfit(error);
    }
    let mut fields = own.schema.undeclared(spec, NAMED);
    fields.retain(|field| !types.iter().any(|one| one.schema.declares(field)));
    if fields.is_empty() {
        SchemaFit::Fits
    } else {
        SchemaFit::Undeclared(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_codes::Coded as _;
    use serde_json::json;

    fn file(version: &str, properties: &Value) -> Arc<TypeVersion> {
        let schema = json!({"type": "object", "properties": properties});
        let spec = json!({"vendor": "acme", "nss": "app", "version": version, "schema": schema});
        let name = format!("acme:app:{version}");
        let file =
            json!({"kind": "type", "version": "v1", "metadata": {"name": name}, "spec": spec});
        Arc::new(TypeVersion::parse(&file.to_string()).unwrap())
    }

    fn judged(spec: Value, before: Option<&Value>) -> SchemaFit {
        let image = json!({"type": "string"});
        let types = vec![
            file("1.0.0", &json!({"image": image})),
            file("1.1.0", &json!({"image": image, "owner": image})),
        ];
        let body = Resource::new("app", "v1", "web", spec);
        judge(types, Version::new(1, 0, 0), &body, before)
    }

    #[test]
    fn a_body_is_judged_as_the_server_judges_it() {
        assert_eq!(judged(json!({"image": "a"}), None), SchemaFit::Fits);
        let later = json!({"image": "a", "owner": "me"});
        let SchemaFit::Unexpressed(refusal) = judged(later.clone(), None) else {
            panic!("a field of 1.1.0 is accepted at 1.0.0");
        };
        assert_eq!(refusal.code(), coeval_codes::BODY_UNEXPRESSED);
        // What was stored stays writable.
        assert_ne!(
            judged(later.clone(), Some(&later)),
            SchemaFit::Unexpressed(refusal)
        );
        assert!(matches!(
            judged(json!({"image": 1}), None),
            SchemaFit::Unfit(_)
        ));
        let slip = judged(json!({"image": "a", "imgae": "b"}), None);
        assert_eq!(slip, SchemaFit::Undeclared(vec!["/imgae".to_owned()]));
    }
}
