//! The service of interfaces.

use crate::api::GrpcState;
use crate::call::served;
use crate::fields::{needed, text};
use crate::ids;
use crate::pages::PageRequest;
use crate::proto::types::v1 as pb;
use coeval_api::methods::MethodError;
use coeval_core::types::InterfaceId;
use coeval_core::version::Version;
use coeval_engine::types::Interface;
use coeval_engine::{Caller, EngineError};
use std::sync::Arc;

/// The service.
#[derive(Clone, Debug)]
pub(crate) struct InterfaceService(pub(crate) Arc<GrpcState>);

served!(pb::interface_service_server::InterfaceService, InterfaceService {
    create_interface(pb::CreateInterfaceRequest) -> pb::CreateInterfaceResponse = create;
    get_interface(pb::GetInterfaceRequest) -> pb::GetInterfaceResponse = get;
    list_interfaces(pb::ListInterfacesRequest) -> pb::ListInterfacesResponse = list;
    update_interface(pb::UpdateInterfaceRequest) -> pb::UpdateInterfaceResponse = update;
    delete_interface(pb::DeleteInterfaceRequest) -> () = delete;
});

async fn create(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::CreateInterfaceRequest,
) -> Result<pb::CreateInterfaceResponse, MethodError> {
    let asked = needed(asked.interface, "interface")?;
    let id = InterfaceId {
        vendor: text(asked.vendor, "vendor")?,
        nss: text(asked.nss, "nss")?,
        version: Version::parse_full(&text(asked.version, "version")?)?,
    };
    let interface = Interface::new(&id, text(asked.title, "title")?);
    let engine = api.methods.engine();
    match engine.define_interface(&caller, &interface).await {
        // The engine refuses both what can't be an interface and what is one already; gRPC's clients look for
        // ALREADY_EXISTS.
        Err(EngineError::TypeRefused { .. }) if engine.interface(&id).await.is_ok() => {
            let what = format!("the interface {id}");
            return Err(MethodError::Exists { what });
        }
        other => other?,
    }
    Ok(pb::CreateInterfaceResponse {
        interface: Some(shown(&interface)),
    })
}

async fn get(
    api: Arc<GrpcState>,
    _: Caller,
    asked: pb::GetInterfaceRequest,
) -> Result<pb::GetInterfaceResponse, MethodError> {
    let id = ids::interface(&asked.id)?;
    let found = api.methods.engine().interface(&id).await?;
    Ok(pb::GetInterfaceResponse {
        interface: Some(shown(&found)),
    })
}

async fn list(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::ListInterfacesRequest,
) -> Result<pb::ListInterfacesResponse, MethodError> {
    let page = (asked.page_size, asked.page_token.as_str());
    let page = PageRequest::read((&api, &caller), "interfaces", &[], page).await?;
    let all = api.methods.engine().interfaces().await?;
    let (found, next_page_token) = page.cut(all, id).await?;
    Ok(pb::ListInterfacesResponse {
        interfaces: found.iter().map(shown).collect(),
        next_page_token,
    })
}

/// Only the title changes; the rest is what the client read.
async fn update(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::UpdateInterfaceRequest,
) -> Result<pb::UpdateInterfaceResponse, MethodError> {
    let asked = needed(asked.interface, "interface")?;
    let id = ids::interface(&asked.id)?;
    let title = text(asked.title, "title")?;
    let rename = |interface: &mut Interface| title.clone_into(&mut interface.name);
    let done = api.methods.engine().edit_interface(&caller, &id, rename);
    Ok(pb::UpdateInterfaceResponse {
        interface: Some(shown(&done.await?)),
    })
}

async fn delete(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::DeleteInterfaceRequest,
) -> Result<(), MethodError> {
    let id = ids::interface(&asked.id)?;
    Ok(api.methods.engine().delete_interface(&caller, &id).await?)
}

fn id(interface: &Interface) -> String {
    format!(
        "{}:{}:{}",
        interface.vendor, interface.nss, interface.version
    )
}

fn shown(interface: &Interface) -> pb::Interface {
    pb::Interface {
        id: id(interface),
        vendor: interface.vendor.clone(),
        nss: interface.nss.clone(),
        version: interface.version.clone(),
        title: interface.name.clone(),
        built_in: interface.built_in,
    }
}
