//! The behaviors of a type version: those of its interfaces, how it does them otherwise, and who
//! may invoke them. A behavior is named by its id at the interface or by that at the type.

use crate::behaviors::execution::keeping_hidden;
use crate::behaviors::{
    Behavior, BehaviorAccess, BehaviorOverride, TypeBehavior, type_behavior_id,
};
use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::registration::notes::NoteChange;
use coeval_access::{GeneralRight, TypeAction};
use coeval_core::types::{InterfaceId, TypeVersion, TypeVersionId};
use coeval_core::version::Version;
use coeval_records::audit::What;
use coeval_records::error::EngineError;
use coeval_records::keys::TypeKey;
use serde_json::Value;

/// A behavior's id, at an interface or at a type, as it is at the interface.
fn at_interface(id: &str) -> Option<(String, InterfaceId)> {
    let parts: Vec<&str> = id.split(':').collect();
    let ["urn", "vcloud", kind, name, rest @ ..] = parts.as_slice() else {
        return None;
    };
    let (vendor, nss, version) = match (*kind, rest) {
        ("behavior-interface", [vendor, nss, version])
        | ("behavior-type", [_, _, _, vendor, nss, version]) => (vendor, nss, version),
        _ => return None,
    };
    let interface = InterfaceId {
        vendor: (*vendor).to_owned(),
        nss: (*nss).to_owned(),
        version: Version::parse_full(version).ok()?,
    };
    Some(((*name).to_owned(), interface))
}

/// What a new version inherits of who may invoke what: that which it has too, by the ids that all
/// versions share.
pub(crate) fn inherited(access: &[BehaviorAccess], new: &TypeVersion) -> Vec<BehaviorAccess> {
    let mut all: Vec<BehaviorAccess> = Vec::new();
    for one in access {
        let Some((name, interface)) = at_interface(&one.behavior) else {
            continue;
        };
        let behavior = crate::behaviors::interface_behavior_id(&name, &interface);
        // Said at the type and at the interface it is one behavior: what comes first counts.
        let known = all.iter().any(|other| other.behavior == behavior);
        if new.interfaces.contains(&interface) && !known {
            let level = one.level;
            all.push(BehaviorAccess { behavior, level });
        }
    }
    all
}

/// The behavior of that id, at the interface or at the type, overridden or not.
fn find<'b>(
    all: &'b [TypeBehavior],
    of: &TypeKey,
    version: Version,
    which: &str,
) -> Result<&'b TypeBehavior, EngineError> {
    let is = |one: &&TypeBehavior| {
        let at = at_interface(&one.reference);
        let own = at.map(|(name, interface)| type_behavior_id(&name, of, version, &interface));
        one.reference == which || own.as_deref() == Some(which)
    };
    all.iter()
        .find(is)
        .ok_or_else(|| EngineError::BehaviorUnknown {
            of: format!("the type version {of}:{version}"),
            what: which.chars().take(200).collect(),
        })
}

impl Catalog {
    /// The behaviors of a type version.
    ///
    /// # Errors
    /// If there is no such version, or the caller may not see them.
    pub async fn type_behaviors(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
    ) -> Result<Vec<TypeBehavior>, EngineError> {
        let state = self.types.current(of).await?;
        self.allow_type(caller, &state, version, TypeAction::See)?;
        self.allow_general(caller, GeneralRight::ViewDefinitions, None)?;
        self.behaviors_of(&state, version).await
    }

    /// One of them.
    ///
    /// # Errors
    /// If it is not one of this type's, or the caller may not see it.
    pub async fn type_behavior(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
        which: &str,
    ) -> Result<TypeBehavior, EngineError> {
        let all = self.type_behaviors(caller, of, version).await?;
        Ok(find(&all, of, version, which)?.clone())
    }

    /// Lets a type version do a behavior otherwise than its interface says.
    ///
    /// # Errors
    /// If it is not one of this type's, the type is built in, or the caller may not.
    pub async fn override_behavior(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
        which: &str,
        description: Option<&str>,
        execution: &Value,
    ) -> Result<TypeBehavior, EngineError> {
        let told = self
            .behavior_change(caller, of, version, which, "overridden")
            .await?;
        // The id at the interface, which all versions share and an override does not change.
        let reference = told.1.reference.clone();
        let sent = Behavior {
            name: told.1.behavior.name.clone(),
            description: description.map(str::to_owned),
            execution: keeping_hidden(execution.clone(), &told.1.behavior.execution),
        };
        sent.check()?;
        self.change_notes(caller, of, version, &told.0, |_, meta| {
            let before = meta.overrides.iter().find(|one| one.behavior == reference);
            let execution = match before {
                // As it is now, not as it was when it was looked at.
                Some(before) => keeping_hidden(execution.clone(), &before.execution),
                None => sent.execution.clone(),
            };
            meta.overrides.retain(|one| one.behavior != reference);
            meta.overrides.push(BehaviorOverride {
                behavior: reference.clone(),
                description: sent.description.clone(),
                execution,
            });
            Ok(())
        })
        .await?;
        self.type_behavior(caller, of, version, &reference).await
    }

    /// Lets a type version do a behavior as its interface says again.
    ///
    /// # Errors
    /// If it is not one of this type's, the type is built in, or the caller may not.
    pub async fn end_override(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
        which: &str,
    ) -> Result<(), EngineError> {
        let told = self.behavior_change(caller, of, version, which, "no longer overridden");
        let (told, behavior) = told.await?;
        self.change_notes(caller, of, version, &told, |_, meta| {
            meta.overrides
                .retain(|one| one.behavior != behavior.reference);
            Ok(())
        })
        .await?;
        Ok(())
    }

