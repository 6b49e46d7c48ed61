//! Invoking a behavior: on a resource, or of an interface alone. `noop` is done when the call
//! returns; what takes longer is a task that some server works on.

use crate::executor::Invocation;
use crate::lifecycle::execution::is_noop;
use crate::lifecycle::hooks::about;
use crate::read::{Found, Target};
use crate::resources::Resources;
use crate::task_calls::NewTask;
use crate::tasks::record;
use crate::tasks::task::{About, Task, TaskFailure};
use coeval_access::{AccessLevel, GeneralRight, ResourceAction};
use coeval_catalog::behaviors::{TypeBehavior, interface_behavior_id};
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_core::types::InterfaceId;
use coeval_core::version::{Uuid, Version};
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::error::behaviors::{BehaviorError, ExecutionError};
use coeval_records::error::tasks::TaskError;
use coeval_records::header::State;
use coeval_records::keys::{self, TypeKey};
use coeval_records::task_status::Status;
use coeval_storage::{AtomicWrite, WriteCondition};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The operation of these tasks.
pub const EXECUTE: &str = "executeBehavior";

/// The most bytes of arguments and metadata that wait for a server.
const LONGEST: usize = 256 * 1024;

/// What a task of these is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The behavior's id at its interface.
    pub behavior: String,
    #[serde(flatten)]
    pub subject: Subject,
}

/// What a behavior is invoked on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Subject {
    /// A resource's type and id.
    Resource { of: String, id: String },
    /// An interface: vendor, nss, version.
    Interface(String, String, String),
}

impl Resources {
    /// Invokes a behavior on a resource. The id is the one at the interface or, where the type
    /// version overrides it, the one there; what runs is the type version's either way.
    ///
    /// # Errors
    /// If the type version has no such behavior or grants it to no level, the caller has less than
    /// that, the resource is not resolved, or nothing here runs it.
    pub async fn invoke(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        behavior: &str,
        arguments: Value,
        metadata: Value,
    ) -> Result<Task, EngineError> {
        let found = self.find(caller, of, target, ResourceAction::Read).await?;
        let (state, stored) = (&*found.fetched.state, &found.stored);
        let version = stored.header.version;
        // By the stored version, whatever version the caller works at: there is one definition that
        // runs.
        let one = self.behavior_of(state, version, behavior).await?;
        check_access(state, version, &one, found.level)?;
        if stored.header.state != State::Resolved {
            return Err(EngineError::StateForbids {
                state: stored.header.state,
                action: "asked to do something",
            });
        }
        // Now, while the caller is there; a task that no server can run would only fail later.
        self.check_runs(&one.behavior.execution)?;
        let id = stored.id;
        let urn = crate::resource::urn(of, id);
        let name = &one.behavior.name;
        let asked = Asked {
            behavior: one.reference.clone(),
            subject: Subject::Resource {
                of: of.to_string(),
                id: id.to_string(),
            },
        };
        let mut deed = Deed::of_resource(What::Invoke, of, id, &stored.header);
        deed.version = Some(version.to_string());
        let new = NewTask {
            operation: EXECUTE,
            description: format!("Invoking {name} on {}({urn})", stored.header.name),
            of,
            about: about(of, version, id),
            input: coeval_records::encode::encode_value("an invocation", &asked)?,
            deed,
        };
        if !is_noop(&one.behavior.execution) {
            return self.invoke_later(caller, new, &arguments, &metadata).await;
        }
        let mut invocation = self.invocation_on(caller, found, &one).await?;
        invocation.arguments = arguments;
        invocation.metadata = metadata;
        self.invoke_now(caller, new, invocation).await
    }

    /// Invokes a behavior of an interface, on nothing.
    ///
    /// # Errors
    /// If there is none, the caller may not edit definitions, or nothing here runs it.
    pub async fn invoke_static(
        &self,
        caller: &Caller,
        interface: &InterfaceId,
        behavior: &str,
        arguments: Value,
        metadata: Value,
    ) -> Result<Task, EngineError> {
        self.allow_general(caller, GeneralRight::EditDefinitions, None)?;
        let one = self.behavior_of_interface(interface, behavior).await?;
        self.check_runs(&one.behavior.execution)?;
        let InterfaceId {
            vendor,
            nss,
            version,
        } = interface;
        let asked = Asked {
            behavior: one.reference.clone(),
            subject: Subject::Interface(vendor.clone(), nss.clone(), version.to_string()),
        };
        let new = NewTask {
            operation: EXECUTE,
            description: format!("Invoking {}({})", one.behavior.name, one.reference),
            of: &TypeKey::new(vendor, nss),
            about: About::default(),
            input: coeval_records::encode::encode_value("an invocation", &asked)?,
            deed: Deed::other(What::Invoke, &interface.to_string()),
        };
        if !is_noop(&one.behavior.execution) {
            return self.invoke_later(caller, new, &arguments, &metadata).await;
        }
        let mut invocation = bare(&one);
        invocation.arguments = arguments;
        invocation.metadata = metadata;
        self.invoke_now(caller, new, invocation).await
    }

