//! The behaviors that an interface declares. A behavior is named by its id or by its name, and
//! neither ever changes.

use crate::behaviors::execution::keeping_hidden;
use crate::behaviors::{Behavior, interface_behavior_id};
use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::types::interface::Interface;
use coeval_access::GeneralRight;
use coeval_core::types::InterfaceId;
use coeval_records::error::EngineError;
use serde_json::Value;
use std::collections::HashSet;

/// The most behaviors of one interface: they are part of its record.
const MOST: usize = 100;

fn place(interface: &Interface, id: &InterfaceId, which: &str) -> Result<usize, EngineError> {
    let named = |one: &Behavior| one.name == which || interface_behavior_id(&one.name, id) == which;
    let found = interface.behaviors.iter().position(named);
    found.ok_or_else(|| EngineError::BehaviorUnknown {
        of: format!("the interface {id}"),
        what: which.chars().take(200).collect(),
    })
}

impl Catalog {
    /// The behaviors of an interface.
    ///
    /// # Errors
    /// If there is no such interface, or the caller may not see them.
    pub async fn interface_behaviors(
        &self,
        caller: &Caller,
        id: &InterfaceId,
    ) -> Result<Vec<Behavior>, EngineError> {
        self.allow_general(caller, GeneralRight::ViewDefinitions, None)?;
        Ok(self.interface(id).await?.behaviors)
    }

    /// One of them.
    ///
    /// # Errors
    /// If there is none, or the caller may not see it.
    pub async fn interface_behavior(
        &self,
        caller: &Caller,
        id: &InterfaceId,
        which: &str,
    ) -> Result<Behavior, EngineError> {
        self.allow_general(caller, GeneralRight::ViewDefinitions, None)?;
        let mut interface = self.interface(id).await?;
        let at = place(&interface, id, which)?;
        Ok(interface.behaviors.swap_remove(at))
    }

    /// Adds a behavior to an interface.
    ///
    /// # Errors
    /// If there is one of that name, the interface is in use, or the caller may not.
    pub async fn add_behavior(
        &self,
        caller: &Caller,
        id: &InterfaceId,
        behavior: Behavior,
    ) -> Result<Behavior, EngineError> {
        behavior.check()?;
        // On the interface as each attempt finds it.
        let add = |interface: &mut Interface| {
            if interface
                .behaviors
                .iter()
                .any(|one| one.name == behavior.name)
            {
                let what = interface_behavior_id(&behavior.name, id);
                return Err(EngineError::BehaviorExists { what });
            }
            interface.behaviors.push(behavior.clone());
            not_too_many(interface)
        };
        self.try_edit_interface(caller, id, &add).await?;
        Ok(behavior)
    }

    /// Replaces all behaviors of an interface. In one that is in use only executions may change.
    ///
    /// # Errors
    /// If a name is there twice, the interface is in use, or the caller may not.
    pub async fn set_behaviors(
        &self,
        caller: &Caller,
        id: &InterfaceId,
        behaviors: Vec<Behavior>,
    ) -> Result<Vec<Behavior>, EngineError> {
        let mut names = HashSet::new();
        for behavior in &behaviors {
            behavior.check()?;
            if !names.insert(behavior.name.as_str()) {
                let what = interface_behavior_id(&behavior.name, id);
                return Err(EngineError::BehaviorExists { what });
            }
        }
        let replace = |interface: &mut Interface| {
            let mut after = behaviors.clone();
            for behavior in &mut after {
                let same = |one: &&Behavior| one.name == behavior.name;
                // What the sender could not see stays, where the behavior stays by its name.
                if let Some(before) = interface.behaviors.iter().find(same) {
                    let sent = std::mem::take(&mut behavior.execution);
                    behavior.execution = keeping_hidden(sent, &before.execution);
                }
            }
            // Those that were there keep their places, so that an order alone is no change.
            let was = |name: &str| interface.behaviors.iter().position(|one| one.name == name);
            after.sort_by_key(|one| was(&one.name).unwrap_or(usize::MAX));
            interface.behaviors = after;
            not_too_many(interface)
        };
        let interface = self.try_edit_interface(caller, id, &replace).await?;
        Ok(interface.behaviors)
    }

    /// Changes what a behavior says of itself and how it is done.
    ///
    /// # Errors
    /// If there is none, the interface is in use, or the caller may not.
    pub async fn change_behavior(
        &self,
        caller: &Caller,
        id: &InterfaceId,
        which: &str,
        description: Option<&str>,
        execution: &Value,
    ) -> Result<Behavior, EngineError> {
        let change = |interface: &mut Interface| {
            let at = place(interface, id, which)?;
            if let Some(behavior) = interface.behaviors.get_mut(at) {
                behavior.description = description.map(str::to_owned);
                behavior.execution = keeping_hidden(execution.clone(), &behavior.execution);
                behavior.check()?;
            }
            Ok(())
        };
        let mut interface = self.try_edit_interface(caller, id, &change).await?;
        let at = place(&interface, id, which)?;
        Ok(interface.behaviors.swap_remove(at))
    }

    /// Removes a behavior from an interface.
    ///
    /// # Errors
    /// If there is none, the interface is in use, or the caller may not.
    pub async fn remove_behavior(
        &self,
        caller: &Caller,
        id: &InterfaceId,
        which: &str,
    ) -> Result<(), EngineError> {
        let remove = |interface: &mut Interface| {
            let at = place(interface, id, which)?;
            interface.behaviors.remove(at);
            Ok(())
        };
        self.try_edit_interface(caller, id, &remove).await?;
        Ok(())
    }
}

fn not_too_many(interface: &Interface) -> Result<(), EngineError> {
    match interface.behaviors.len() {
        0..=MOST => Ok(()),
        n => Err(EngineError::BehaviorInvalid {
            what: format!("an interface has at most {MOST} behaviors, this would have {n}"),
        }),
    }
}
