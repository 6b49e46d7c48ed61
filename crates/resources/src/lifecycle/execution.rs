//! Running a behavior: `noop` here, every other kind by its executor.

use crate::executor::{Executor, Invocation};
use crate::resources::Resources;
use coeval_records::error::behaviors::{BehaviorError, ExecutionError};
use coeval_records::text::short;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Does nothing and says what it was asked.
pub(crate) const NOOP: &str = "noop";

/// The kind of an execution.
pub(crate) fn kind(execution: &Value) -> &str {
    execution
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

pub(crate) fn is_noop(execution: &Value) -> bool {
    kind(execution).eq_ignore_ascii_case(NOOP)
}

/// A property that says how to execute.
fn property<'e>(execution: &'e Value, name: &str) -> Option<&'e Value> {
    let found = execution.get("execution_properties")?.get(name);
    found.filter(|value| !value.is_null())
}

/// What `noop` returns: what its definition says, or what it was asked.
pub(crate) fn noop(invocation: &Invocation) -> Result<Value, ExecutionError> {
    if let Some(error) = property(&invocation.execution, "returnError") {
        let message = match error {
            Value::String(text) => text.clone(),
            other => match other.get("message").and_then(Value::as_str) {
                Some(text) => text.to_owned(),
                None => other.to_string(),
            },
        };
        let message = short(&message);
        return Err(ExecutionError::Failed { message });
    }
    if let Some(value) = property(&invocation.execution, "returnValue") {
        return Ok(value.clone());
    }
    let mut echo = Map::new();
    if let (Some(entity), Some(of)) = (&invocation.entity_id, &invocation.type_id) {
        echo.insert("entityId".into(), json!(entity));
        echo.insert("typeId".into(), json!(of));
    }
    echo.insert("arguments".into(), invocation.arguments.clone());
    if invocation.entity_id.is_some() {
        echo.insert("entity".into(), invocation.entity.clone());
    }
    if let Some(more) = property(&invocation.execution, "additionalArguments") {
        echo.insert("additionalArguments".into(), more.clone());
    }
    Ok(Value::Object(echo))
}

impl Resources {
    /// Refuses what this server would never run.
    pub(crate) fn check_runs(&self, execution: &Value) -> Result<(), BehaviorError> {
        if is_noop(execution) {
            return Ok(());
        }
        // What a definition needs is known to its executor alone.
        Ok(self.executor(execution)?.check(execution)?)
    }

    fn executor(&self, execution: &Value) -> Result<&Arc<dyn Executor>, BehaviorError> {
        let kind = kind(execution);
        let mut all = self.executors.iter();
        let found = all.find(|one| one.kind().eq_ignore_ascii_case(kind));
        found.ok_or_else(|| BehaviorError::NotRun {
            kind: kind.chars().take(60).collect(),
        })
    }

    /// Runs it now.
    pub async fn execute(&self, invocation: &Invocation) -> Result<Value, BehaviorError> {
        let (kind, done) = if is_noop(&invocation.execution) {
            (NOOP, noop(invocation))
        } else {
            let executor = self.executor(&invocation.execution)?;
            // The executor's own word for its kind: labels of metrics never come from what clients
            // write.
            (executor.kind(), executor.execute(invocation).await)
        };
        let outcome = if done.is_ok() { "success" } else { "error" };
        metrics::counter!("coeval_behaviors_total", "type" => kind, "outcome" => outcome)
            .increment(1);
        Ok(done?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_core::version::Uuid;

    fn invocation(properties: &Value) -> Invocation {
        Invocation {
            task: Uuid(1),
            attempt: 1,
            behavior: "b".into(),
            execution: json!({"type": "noop", "execution_properties": properties}),
            hook: None,
            entity_id: Some("e".into()),
            type_id: Some("t".into()),
            arguments: json!({"x": 7}),
            metadata: json!({}),
            entity: json!({"image": "web"}),
        }
    }

    #[test]
    fn noop_says_what_it_was_asked_unless_its_definition_says_otherwise() {
        let echo = json!({"entityId": "e", "typeId": "t", "arguments": {"x": 7}, "entity": {"image": "web"}});
        let mut more = echo.clone();
        more["additionalArguments"] = json!({"y": 1});
        let failed = |message: &str| {
            let message = message.to_owned();
            Err(ExecutionError::Failed { message })
        };
        for (properties, expected) in [
            (json!(null), Ok(echo.clone())),
            (json!({}), Ok(echo.clone())),
            (json!({"returnValue": null}), Ok(echo)),
            (json!({"returnValue": {"a": [1]}}), Ok(json!({"a": [1]}))),
            (json!({"additionalArguments": {"y": 1}}), Ok(more)),
            (json!({"returnError": "no"}), failed("no")),
            (json!({"returnError": {"message": "no"}}), failed("no")),
            (json!({"returnError": 7, "returnValue": 1}), failed("7")),
        ] {
            assert_eq!(noop(&invocation(&properties)), expected, "{properties}");
        }
    }

    #[test]
    fn an_invocation_does_not_print_its_keys() {
        let mut secret = invocation(&json!({}));
        secret.execution["_internal_key"] = json!("hush");
        assert!(!format!("{secret:?}").contains("hush"));
    }
}
