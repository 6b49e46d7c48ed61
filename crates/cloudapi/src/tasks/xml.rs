//! A task in XML.

use super::view::{TaskReference, TaskView};
use crate::xml::{self, XmlWriter};

pub(super) fn task(task: &TaskView) -> String {
    let cancel = task.cancel_requested.to_string();
    let mut attributes = vec![
        ("xmlns", xml::VCLOUD),
        ("status", task.status),
        ("operation", &task.operation),
        ("operationName", &task.operation_name),
        ("name", "task"),
        ("id", &task.id),
        ("href", &task.href),
        ("type", "application/vnd.vmware.vcloud.task+xml"),
        ("startTime", &task.started),
        ("expiryTime", &task.expires),
        ("cancelRequested", &cancel),
        ("serviceNamespace", "com.vmware.vcloud"),
    ];
    // Absent until then: an empty one could not be read as a time.
    if let Some(ended) = &task.ended {
        attributes.push(("endTime", ended));
    }
    xml::document(|w| {
        w.element("Task", &attributes, |w| {
            if let Some(owner) = &task.owner {
                named(w, "Owner", owner);
            }
            if let Some((code, message)) = &task.error {
                let error = [
                    ("majorErrorCode", "400"),
                    ("minorErrorCode", code.as_str()),
                    ("message", message),
                ];
                w.empty("Error", &error);
            }
            named(w, "User", &task.user);
            named(w, "Organization", &task.org);
            w.text("Progress", &[], &task.progress.to_string());
            w.text("Details", &[], &task.details);
            if let Some(result) = &task.result {
                w.element("Result", &[], |w| {
                    let of_text = [
                        ("xmlns:xs", "http://www.w3.org/2001/XMLSchema"),
                        ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
                        ("xsi:type", "xs:string"),
                    ];
                    w.text("ResultContent", &of_text, result);
                });
            }
        });
    })
}

fn named(w: &mut XmlWriter, element: &str, named: &TaskReference) {
    let attributes = [
        ("href", named.href.as_str()),
        ("id", &named.id),
        ("name", &named.name),
        ("type", named.kind),
    ];
    w.empty(element, &attributes);
}
