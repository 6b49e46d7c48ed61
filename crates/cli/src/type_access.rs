//! `coeval type grants`, `grant` and `revoke`: who sees a type version.

use crate::access::{GrantLevel, level_name, member_argument};
use crate::context::ClientSession;
use crate::failure::Failure;
use crate::members::{MemberName, id_of};
use crate::rows::{OutputFormat, print_rows, say};
use coeval_client::ClientError;
use coeval_proto::access::v1 as pb;
use serde_json::json;

/// Shows who is granted what on a type version.
///
/// # Errors
/// What the server refuses.
pub(crate) async fn grants(
    session: &ClientSession,
    id: &str,
    format: &OutputFormat,
) -> Result<(), Failure> {
    let request = pb::GetTypeAclRequest {
        type_version: id.to_owned(),
    };
    let found = session.client.access().get_type_acl(request).await;
    let found = found.map_err(ClientError::from)?.into_inner();
    let row = |one: &pb::Grant| {
        vec![
            member_argument(one),
            level_name(one.level).to_owned(),
            one.member.clone(),
        ]
    };
    let value = |one: &pb::Grant| json!({"member": one.member, "name": one.member_name, "level": level_name(one.level)});
    let rows: Vec<_> = found.grants.iter().map(row).collect();
    let values: Vec<_> = found.grants.iter().map(value).collect();
    print_rows(format, &["member", "level", "id"], &rows, &values)
}

/// Lets somebody see a type version.
///
/// # Errors
/// What the server refuses.
pub(crate) async fn grant(
    session: &ClientSession,
    id: &str,
    member: &MemberName,
    level: GrantLevel,
) -> Result<(), Failure> {
    let request = pb::GrantTypeAccessRequest {
        type_version: id.to_owned(),
        member: id_of(session, member).await?,
        level: level.sent().into(),
    };
    let done = session.client.access().grant_type_access(request).await;
    let done = done.map_err(ClientError::of_write)?.into_inner().grant;
    let done = done.unwrap_or_default();
    say(&format!(
        "{} has {} on {id}",
        member_argument(&done),
        level_name(done.level)
    ));
    Ok(())
}

/// Takes a grant on a type version away.
///
/// # Errors
/// What the server refuses.
pub(crate) async fn revoke(
    session: &ClientSession,
    id: &str,
    member: &MemberName,
) -> Result<(), Failure> {
    let request = pb::RevokeTypeAccessRequest {
        type_version: id.to_owned(),
        member: id_of(session, member).await?,
    };
    let done = session.client.access().revoke_type_access(request).await;
    done.map_err(ClientError::of_write)?;
    say(&format!("grant on {id} taken away"));
    Ok(())
}
