//! A resource as a row.

use super::table::TableCell;
use super::{Printable, age};
use coeval_client::Resource;
use jiff::Timestamp;
use serde_json::Value;

/// `app/web`
pub(crate) fn named(resource: &Resource) -> String {
    format!("{}/{}", resource.kind, resource.metadata.name)
}

impl Printable for Resource {
    fn heads(wide: bool) -> Vec<&'static str> {
        let mut heads = vec!["NAME", "VERSION", "STATE", "AGE"];
        if wide {
            heads.extend(["NAMESPACE", "STORED", "OWNER", "REVISION", "LABELS"]);
        }
        heads
    }

    fn row(&self, wide: bool) -> Vec<TableCell> {
        let metadata = &self.metadata;
        let status = self.status.clone().unwrap_or_default();
        let age = |created| age(created, Timestamp::now());
        let mut row = vec![
            TableCell::new(&metadata.name),
            TableCell::new(&self.version),
            TableCell::state(&status.state),
            TableCell::new(metadata.created.map(age).unwrap_or_default()),
        ];
        if wide {
            let labels = metadata.labels.iter();
            let labels: Vec<_> = labels
                .map(|(key, value)| format!("{key}={value}"))
                .collect();
            row.extend([
                TableCell::new(&metadata.namespace),
                TableCell::new(&status.stored_version),
                TableCell::new(&metadata.owner),
                TableCell::new(&metadata.revision),
                TableCell::new(labels.join(",")),
            ]);
        }
        row
    }

    fn name(&self) -> String {
        named(self)
    }

    fn value(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(self)
    }
}