    async fn behavior_change(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
        which: &str,
        done: &str,
    ) -> Result<(NoteChange, TypeBehavior), EngineError> {
        let state = self.types.current(of).await?;
        self.allow_type(caller, &state, version, TypeAction::Edit)?;
        if let Some(built_in) = state
            .definitions
            .get(&version)
            .filter(|one| one.meta.built_in)
        {
            let what = built_in.id(of).to_string();
            return Err(EngineError::BuiltIn { what });
        }
        let all = self.behaviors_of(&state, version).await?;
        let behavior = find(&all, of, version, which)?.clone();
        let told = NoteChange {
            action: TypeAction::Edit,
            what: What::EditType,
            note: Some(format!("{} is {done}", behavior.reference)),
        };
        Ok((told, behavior))
    }

    /// Who may invoke which behavior of a type version.
    ///
    /// # Errors
    /// If there is no such version, or the caller may not see it.
    pub async fn behavior_access(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
    ) -> Result<Vec<BehaviorAccess>, EngineError> {
        let state = self.types.current(of).await?;
        self.allow_type(caller, &state, version, TypeAction::See)?;
        self.allow_general(caller, GeneralRight::ViewDefinitions, None)?;
        let definition = state.definitions.get(&version);
        Ok(definition.map_or_else(Vec::new, |one| one.meta.behavior_access.clone()))
    }

    /// Says who may invoke a behavior; what was said of the same behavior before is replaced.
    ///
    /// # Errors
    /// If it is not one of this type's, or the caller may not.
    pub async fn add_behavior_access(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
        access: BehaviorAccess,
    ) -> Result<(), EngineError> {
        let reference = self.access_checked(caller, of, version, &access).await?;
        let told = access_change();
        self.change_notes(caller, of, version, &told, |_, meta| {
            // By what the ids mean, not by how they were given.
            let other = |one: &BehaviorAccess| reference_of(&one.behavior) != reference;
            meta.behavior_access.retain(other);
            meta.behavior_access.push(access.clone());
            Ok(())
        })
        .await?;
        Ok(())
    }

    /// Says who may invoke which behavior, all of it.
    ///
    /// # Errors
    /// If one is not of this type, or the caller may not.
    pub async fn set_behavior_access(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
        access: Vec<BehaviorAccess>,
    ) -> Result<Vec<BehaviorAccess>, EngineError> {
        let mut kept: Vec<BehaviorAccess> = Vec::new();
        for one in access {
            let reference = self.access_checked(caller, of, version, &one).await?;
            // Of one behavior the last word counts.
            kept.retain(|other| reference_of(&other.behavior) != reference);
            kept.push(one);
        }
        let told = access_change();
        self.change_notes(caller, of, version, &told, |_, meta| {
            meta.behavior_access.clone_from(&kept);
            Ok(())
        })
        .await?;
        Ok(kept)
    }

    async fn access_checked(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
        access: &BehaviorAccess,
    ) -> Result<Option<String>, EngineError> {
        let state = self.types.current(of).await?;
        self.allow_type(caller, &state, version, TypeAction::ChangeAcl)?;
        let all = self.behaviors_of(&state, version).await?;
        let found = find(&all, of, version, &access.behavior)?;
        Ok(Some(found.reference.clone()))
    }

    /// Whether a hook's behavior is one of the type's interfaces.
    pub(crate) async fn check_hooks(&self, version: &TypeVersion) -> Result<(), EngineError> {
        let TypeVersionId { vendor, nss, .. } = &version.id;
        let of = TypeKey::new(vendor, nss);
        let mut all = Vec::new();
        // Interfaces are read only if there is a hook to look for in them.
        if !version.hooks.is_empty() {
            for id in &version.interfaces {
                for behavior in self.interface(id).await?.behaviors {
                    all.push(TypeBehavior {
                        reference: crate::behaviors::interface_behavior_id(&behavior.name, id),
                        own_id: None,
                        behavior,
                    });
                }
            }
        }
        for (_, which) in &version.hooks {
            find(&all, &of, version.id.version, which)?;
        }
        Ok(())
    }
}

fn reference_of(id: &str) -> Option<String> {
    let (name, interface) = at_interface(id)?;
    Some(crate::behaviors::interface_behavior_id(&name, &interface))
}

fn access_change() -> NoteChange {
    NoteChange {
        action: TypeAction::ChangeAcl,
        what: What::ChangeTypeAcl,
        note: Some("who may invoke behaviors".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_access::AccessLevel;

    #[test]
    fn a_new_version_inherits_what_it_has_too_by_the_ids_that_all_versions_share() {
        let file = "{kind: type, version: v1, metadata: {name: 'a:t:2.0.0'}, spec: {vendor: a, nss: t, version: 2.0.0, interfaces: ['a:i:1.0.0'], schema: {}}}";
        let new = TypeVersion::parse(file).unwrap();
        let of = |behavior: &str, level| BehaviorAccess {
            behavior: format!("urn:vcloud:{behavior}"),
            level,
        };
        let before = [
            of(
                "behavior-type:run:a:t:1.0.0:a:i:1.0.0",
                AccessLevel::ReadOnly,
            ),
            of("behavior-interface:run:a:i:1.0.0", AccessLevel::FullControl),
            of("behavior-interface:stop:a:i:1.0.0", AccessLevel::ReadWrite),
            of(
                "behavior-interface:run:a:other:1.0.0",
                AccessLevel::ReadOnly,
            ),
            of("behavior-interface:run:a:i:9.0.0", AccessLevel::ReadOnly),
            of("nonsense", AccessLevel::ReadOnly),
        ];
        let expected = [
            of("behavior-interface:run:a:i:1.0.0", AccessLevel::ReadOnly),
            of("behavior-interface:stop:a:i:1.0.0", AccessLevel::ReadWrite),
        ];
        assert_eq!(inherited(&before, &new), expected);
    }
}
