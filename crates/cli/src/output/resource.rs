//! A resource as a row.

use super::table::Cell;
use super::{Shown, age};
use coeval_client::Resource;
use jiff::Timestamp;
use serde_json::Value;

/// `app/web`
pub(crate) fn named(resource: &Resource) -> String {
    format!("{}/{}", resource.kind, resource.metadata.name)
}

impl Shown for Resource {
    fn heads(wide: bool) -> Vec<&'static str> {
        let mut heads = vec!["NAME", "VERSION", "STATE", "AGE"];
        if wide {
            heads.extend(["NAMESPACE", "STORED", "OWNER", "REVISION", "LABELS"]);
        }
        heads
    }

    fn row(&self, wide: bool) -> Vec<Cell> {
        let metadata = &self.metadata;
        let status = self.status.clone().unwrap_or_default();
        let age = |created| age(created, Timestamp::now());
        let mut row = vec![
            Cell::new(&metadata.name),
            Cell::new(&self.version),
            Cell::state(&status.state),
            Cell::new(metadata.created.map(age).unwrap_or_default()),
        ];
        if wide {
            let labels = metadata.labels.iter();
            let labels: Vec<_> = labels
                .map(|(key, value)| format!("{key}={value}"))
                .collect();
            row.extend([
                Cell::new(&metadata.namespace),
                Cell::new(&status.stored_version),
                Cell::new(&metadata.owner),
                Cell::new(&metadata.revision),
                Cell::new(labels.join(",")),
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
