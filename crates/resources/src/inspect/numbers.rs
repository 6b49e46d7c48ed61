//! The numbers of types' fields in protobuf. They are never made anew: that would give a number to
//! something else.

use crate::inspect::{Inspection, Problem, ProblemKind, all};
use coeval_records::error::EngineError;
use coeval_records::keys;
use coeval_typed::Ledger;

impl Inspection<'_> {
    pub(super) async fn numbers(&mut self) -> Result<(), EngineError> {
        let mut range = all(keys::all_ledgers()?);
        while range.is_some() {
            let entries = self.pages(&mut range).await?;
            for entry in &entries {
                let record = entry.stored.record();
                let read =
                    record.map(|record| serde_json::from_slice::<Ledger>(&record.content.body));
                if matches!(read, Some(Ok(_))) {
                    continue;
                }
                self.tell(&Problem {
                    kind: ProblemKind::Numbers,
                    of: keys::type_of_record(&entry.key),
                    id: None,
                    key: entry.key.to_string(),
                    code: coeval_codes::TYPED_NUMBERS_UNREADABLE,
                    reason: "the numbers of the type's fields can't be read".to_owned(),
                    repairable: false,
                    repaired: false,
                });
            }
            self.advance(0, entries.len() as u64);
        }
        Ok(())
    }
}
