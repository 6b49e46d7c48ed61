//! Interfaces: versioned contracts that types implement.

use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::types::interface::Interface;
use coeval_access::GeneralRight;
use coeval_core::types::InterfaceId;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::keys;
use coeval_storage::{
    AtomicWrite, Key, ReadRange, ReadRequest, RecordPut, Revision, StorageError, WriteAction,
    WriteCondition,
};

/// A change of an interface, which may be refused.
pub(crate) type Edit<'e> = &'e (dyn Fn(&mut Interface) -> Result<(), EngineError> + Sync);

/// Whether nothing differs, or only how behaviors are executed.
fn same_but_executions(one: &Interface, other: &Interface) -> bool {
    let without = |interface: &Interface| {
        let mut interface = interface.clone();
        interface.editing = false;
        for behavior in &mut interface.behaviors {
            behavior.execution = serde_json::Value::Null;
        }
        interface
    };
    without(one) == without(other)
}

fn key_of(id: &InterfaceId) -> Result<Key, StorageError> {
    keys::interface(&id.vendor, &id.nss, id.version)
}

fn unknown(id: &InterfaceId) -> EngineError {
    EngineError::InterfaceUnknown {
        what: id.to_string(),
    }
}

impl Catalog {
    /// Defines an interface version.
    ///
    /// # Errors
    /// If there is one, or the caller may not.
    pub async fn define_interface(
        &self,
        caller: &Caller,
        interface: &Interface,
    ) -> Result<(), EngineError> {
        self.allow_general(caller, GeneralRight::CreateDefinitions, None)?;
        let id = interface.id()?;
        let key = key_of(&id)?;
        let put = WriteAction::Put(RecordPut::of(interface.encode()?));
        let mut write = AtomicWrite::new().step(&key, WriteCondition::NotExists, put);
        let deed = Deed::other(What::DefineInterface, &id.to_string());
        write.steps.push(self.audit_step(caller, &deed)?);
        match self.commit(&key, write).await {
            Ok(_) => Ok(()),
            Err(StorageError::AlreadyExists { .. }) => Err(EngineError::TypeRefused {
                what: format!("the interface {id} exists already"),
            }),
            Err(error) => Err(error.into()),
        }
    }

    /// An interface version.
    ///
    /// # Errors
    /// If there is none.
    pub async fn interface(&self, id: &InterfaceId) -> Result<Interface, EngineError> {
        Ok(self.read_interface(id).await?.1)
    }

    async fn read_interface(&self, id: &InterfaceId) -> Result<(Revision, Interface), EngineError> {
        let snapshot = self.store.read(ReadRequest::keys([key_of(id)?])).await?;
        let entry = snapshot.keys.into_iter().next().flatten();
        let record = entry.ok_or_else(|| unknown(id))?.into_record()?;
        let interface = serde_json::from_slice(&record.content.body);
        let interface = interface.map_err(|error| EngineError::TypeRefused {
            what: format!("the record of the interface {id} can't be read: {error}"),
        })?;
        Ok((record.revision, interface))
    }

