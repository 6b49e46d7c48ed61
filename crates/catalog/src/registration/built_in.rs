//! What clients of the RDE API expect to be there already: an interface of Kubernetes clusters and
//! a type that implements it. Both are built in; their vendor is free for users' own types.

use crate::behaviors::Behavior;
use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::kinds::CLUSTER_TYPE;
use crate::registration::bundles::TypeBundles;
use crate::registration::register::Registration;
use crate::types::interface::Interface;
use coeval_core::types::{InterfaceId, TypeVersion};
use coeval_core::version::Version;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{Key, StorageError};
use serde_json::json;
use std::sync::Arc;

const FIRST: Version = Version::new(1, 0, 0);

fn kubernetes() -> Interface {
    let id = InterfaceId {
        vendor: "vmware".to_owned(),
        nss: "k8s".to_owned(),
        version: FIRST,
    };
    let mut interface = Interface::new(&id, "Kubernetes");
    interface.built_in = true;
    interface.behaviors = vec![Behavior {
        name: "createKubeConfig".to_owned(),
        description: Some("Creates and returns a kubeconfig".to_owned()),
        execution: json!({ "id": "CreateKubeConfigActivity", "type": "Activity" }),
    }];
    interface
}

fn cluster() -> TypeKey {
    TypeKey::new("vmware", "tkgcluster")
}

/// The records that are there once it is installed.
pub fn records() -> Result<[Key; 2], StorageError> {
    let interface = keys::interface("vmware", "k8s", FIRST)?;
    Ok([interface, keys::type_version(&cluster(), FIRST)?])
}

impl Catalog {
    pub async fn install_built_in(
        &self,
        caller: &Caller,
        bundles: &dyn TypeBundles,
    ) -> Result<(), EngineError> {
        let interface = kubernetes();
        let id = interface.id()?;
        match self.interface(&id).await {
            Ok(_) => {}
            Err(EngineError::InterfaceUnknown { .. }) => {
                if let Err(error) = self.define_interface(caller, &interface).await {
                    // Another server was faster, or this is another failure.
                    self.interface(&id).await.map_err(|_| error)?;
                }
            }
            Err(error) => return Err(error),
        }
        let version = TypeVersion::parse(CLUSTER_TYPE);
        let version = version.map_err(|error| EngineError::TypeFile(Box::new(error)))?;
        // After the interface, which the type implements.
        let (of, registration) = (cluster(), Registration::of(CLUSTER_TYPE));
        let registered = self
            .register_version(caller, &registration, Arc::new(version), &of, true, bundles)
            .await;
        match registered {
            Ok(_) | Err(EngineError::TypeExists { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
