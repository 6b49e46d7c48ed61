//! What an answer means.

use coeval_engine::lifecycle::{ExecutionError, read_answer};
use http::StatusCode;
use serde_json::Value;

/// An update of the task, as a server may answer it.
const TASK: &str = "application/vnd.vmware.vcloud.task+json";
/// The most characters of what a server says of its refusal.
const MOST_SAID: usize = 300;

fn bad(reason: impl Into<String>) -> ExecutionError {
    let reason = reason.into();
    ExecutionError::Answer { reason }
}

/// The result, of a status, a content type and a body.
pub(crate) fn read(
    status: StatusCode,
    content_type: Option<&str>,
    body: &[u8],
) -> Result<Value, ExecutionError> {
    if status.is_redirection() {
        return Err(bad(format!(
            "it is a redirect ({status}), and none is followed"
        )));
    }
    if status != StatusCode::OK {
        let text = String::from_utf8_lossy(body);
        let message = text.chars().filter(|one| !one.is_control());
        return Err(ExecutionError::Refused {
            status: status.as_u16(),
            message: message.take(MOST_SAID).collect(),
        });
    }
    let kind = content_type.unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let kind = kind.to_ascii_lowercase();
    match kind.as_str() {
        TASK => task(&read_answer(body)?),
        "application/json" => read_answer(body),
        kind if kind.ends_with("+json") => read_answer(body),
        kind if kind.is_empty() || kind.starts_with("text/") => match std::str::from_utf8(body) {
            Ok(text) => Ok(Value::String(text.to_owned())),
            Err(_) => Err(bad("it is not UTF-8")),
        },
        other => {
            let other: String = other.chars().take(100).collect();
            Err(bad(format!("its type is {other:?}")))
        }
    }
}

/// An update of the task; it must end it.
fn task(update: &Value) -> Result<Value, ExecutionError> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    match update.get("status").and_then(Value::as_str) {
        Some("success") => {
            let result = update
                .get("result")
                .and_then(|one| one.get("resultContent"));
            Ok(result.cloned().unwrap_or_default())
        }
        Some("error" | "aborted" | "canceled") => {
            let message = text(update.get("error").and_then(|one| one.get("message")));
            let message = message.or_else(|| text(update.get("details")));
            let message: String = message.unwrap_or_default().chars().take(900).collect();
            Err(ExecutionError::Failed { message })
        }
        _ => Err(bad("it updates the task and does not end it")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_means_what_its_type_says() {
        let ok = StatusCode::OK;
        for (kind, body, expected) in [
            (None, "ok", json!("ok")),
            (Some("text/plain"), "{}", json!("{}")),
            (Some("text/html; charset=utf-8"), "", json!("")),
            (
                Some("application/json;charset=utf-8"),
                r#"{"a": 1}"#,
                json!({"a": 1}),
            ),
            (Some("Application/Problem+JSON"), "7", json!(7)),
            (
                Some(TASK),
                r#"{"status": "success", "result": {"resultContent": "r"}}"#,
                json!("r"),
            ),
            (Some(TASK), r#"{"status": "success"}"#, json!(null)),
        ] {
            assert_eq!(
                read(ok, kind, body.as_bytes()),
                Ok(expected),
                "{kind:?} {body}"
            );
        }
        for (status, kind, body, why) in [
            (200, "application/json", "{", "can't be used"),
            (200, "application/json", r#"{"a": 1, "a": 2}"#, "twice"),
            (200, "application/json", "1e999", "exactly"),
            (200, "multipart/form-data", "", "multipart"),
            (200, TASK, r#"{"progress": 50}"#, "does not end it"),
            (
                200,
                TASK,
                r#"{"status": "error", "error": {"message": "sorry"}}"#,
                "sorry",
            ),
            (201, "text/plain", "made", "201: made"),
            (302, "text/plain", "", "redirect"),
            (500, "text/plain", "a\nb", "500: ab"),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            let refused = read(status, Some(kind), body.as_bytes()).unwrap_err();
            assert!(refused.to_string().contains(why), "{refused}");
        }
        assert!(read(ok, None, &[0xff]).is_err());
    }
}