    /// All interface versions.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn interfaces(&self) -> Result<Vec<Interface>, EngineError> {
        let mut range = ReadRange::of(keys::interfaces()?);
        let mut all = Vec::new();
        loop {
            let (_, page) = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                let record = entry.stored.record();
                // One that can't be read hides none of the others.
                let read = record.and_then(|r| serde_json::from_slice(&r.content.body).ok());
                all.extend(read);
            }
            match range.following(&page) {
                Some(next) => range = next,
                None => return Ok(all),
            }
        }
    }

    /// What a registration that names an interface is conditioned on.
    pub(crate) async fn interface_condition(
        &self,
        id: &InterfaceId,
    ) -> Result<(Key, Revision), EngineError> {
        let (revision, interface) = self.read_interface(id).await?;
        if interface.editing {
            // About to be deleted, or left so by a crash: the next edit settles it.
            return Err(unknown(id));
        }
        Ok((key_of(id)?, revision))
    }

    /// Changes what may change of an interface: its name, and what an API keeps with it.
    ///
    /// # Errors
    /// If a type that implements it has resources.
    pub async fn edit_interface(
        &self,
        caller: &Caller,
        id: &InterfaceId,
        edit: impl Fn(&mut Interface) + Sync,
    ) -> Result<Interface, EngineError> {
        self.allow_general(caller, GeneralRight::EditDefinitions, None)?;
        let edit = |interface: &mut Interface| {
            edit(interface);
            Ok(())
        };
        self.try_edit_interface(caller, id, &edit).await
    }

    /// The same with an edit that may refuse. While a type that implements it has resources, only
    /// how behaviors are executed may change.
    pub(crate) async fn try_edit_interface(
        &self,
        caller: &Caller,
        id: &InterfaceId,
        edit: Edit<'_>,
    ) -> Result<Interface, EngineError> {
        self.allow_general(caller, GeneralRight::EditDefinitions, None)?;
        let done = self.change_interface(caller, id, Some(edit)).await?;
        done.ok_or_else(|| unknown(id))
    }

    /// Deletes an interface that no type implements.
    ///
    /// # Errors
    /// If one does.
    pub async fn delete_interface(
        &self,
        caller: &Caller,
        id: &InterfaceId,
    ) -> Result<(), EngineError> {
        self.allow_general(caller, GeneralRight::DeleteDefinitions, None)?;
        self.change_interface(caller, id, None).await?;
        Ok(())
    }

    async fn change_interface(
        &self,
        caller: &Caller,
        id: &InterfaceId,
        edit: Option<Edit<'_>>,
    ) -> Result<Option<Interface>, EngineError> {
        let key = key_of(id)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let (before, interface) = self.read_interface(id).await?;
            if interface.built_in {
                return Err(EngineError::BuiltIn {
                    what: format!("the interface {id}"),
                });
            }
            let mut after = interface.clone();
            if let Some(edit) = edit {
                // Before the mark: an edit that is refused leaves nothing to be taken back.
                edit(&mut after)?;
                let same =
                    |one: &Interface| (one.vendor.clone(), one.nss.clone(), one.version.clone());
                if same(&after) != same(&interface) {
                    return Err(EngineError::TypeRefused {
                        what: "vendor, nss and version never change".to_owned(),
                    });
                }
            }
            after.editing = false;
            // From here on no type starts to implement it.
            let mut marked = interface.clone();
            marked.editing = true;
            let Some(mark) = self.put_interface(&key, before, &marked).await? else {
                continue;
            };
            // After the mark: a type that is not found now can't begin to implement it.
            let in_the_way = match self.implementers(id, edit.is_some()).await {
                Ok(in_the_way) => in_the_way,
                Err(error) => {
                    self.put_interface(&key, mark, &interface).await?;
                    return Err(error);
                }
            };
            // How a behavior is executed concerns nothing that is stored, so it may change at any
            // time.
            let only_executions = edit.is_some() && same_but_executions(&interface, &after);
            if let Some(by) = in_the_way.filter(|_| !only_executions) {
                let interface = Interface {
                    editing: false,
                    ..interface
                };
                self.put_interface(&key, mark, &interface).await?;
                let what = id.to_string();
                return Err(EngineError::InterfaceInUse { what, by });
            }
            let condition = WriteCondition::RevisionIs(mark);
            let (what, action) = match edit {
                None => (What::DeleteInterface, WriteAction::Delete),
                Some(_) => {
                    let put = WriteAction::Put(RecordPut::of(after.encode()?));
                    (What::EditInterface, put)
                }
            };
            let mut write = AtomicWrite::new().step(&key, condition, action);
            let audit = self.audit_step(caller, &Deed::other(what, &id.to_string()))?;
            // A deletion puts nothing else that could tell whether it was written.
            let head = audit.key.clone();
            write.steps.push(audit);
            if unless_raced(self.commit(&head, write).await)?.is_some() {
                return Ok(edit.map(|_| after));
            }
        }
    }

    async fn put_interface(
        &self,
        key: &Key,
        before: Revision,
        interface: &Interface,
    ) -> Result<Option<Revision>, EngineError> {
        let put = WriteAction::Put(RecordPut::of(interface.encode()?));
        let write = AtomicWrite::new().step(key, WriteCondition::RevisionIs(before), put);
        let written = unless_raced(self.commit(key, write).await)?;
        Ok(written.map(|written| written.revision))
    }

    /// A type version that implements it (`with_resources`: and has resources).
    async fn implementers(
        &self,
        id: &InterfaceId,
        with_resources: bool,
    ) -> Result<Option<String>, EngineError> {
        for of in self.types.names().await? {
            let state = self.types.load(&of).await?;
            for version in state.known_versions() {
                if !version.interfaces.contains(id) {
                    continue;
                }
                if !with_resources || self.has_resources(&of, version.id.version).await? {
                    return Ok(Some(version.id.to_string()));
                }
            }
        }
        Ok(None)
    }
}
