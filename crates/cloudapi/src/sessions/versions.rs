//! Which API versions are served.

use crate::api::CloudState;
use crate::api_version::ApiVersion;
use crate::call::CloudCall;
use crate::error::ApiError;
use crate::xml;
use coeval_api::rest::RestAnswer;
use std::sync::Arc;

pub(super) async fn get(api: Arc<CloudState>, _: CloudCall) -> Result<RestAnswer, ApiError> {
    let login = format!("{}/cloudapi/1.0.0/sessions", api.settings.public_url);
    let provider = format!("{login}/provider");
    let text = xml::document(|w| {
        let names = [("xmlns", "http://www.vmware.com/vcloud/versions")];
        w.element("SupportedVersions", &names, |w| {
            for version in ApiVersion::SERVED {
                w.element("VersionInfo", &[("deprecated", "false")], |w| {
                    w.text("Version", &[], &version.to_string());
                    w.text("LoginUrl", &[], &login);
                    w.text("ProviderLoginUrl", &[], &provider);
                });
            }
        });
    });
    Ok(RestAnswer::xml("vnd.vmware.vcloud.versions+xml", text))
}
