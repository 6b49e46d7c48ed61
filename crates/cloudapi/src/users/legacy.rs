//! One user in XML.

use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use crate::orgs::places;
use crate::xml;
use coeval_api::rest::RestAnswer;
use std::sync::Arc;

pub(super) async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    let caller = call.caller()?;
    let user = api.engine.get_user(caller, call.param("id")).await?;
    let mut roles = Vec::new();
    for role in &user.roles {
        let name = api.engine.name_of(caller, role).await?;
        roles.push((role, name));
    }
    let own = places::href(&api, "admin/user", &user.id);
    let text = xml::document(|w| {
        let attributes = [
            ("xmlns", xml::VCLOUD),
            ("name", user.name.as_str()),
            ("id", &user.id),
            ("href", &own),
            ("type", places::USER),
        ];
        w.element("User", &attributes, |w| {
            w.text(
                "Description",
                &[],
                user.description.as_deref().unwrap_or(""),
            );
            w.text("FullName", &[], user.full_name.as_deref().unwrap_or(""));
            w.text("EmailAddress", &[], user.email.as_deref().unwrap_or(""));
            w.text("IsEnabled", &[], &user.enabled.to_string());
            w.text("IsLocked", &[], "false");
            for (id, name) in &roles {
                let href = places::href(&api, "admin/role", id);
                let attributes = [
                    ("href", href.as_str()),
                    ("id", id),
                    ("name", name.as_deref().unwrap_or_default()),
                    ("type", places::ROLE),
                ];
                w.empty("Role", &attributes);
            }
        });
    });
    Ok(RestAnswer::xml("vnd.vmware.admin.user+xml", text))
}
