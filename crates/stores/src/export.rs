//! Export: JSON lines, one for each record, exact at the sequence that the last line states.

use crate::{DumpItem, ProgressFn, StoreDump, StoresError};
use base64::prelude::{BASE64_STANDARD, Engine};
use coeval_storage::{Key, Record, Store, StoredEntry, StoredValue, Token, UnixMillis};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// The level of this format that this release writes, and the highest that it reads.
pub(crate) const LEVEL: u32 = 1;

/// One line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportLine {
    /// Only in the first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) coeval_export: Option<u32>,
    /// Only in the last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<ExportEnd>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key_base64: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deleted: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) damaged: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) revision: Option<String>,
    /// Milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires: Option<i64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) indexed: bool,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) flags: u8,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) fields: BTreeMap<usize, (u8, String)>,
    /// The body, if it is JSON; the same bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) json: Option<Box<RawValue>>,
    /// The body, if it is other text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// The body, or a damaged record's bytes, otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) base64: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ExportEnd {
    pub(crate) lines: u64,
    pub(crate) sequence: String,
}

fn is_zero(flags: &u8) -> bool {
    *flags == 0
}

impl ExportLine {
    fn empty() -> Self {
        Self {
            coeval_export: None,
            end: None,
            key: None,
            key_base64: None,
            deleted: None,
            damaged: None,
            revision: None,
            expires: None,
            indexed: false,
            flags: 0,
            fields: BTreeMap::new(),
            json: None,
            text: None,
            base64: None,
        }
    }

    fn of_key(key: &Key) -> Self {
        let mut line = Self::empty();
        // A key that is text is exported as such, so that people can search the file.
        match std::str::from_utf8(key.as_bytes()) {
            Ok(text) => line.key = Some(text.to_owned()),
            Err(_) => line.key_base64 = Some(BASE64_STANDARD.encode(key.as_bytes())),
        }
        line
    }

    fn of(item: DumpItem) -> Self {
        match item {
            DumpItem::Deleted(key) => Self {
                deleted: Some(true),
                ..Self::of_key(&key)
            },
            DumpItem::Record(StoredEntry {
                key,
                stored: StoredValue::Damaged { damage, raw },
            }) => Self {
                damaged: Some(damage.to_string()),
                base64: Some(BASE64_STANDARD.encode(raw)),
                ..Self::of_key(&key)
            },
            DumpItem::Record(StoredEntry {
                key,
                stored: StoredValue::Record(record),
            }) => Self::of_record(&key, &record),
        }
    }

    fn of_record(key: &Key, record: &Record) -> Self {
        let mut line = Self::of_key(key);
        let content = &record.content;
        line.revision = Some(record.revision.to_string());
        line.expires = record.expires.map(|UnixMillis(at)| at);
        line.indexed = record.indexed;
        line.flags = content.flags;
        // By place: a tag may be there several times, and their order counts.
        let fields = content.fields.iter().enumerate();
        line.fields = fields
            .map(|(place, (tag, value))| (place, (*tag, BASE64_STANDARD.encode(value))))
            .collect();
        match std::str::from_utf8(&content.body) {
            Ok(text) => match verbatim(text) {
                Some(json) => line.json = Some(json),
                None => line.text = Some(text.to_owned()),
            },
            Err(_) => line.base64 = Some(BASE64_STANDARD.encode(&content.body)),
        }
        line
    }
}

/// The text as JSON, if it can stand in a line of its own byte for byte.
fn verbatim(text: &str) -> Option<Box<RawValue>> {
    // It would end the line.
    if text.contains(['\n', '\r']) {
        return None;
    }
    let raw: Box<RawValue> = serde_json::from_str(text).ok()?;
    // A raw value loses the blanks around it, and then the bytes would differ.
    (raw.get() == text).then_some(raw)
}

/// What an export holds.
#[derive(Clone, Debug)]
pub struct ExportSummary {
    /// Lines written, without the first and the last.
    pub lines: u64,
    /// The one sequence that it shows.
    pub token: Token,
    /// How many records are damaged.
    pub damaged: u64,
}

/// Writes every record of `store` as JSON lines. `name` is for errors.
///
/// # Errors
/// What the store or the writer says.
pub async fn export(
    store: &dyn Store,
    out: &mut (dyn Write + Send),
    name: &Path,
    progress: ProgressFn<'_>,
) -> Result<ExportSummary, StoresError> {
    // One line at a time, without ever holding the whole.
    let mut write = |line: &ExportLine| -> Result<u64, StoresError> {
        let mut text = serde_json::to_vec(line).map_err(|e| StoresError::file(name, e))?;
        text.push(b'\n');
        out.write_all(&text)
            .map_err(|e| StoresError::file(name, e))?;
        Ok(text.len() as u64)
    };
    let mut bytes = write(&ExportLine {
        coeval_export: Some(LEVEL),
        ..ExportLine::empty()
    })?;
    let mut dump = StoreDump::new(store);
    let (mut lines, mut damaged) = (0, 0);
    while let Some(items) = dump.next().await? {
        for item in items {
            let line = ExportLine::of(item);
            damaged += u64::from(line.damaged.is_some());
            lines += 1;
            bytes += write(&line)?;
        }
        progress(lines, bytes);
    }
    let token = dump
        .token()
        .ok_or(coeval_storage::StorageError::Compacted)?;
    let sequence = token.to_string();
    // Tells a whole export from one that was cut off.
    write(&ExportLine {
        end: Some(ExportEnd { lines, sequence }),
        ..ExportLine::empty()
    })?;
    out.flush().map_err(|e| StoresError::file(name, e))?;
    Ok(ExportSummary {
        lines,
        token,
        damaged,
    })
}
