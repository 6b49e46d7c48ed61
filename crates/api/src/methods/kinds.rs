//! Which resource is meant: kinds, namespaces, names and ids.

use crate::methods::ResourceMethods;
use crate::methods::body::ResourceMeta;
use crate::methods::error::MethodError;
use coeval_core::version::{EntityUrn, Uuid};
use coeval_engine::{Caller, EngineError, InOrg, Target, TypeKey, VENDOR};

/// What stands for every organization.
const ALL_NAMESPACES: &str = "-";

impl ResourceMethods {
    /// The type that a kind means: `vendor:nss`, or the nss alone where only one type that the
    /// caller sees has it.
    ///
    /// # Errors
    /// If there is none, or several.
    pub async fn kind(&self, caller: &Caller, kind: &str) -> Result<TypeKey, MethodError> {
        let unknown = || MethodError::KindUnknown {
            // Cut: it is the caller's own text, and goes into the answer.
            kind: kind.chars().take(200).collect(),
        };
        if kind.is_empty() {
            return Err(MethodError::invalid("kind is missing"));
        }
        if kind.contains(':') {
            let of = TypeKey::parse(kind).ok_or_else(unknown)?;
            let own = *of.vendor == *VENDOR;
            // What Coeval itself has is no registered type, so there is nothing that could be
            // hidden.
            return if own || self.engine.sees_type(caller, &of).await? {
                Ok(of)
            } else {
                // A type that the caller may not see is told as one that does not exist.
                Err(EngineError::TypeUnknown { of }.into())
            };
        }
        let own = TypeKey::new(VENDOR, kind);
        let mut types = self.engine.types_called(caller, kind).await?;
        match (types.pop(), types.is_empty()) {
            (Some(only), true) => Ok(only),
            // A registered type wins over a built-in kind of that nss, which its full name still
            // reaches.
            (None, _) if self.engine.is_own_kind(&own) => Ok(own),
            (None, _) => Err(unknown()),
            (Some(last), false) => {
                types.push(last);
                Err(MethodError::KindAmbiguous {
                    kind: kind.to_owned(),
                    types: types.iter().map(ToString::to_string).collect(),
                })
            }
        }
    }

    /// What a type is called: its nss, if the caller sees no other type with it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn kind_of(&self, caller: &Caller, of: &TypeKey) -> Result<String, MethodError> {
        let types = self.engine.types_called(caller, &of.nss).await?;
        // A type that the caller does not see makes nothing ambiguous for it.
        Ok(if types.iter().all(|other| other == of) {
            of.nss.to_string()
        } else {
            of.to_string()
        })
    }

    /// The organization that a namespace names; nothing: the caller's own.
    ///
    /// # Errors
    /// If there is none, or the caller may not know.
    pub async fn namespace(
        &self,
        caller: &Caller,
        namespace: &str,
    ) -> Result<Option<String>, MethodError> {
        if namespace.is_empty() {
            return Ok(None);
        }
        // By its own name or id: whoever may name no other organization may say where it is.
        let own = self.engine.name_of(caller, caller.org()).await?;
        if own.as_deref() == Some(namespace) || caller.org() == namespace {
            return Ok(None);
        }
        let found = self.engine.org_id(namespace).await?;
        if caller.subject.is_provider() {
            Ok(Some(found))
        } else {
            // Others are not told which there are.
            Err(coeval_engine::EngineError::Identity(
                coeval_engine::identity::IdentityError::OrgUnknown {
                    what: namespace.to_owned(),
                },
            )
            .into())
        }
    }

    /// The organizations that a listing or a watch is of; `-` is all of them.
    ///
    /// # Errors
    /// As [`ResourceMethods::namespace`].
    pub async fn scope(&self, caller: &Caller, namespace: &str) -> Result<InOrg, MethodError> {
        if namespace == ALL_NAMESPACES {
            return Ok(InOrg::All);
        }
        let org = self.namespace(caller, namespace).await?;
        Ok(org.map_or(InOrg::Own, InOrg::One))
    }

    /// The resource that a name or id means.
    ///
    /// # Errors
    /// If nothing is said, or the id is of another type.
    pub async fn target(
        &self,
        caller: &Caller,
        of: &TypeKey,
        name: &str,
        namespace: &str,
    ) -> Result<Target, MethodError> {
        if name.is_empty() {
            return Err(MethodError::invalid("name is missing: say a name or an id"));
        }
        // Ids are known by their prefix, so that they work wherever names do.
        if let Some(id) = id_of(of, name)? {
            return Ok(Target::Id(id));
        }
        let org = self.namespace(caller, namespace).await?;
        Ok(Target::Name {
            org: org.unwrap_or_else(|| caller.org().to_owned()),
            name: name.to_owned(),
        })
    }

    /// The resource that a body means: by its id, if it has one, else by its name.
    ///
    /// # Errors
    /// As [`ResourceMethods::target`].
    pub async fn target_of(
        &self,
        caller: &Caller,
        of: &TypeKey,
        meta: &ResourceMeta,
    ) -> Result<Target, MethodError> {
        // The id says more: the name may be another resource's by now.
        if !meta.id.is_empty() {
            let id = id_of(of, &meta.id)?;
            let bad = || MethodError::invalid(format!("{:?} is no id of a resource", meta.id));
            return id.map(Target::Id).ok_or_else(bad);
        }
        self.target(caller, of, &meta.name, &meta.namespace).await
    }
}

/// The id, if the text is one of a resource.
fn id_of(of: &TypeKey, text: &str) -> Result<Option<Uuid>, MethodError> {
    if !text.starts_with("urn:vcloud:entity:") {
        return Ok(None);
    }
    let urn = EntityUrn::parse(text)
        .map_err(|error| MethodError::invalid(format!("{text:?} is no id: {error}")))?;
    let named = TypeKey::new(urn.name.vendor.as_str(), urn.name.nss.as_str());
    // Under this type's keys the id would only be *not found*, and the slip would stay unseen.
    if named == *of {
        Ok(Some(urn.uuid))
    } else {
        Err(MethodError::invalid(format!(
            "the id is of {named}, and {of} is asked for"
        )))
    }
}
