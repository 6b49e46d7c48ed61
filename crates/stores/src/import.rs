//! Import: reads what `export` wrote, from whatever store, into whatever store.

use crate::export::{ExportLine, LEVEL};
use crate::load::StoreLoad;
use crate::{LoadTarget, ProgressFn, StoresError};
use base64::prelude::{BASE64_STANDARD, Engine};
use bytes::Bytes;
use coeval_storage::{Key, Record, RecordContent, Revision, Store, Token, UnixMillis};
use std::io::BufRead;

/// The longest line: a record of the greatest size, escaped, and its key.
const MAX_LINE: usize = 4 * 1024 * 1024;

/// What an import did.
#[derive(Clone, Debug)]
pub struct ImportSummary {
    /// Lines read, without the first and the last.
    pub lines: u64,
    /// Where the store's new history begins.
    pub token: Token,
    /// Keys of damaged records, which were left out.
    pub damaged: Vec<Key>,
}

/// Fills `store` from JSON lines and begins a new history.
///
/// # Errors
/// [`StoresError::ImportInvalid`] names the line; the store stays fenced then, for it holds half
/// of what was meant.
pub async fn import(
    store: &dyn Store,
    from: &mut (dyn BufRead + Send),
    target: LoadTarget,
    progress: ProgressFn<'_>,
) -> Result<ImportSummary, StoresError> {
    let mut lines = ImportLines { from, number: 0 };
    // Before the store is touched: whether this is an export at all.
    let first = lines.next()?;
    // A newer format may have fields whose meaning nobody here knows.
    match first.as_ref().map(|line| line.coeval_export) {
        Some(Some(level)) if level <= LEVEL => {}
        Some(Some(level)) => {
            return Err(lines.invalid(format!("its level is {level}, known is {LEVEL}")));
        }
        _ => return Err(lines.invalid("the file does not begin as an export does".into())),
    }
    let mut load = StoreLoad::begin(store, target).await?;
    let (mut count, mut damaged) = (0, Vec::new());
    loop {
        let Some(line) = lines.next()? else {
            return Err(lines.invalid("the file ends before its last line".into()));
        };
        if let Some(end) = &line.end {
            // Finds lines that are missing in the middle, and lines behind the end.
            if end.lines != count || lines.next()?.is_some() {
                return Err(lines.invalid(format!("{} lines were announced", end.lines)));
            }
            break;
        }
        count += 1;
        let key = lines.key(&line)?;
        if line.deleted == Some(true) {
            load.delete(&key).await?;
        } else if line.damaged.is_some() {
            damaged.push(key);
        } else {
            let record = lines.record(line)?;
            load.put(&key, record).await?;
        }
        if count % 256 == 0 {
            progress(count, 0);
        }
    }
    let token = load.finish().await?;
    progress(count, 0);
    Ok(ImportSummary {
        lines: count,
        token,
        damaged,
    })
}

struct ImportLines<'r> {
    from: &'r mut (dyn BufRead + Send),
    number: u64,
}

impl ImportLines<'_> {
    fn invalid(&self, reason: String) -> StoresError {
        StoresError::ImportInvalid {
            line: self.number,
            reason,
        }
    }

    fn next(&mut self) -> Result<Option<ExportLine>, StoresError> {
        let mut text = Vec::new();
        self.number += 1;
        // One more byte than allowed tells a line that is too long from one that just fits.
        let mut limited = std::io::Read::take(&mut *self.from, MAX_LINE as u64 + 1);
        limited
            .read_until(b'\n', &mut text)
            .map_err(|e| self.invalid(e.to_string()))?;
        if text.is_empty() {
            return Ok(None);
        }
        if text.len() > MAX_LINE {
            return Err(self.invalid(format!("it has more than {MAX_LINE} bytes")));
        }
        if text.last() != Some(&b'\n') {
            return Err(self.invalid("it is cut short".into()));
        }
        serde_json::from_slice(&text)
            .map(Some)
            .map_err(|e| self.invalid(e.to_string()))
    }

    fn key(&self, line: &ExportLine) -> Result<Key, StoresError> {
        let bytes = match (&line.key, &line.key_base64) {
            (Some(text), None) => text.clone().into_bytes(),
            (None, Some(text)) => self.base64(text)?,
            _ => return Err(self.invalid("it names no key, or two".into())),
        };
        Key::new(bytes).map_err(|e| self.invalid(e.to_string()))
    }

    fn record(&self, line: ExportLine) -> Result<Record, StoresError> {
        // Records keep the revisions that they had: whoever holds one can go on writing with it.
        let revision = Revision::from_opaque(line.revision.as_deref().unwrap_or_default());
        if revision == Revision::NEVER {
            return Err(self.invalid("its revision is missing or malformed".into()));
        }
        let body = match (line.json, line.text, line.base64) {
            (Some(json), None, None) => json.get().as_bytes().to_vec(),
            (None, Some(text), None) => text.into_bytes(),
            (None, None, Some(text)) => self.base64(&text)?,
            _ => return Err(self.invalid("it has no body, or two".into())),
        };
        let fields = line.fields.into_values();
        let fields = fields.map(|(tag, text)| Ok((tag, Bytes::from(self.base64(&text)?))));
        Ok(Record {
            revision,
            expires: line.expires.map(UnixMillis),
            indexed: line.indexed,
            content: RecordContent {
                flags: line.flags,
                fields: fields.collect::<Result<_, StoresError>>()?,
                body: body.into(),
                // Every release can read it so.
                packed: false,
            },
        })
    }

    fn base64(&self, text: &str) -> Result<Vec<u8>, StoresError> {
        BASE64_STANDARD
            .decode(text)
            .map_err(|e| self.invalid(format!("not base64: {e}")))
    }
}
