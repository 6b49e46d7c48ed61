//! What `coeval describe` prints.

use crate::columns::{pad, sanitize, single_line, width};
use crate::output::{age, moment};
use crate::reading::ResourceReading;
use anstyle::Style;
use coeval_client::proto::header::v1::Metadata;
use coeval_proto::access::v1::{AccessLevel, Grant};
use coeval_proto::resources::v1::Revision;
use coeval_proto::tasks::v1::{Task, TaskStatus};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// All that is known of a resource.
pub(super) struct DescribePage {
    pub(super) found: ResourceReading,
    pub(super) grants: Vec<Grant>,
    /// Newest first.
    pub(super) revisions: Vec<Revision>,
    pub(super) tasks: Vec<Task>,
    /// Of the outermost fields of the content.
    pub(super) descriptions: BTreeMap<String, String>,
}

impl DescribePage {
    /// As it is printed. For a terminal the heads are bold, and nothing can command it.
    pub(super) fn text(&self, terminal: bool) -> String {
        let mut out = lines(&self.header());
        section(&mut out, "Content", &self.content());
        section(&mut out, "Left out of this view", &self.left_out());
        section(&mut out, "Access", &aligned(&self.access()));
        section(&mut out, "Last revisions", &aligned(&self.revisions()));
        section(&mut out, "Tasks at work", &aligned(&self.tasks()));
        if !terminal {
            return out;
        }
        let bold = Style::new().bold();
        let heads = out
            .split_inclusive('\n')
            .map(|line| match line.strip_suffix(":\n") {
                // Only heads at the margin: a content may have lines that look like one.
                Some(head) if !line.starts_with(' ') => format!("{bold}{head}:{bold:#}\n"),
                _ => line.to_owned(),
            });
        heads.collect()
    }

    fn header(&self) -> Vec<(&'static str, String)> {
        let resource = &self.found.resource;
        let metadata = &resource.metadata;
        let status = resource.status.clone().unwrap_or_default();
        let now = Timestamp::now();
        let when = |at: Option<Timestamp>| {
            at.map(|at| format!("{} ({} ago)", moment(at), age(at, now)))
                .unwrap_or_default()
        };
        // Said only where it is another version than the one that is shown.
        let version = match status.stored_version.as_str() {
            stored if stored.is_empty() || stored == resource.version => resource.version.clone(),
            stored => format!("{} (stored at {stored})", resource.version),
        };
        let owner = self.name_of(&metadata.owner);
        let labels = metadata.labels.iter();
        let labels: Vec<_> = labels
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        let all = [
            ("Name", metadata.name.clone()),
            ("Kind", resource.kind.clone()),
            ("Sub-kind", resource.sub_kind.clone()),
            ("Namespace", metadata.namespace.clone()),
            ("Version", version),
            ("State", status.state),
            ("Message", status.message),
            ("Restricted", status.restricted),
            ("Description", metadata.description.clone()),
            ("Labels", labels.join(", ")),
            ("Owner", owner),
            ("Created", when(metadata.created)),
            ("Modified", when(metadata.modified)),
            ("Expires", metadata.expires.map(moment).unwrap_or_default()),
            ("Revision", metadata.revision.clone()),
            ("Id", metadata.id.clone()),
        ];
        all.into_iter()
            .filter(|(_, value)| !value.is_empty())
            .collect()
    }

    /// Who is behind an id, where the access list says it.
    fn name_of(&self, id: &str) -> String {
        let known = self.grants.iter().find(|grant| grant.member == id);
        match known.map(|grant| grant.member_name.as_str()) {
            Some(name) if !name.is_empty() => format!("{name} ({id})"),
            _ => id.to_owned(),
        }
    }

    fn content(&self) -> String {
        let spec = &self.found.resource.spec;
        // Falls back to JSON, which every YAML reader can read as well.
        let text = serde_norway::to_string(spec).unwrap_or_else(|_| spec.to_string());
        let mut out = String::new();
        for line in text.lines() {
            // By its first level only: a line that is indented has a key of something inside.
            let key = line.split_once(':').map(|(key, _)| key);
            if let Some(told) = key.and_then(|key| self.descriptions.get(key)) {
                out.push_str(&format!("# {}\n", single_line(told)));
            }
            // Line by line, because the content may hold anything.
            out.push_str(&sanitize(line));
            out.push('\n');
        }
        out
    }