    /// A task that has ended when it is written.
    async fn invoke_now(
        &self,
        caller: &Caller,
        new: NewTask<'_>,
        mut invocation: Invocation,
    ) -> Result<Task, EngineError> {
        let (mut task, deed) = self.draft(caller, new)?;
        invocation.task = task.id;
        let now = self.now();
        task.started = Some(now);
        task.ended = Some(now);
        task.progress.done = 1;
        task.progress.total = Some(1);
        match self.execute(&invocation).await {
            Ok(result) => {
                task.status = Status::Success;
                task.result = Some(result);
            }
            Err(error) => {
                task.status = Status::Error;
                task.error = Some(TaskFailure::of(&error));
            }
        }
        // Executed before it is written: a task with its outcome is never seen as running. `noop`
        // changes nothing, so a lost write loses nothing.
        let steps = vec![
            record::step(&task, WriteCondition::NotExists)?,
            self.audit_step(caller, &deed)?,
        ];
        self.commit(&keys::task(task.id)?, AtomicWrite { steps })
            .await?;
        Ok(task)
    }

    /// A task for a runner.
    async fn invoke_later(
        &self,
        caller: &Caller,
        new: NewTask<'_>,
        arguments: &Value,
        metadata: &Value,
    ) -> Result<Task, EngineError> {
        // Beside the task's input, which is small and written with every batch.
        let given = json!({"arguments": arguments, "metadata": metadata}).to_string();
        if given.len() > LONGEST {
            return Err(TaskError::TooLarge {
                what: "input",
                size: given.len(),
                limit: LONGEST,
            }
            .into());
        }
        self.submit_with(caller, new, given.into_bytes()).await
    }

    /// A behavior of a type version, by either of its ids.
    pub async fn behavior_of(
        &self,
        state: &TypeState,
        version: Version,
        id: &str,
    ) -> Result<TypeBehavior, EngineError> {
        let all = self.behaviors_of(state, version).await?;
        let found = all.into_iter().find(|one| one.is(id, &state.key, version));
        found.ok_or_else(|| EngineError::BehaviorUnknown {
            what: id.chars().take(300).collect(),
            of: format!("{}:{version}", state.key),
        })
    }

    /// A behavior of an interface.
    pub async fn behavior_of_interface(
        &self,
        of: &InterfaceId,
        id: &str,
    ) -> Result<TypeBehavior, EngineError> {
        let interface = self.interface(of).await?;
        let mut all = interface.behaviors.into_iter();
        let found = all.find(|one| interface_behavior_id(&one.name, of) == id);
        let unknown = || EngineError::BehaviorUnknown {
            what: id.chars().take(300).collect(),
            of: of.to_string(),
        };
        let behavior = found.ok_or_else(unknown)?;
        Ok(TypeBehavior {
            reference: interface_behavior_id(&behavior.name, of),
            own_id: None,
            behavior,
        })
    }

    /// An invocation on a resource as the caller sees it, without arguments.
    pub async fn invocation_on(
        &self,
        caller: &Caller,
        found: Found,
        one: &TypeBehavior,
    ) -> Result<Invocation, EngineError> {
        let state = &*found.fetched.state;
        // What is sent outside is what the caller may see: hidden fields stay here.
        let wanted = caller.wanted_view(state);
        let token = found.fetched.token;
        let resource = self
            .resource_of(state, found.stored, &wanted, found.level, token)
            .await?;
        let entity = serde_json::from_slice(&resource.content).map_err(|error| {
            let reason = format!("the content can't be shown: {error}");
            BehaviorError::from(ExecutionError::Definition { reason })
        })?;
        let version = resource.version.version;
        Ok(Invocation {
            entity_id: Some(resource.urn()),
            type_id: Some(format!("urn:vcloud:type:{}:{version}", resource.of)),
            entity,
            ..bare(one)
        })
    }
}

/// An invocation on nothing.
pub fn bare(one: &TypeBehavior) -> Invocation {
    Invocation {
        task: Uuid(0),
        attempt: 1,
        behavior: one.reference.clone(),
        execution: one.behavior.execution.clone(),
        hook: None,
        entity_id: None,
        type_id: None,
        arguments: json!({}),
        metadata: json!({}),
        entity: Value::Null,
    }
}

/// Whether the type version lets somebody of that level invoke it. Of several entries for one
/// behavior the most generous holds.
fn check_access(
    state: &TypeState,
    version: Version,
    one: &TypeBehavior,
    has: AccessLevel,
) -> Result<(), BehaviorError> {
    let meta = state.definitions.get(&version).map(|found| &found.meta);
    let entries = meta.map_or(&[][..], |meta| &meta.behavior_access);
    let names = |id: &str| one.is(id, &state.key, version);
    let levels = entries.iter().filter(|entry| names(&entry.behavior));
    match levels.map(|entry| entry.level).min() {
        None => Err(BehaviorError::NotGranted {
            behavior: one.id().to_owned(),
            of: format!("{}:{version}", state.key),
        }),
        Some(needs) if has < needs => Err(BehaviorError::LevelTooLow {
            behavior: one.id().to_owned(),
            needs,
            has,
        }),
        Some(_) => Ok(()),
    }
}