    fn left_out(&self) -> String {
        let paths = self.found.left_out.iter();
        paths
            .map(|path| format!("{}\n", single_line(path)))
            .collect()
    }

    fn access(&self) -> Vec<Vec<String>> {
        let level = |grant: &Grant| match grant.level() {
            AccessLevel::Unspecified => "none",
            AccessLevel::ReadOnly => "read only",
            AccessLevel::ReadWrite => "read and write",
            AccessLevel::FullControl => "full control",
        };
        let row = |grant: &Grant| vec![self.name_of(&grant.member), level(grant).to_owned()];
        self.grants.iter().map(row).collect()
    }

    fn revisions(&self) -> Vec<Vec<String>> {
        let now = Timestamp::now();
        let row = |revision: &Revision| {
            let resource = revision.resource.clone().unwrap_or_default();
            let metadata: Metadata = resource.metadata.unwrap_or_default();
            let at = metadata.modified.or(metadata.created);
            let at = at.and_then(|at| Timestamp::new(at.seconds, at.nanos).ok());
            vec![
                format!("#{}", revision.generation),
                metadata.revision,
                at.map(|at| format!("{} ago", age(at, now)))
                    .unwrap_or_default(),
                resource.version,
                match revision.modified_by.as_str() {
                    "" => String::new(),
                    by => format!("by {}", self.name_of(by)),
                },
            ]
        };
        self.revisions.iter().map(row).collect()
    }

    fn tasks(&self) -> Vec<Vec<String>> {
        let row = |task: &Task| {
            let status = match task.status() {
                TaskStatus::Queued => "queued",
                TaskStatus::Running => "running",
                _ => "",
            };
            vec![
                status.to_owned(),
                task.operation.clone(),
                task.message.clone(),
                task.id.clone(),
            ]
        };
        self.tasks.iter().map(row).collect()
    }
}

fn lines(header: &[(&str, String)]) -> String {
    let line = |(head, value): &(&str, String)| {
        let head = format!("{head}:");
        format!("{}{}\n", pad(&head, 14), single_line(value))
    };
    header.iter().map(line).collect()
}

fn section(out: &mut String, head: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    out.push_str(&format!("\n{head}:\n"));
    for line in text.lines() {
        out.push_str(&format!("  {line}\n"));
    }
}

/// Rows whose cells stand below each other.
fn aligned(rows: &[Vec<String>]) -> String {
    let cells: Vec<Vec<_>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| single_line(cell)).collect())
        .collect();
    let mut widths: Vec<usize> = Vec::new();
    for row in &cells {
        for (at, cell) in row.iter().enumerate() {
            match widths.get_mut(at) {
                Some(known) => *known = (*known).max(width(cell)),
                None => widths.push(width(cell)),
            }
        }
    }
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).filter(|(_, wide)| **wide > 0);
        let cells: Vec<_> = cells.map(|(cell, wide)| pad(cell, *wide)).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    cells.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_client::Resource;
    use serde_json::json;

    #[test]
    fn a_page_says_what_there_is_and_nothing_of_what_there_is_not() {
        let spec = json!({"image": "nginx", "nested": {"image": "x"}});
        let mut resource = Resource::new("app", "v1+downgraded", "web", spec);
        resource.metadata.owner = "urn:user:1".into();
        let grant = Grant {
            member: "urn:user:1".into(),
            member_name: "alice".into(),
            level: AccessLevel::FullControl.into(),
        };
        let page = DescribePage {
            found: ResourceReading {
                resource,
                left_out: vec!["/region".into()],
            },
            grants: vec![grant],
            revisions: Vec::new(),
            tasks: Vec::new(),
            descriptions: BTreeMap::from([("image".into(), "What\nruns".into())]),
        };
        let expected = "\
Name:         web
Kind:         app
Version:      v1+downgraded
Owner:        alice (urn:user:1)

Content:
  # What runs
  image: nginx
  nested:
    image: x

Left out of this view:
  /region

Access:
  alice (urn:user:1)  full control
";
        assert_eq!(page.text(false), expected);
        assert!(page.text(true).contains("\u{1b}[1mContent:"));
    }
}
