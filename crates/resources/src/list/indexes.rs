//! Which index a filter is read from, if any. An index never hides a match: it is used only where
//! what it holds of every resource is what the filter sees of it.

use crate::list::look::Look;
use crate::list::scope::{PARTS, Source, Whose};
use crate::list::window::Stream;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::WantedView;
use coeval_codes::Coded;
use coeval_core::decide::{self, VersionedRead, ViewRendering};
use coeval_core::version::{StoredVersion, Uuid, Version};
use coeval_filter::{
    FieldComparison, FieldTest, Filter, FilterField, IndexInfo, IndexPlan, Operand, may_be_cut,
};
use coeval_records::error::EngineError;
use coeval_records::header::index_values::text_key;
use coeval_records::header::label_text;
use coeval_records::keys::{self, index};
use coeval_storage::key::{escape_ordered, escape_part};
use coeval_storage::{KeySpan, ReadRange};

/// The most ids that are taken from a part of an index that is not in the order of ids; if there
/// are more, the resources themselves are read, in order.
const MOST_IDS: usize = 10_000;

/// How the resources of one type are found, in the order of their ids.
#[derive(Debug)]
pub(crate) enum Reading {
    /// From keys of indexes that end in the id.
    Index {
        streams: Vec<Stream>,
        /// They lead to the resources of the listing and to nothing else.
        exact: bool,
    },
    /// From the records.
    Records { streams: Vec<Stream>, exact: bool },
    /// These, or fewer.
    Ids(Vec<Uuid>),
}

impl Look<'_> {
    /// How the resources of a source are found.
    pub(crate) async fn reading(&self, source: &Source) -> Result<Reading, EngineError> {
        let filter = self.filter.as_ref().map(|(filter, _)| *filter);
        if let Some(id) = filter.and_then(equal_id) {
            // An id of another type finds nothing here, and nothing is read for it.
            let own = id.strip_prefix(&source.id_start()).and_then(Uuid::parse);
            return Ok(Reading::Ids(own.into_iter().collect()));
        }
        let Whose::Org(org) = &self.scope.whose else {
            return records(source);
        };
        if let Some(plan) = self.plan(source) {
            let ranges = plan.ranges();
            let index = plan.index().unwrap_or_default();
            let all = keys::index_of_org(source.of(), index, org)?;
            // Behind one value keys are in the order of ids, so they can be read page by page.
            // Ranges are not, and are read whole, if they are few.
            let points = matches!(plan, IndexPlan::Point { .. } | IndexPlan::Points { .. });
            if points && !ranges.iter().any(|range| may_be_cut(&range.from)) {
                let stream = |range: &coeval_filter::KeyRange| {
                    let value = escape_ordered(&range.from);
                    let prefix = [all.start.as_ref(), &value, b"/"].concat();
                    let version = None;
                    Stream { prefix, version }
                };
                return Ok(Reading::Index {
                    streams: ranges.iter().map(stream).collect(),
                    exact: false,
                });
            }
            let spans = ranges.iter().map(|range| KeySpan {
                start: [all.start.as_ref(), &escape_part(&range.from)]
                    .concat()
                    .into(),
                end: [all.start.as_ref(), &escape_part(&range.to)]
                    .concat()
                    .into(),
            });
            if let Some(ids) = self.ids(spans.collect()).await? {
                return Ok(Reading::Ids(ids));
            }
        }
        // All streams have to be in one snapshot.
        if source.versions.len() > PARTS {
            return records(source);
        }
        let mut streams = Vec::new();
        for version in &source.versions {
            let span = keys::at_version_in(source.of(), *version, org)?;
            streams.push(Stream::of(&span, Some(*version)));
        }
        Ok(Reading::Index {
            streams,
            exact: true,
        })
    }

    /// All ids in these parts of an index, in order; `None` if there are too many.
    async fn ids(&self, spans: Vec<KeySpan>) -> Result<Option<Vec<Uuid>>, EngineError> {
        let mut ids = Vec::new();
        for span in spans {
            let mut range = ReadRange::of(span).keys_only();
            loop {
                let page = self.range(range.clone()).await?.1;
                ids.extend(
                    page.entries
                        .iter()
                        .filter_map(|e| keys::id_of_entry(&e.key)),
                );
                if ids.len() > MOST_IDS {
                    return Ok(None);
                }
                match range.following(&page) {
                    Some(next) => range = next,
                    None => break,
                }
            }
        }
        ids.sort_unstable();
        ids.dedup();
        Ok(Some(ids))
    }

    /// The part of an index that holds every match of the filter, if one does.
    fn plan(&self, source: &Source) -> Option<IndexPlan> {
        let (filter, compiled) = self.filter.as_ref()?;
        let plan = compiled.plan(&self.indexes(source));
        if matches!(plan, IndexPlan::Point { .. } | IndexPlan::Points { .. }) {
            return Some(plan);
        }
        if let Some(label) = equal_label(filter) {
            let (index, value) = (index::LABEL.to_owned(), text_key(&label));
            return Some(if may_be_cut(&value) {
                IndexPlan::Prefix {
                    index,
                    bytes: value,
                }
            } else {
                IndexPlan::Point { index, value }
            });
        }
        (plan != IndexPlan::Scan).then_some(plan)
    }

    /// Whether some part of an index holds every match of the filter.
    pub(crate) fn filter_has_index(&self) -> bool {
        let mut sources = self.scope.sources.iter();
        sources.any(|source| self.plan(source).is_some())
    }

    /// The indexes that hold what the filter sees.
    pub(crate) fn indexes(&self, source: &Source) -> Vec<IndexInfo> {
        let built_in = |name: &str, field| IndexInfo {
            name: name.to_owned(),
            field,
            single: true,
        };
        let mut all = vec![
            built_in(index::NAME, FilterField::Name),
            built_in(index::OWNER, FilterField::Owner),
            built_in(index::STATE, FilterField::State),
            // Only those that have one are in it; no plan looks for those that have none.
            built_in(index::EXTERNAL_ID, FilterField::ExternalId),
        ];
        all.extend(declared(&source.state, &source.versions, &source.wanted));
        all
    }
}

/// The records of all majors.
fn records(source: &Source) -> Result<Reading, EngineError> {
    let mut streams = Vec::new();
    let majors = if source.whole {
        source.state.majors.iter().copied().collect()
    } else {
        source.majors()
    };
    for major in majors {
        let span = keys::records_of_major(source.of(), major)?;
        streams.push(Stream::of(&span, None));
    }
    Ok(Reading::Records {
        streams,
        exact: source.whole,
    })
}

/// The declared indexes that every version has at one path, if every version is shown as it is
/// stored: a conversion may change values, and the index has the stored ones.
fn declared(state: &TypeState, versions: &[Version], wanted: &WantedView) -> Vec<IndexInfo> {
    let shown_as_stored = versions
        .iter()
        .all(|version| as_stored(state, *version, wanted));
    let mut definitions = versions.iter().map(|version| state.version(*version));
    let Some(Some(first)) = definitions.next().filter(|_| shown_as_stored) else {
        return Vec::new();
    };
    // An index that one version lacks, or has at another path, does not hold all matches.
    let mut all = first.indexes.clone();
    for definition in definitions {
        let same = |one: &(String, _)| definition.is_some_and(|other| other.indexes.contains(one));
        all.retain(same);
    }
    let info = |(name, path): &(String, coeval_core::types::PathPattern)| IndexInfo {
        name: format!("{}{name}", index::DECLARED),
        field: FilterField::Content(path.into()),
        // Content that does not fit its schema can be stored, so nothing is certain of it.
        single: false,
    };
    all.iter().map(info).collect()
}

fn as_stored(state: &TypeState, version: Version, wanted: &WantedView) -> bool {
    let restricted = state
        .version(version)
        .and_then(|one| one.restricted_view.as_ref());
    let view = decide::decide_read(&VersionedRead {
        stored: decide::StoredVersions::Alone(StoredVersion(version)),
        known: &wanted.visible.known_with(state, &[version]),
        wanted: wanted.wanted,
        restricted_below: restricted.map(|restricted| restricted.below),
    });
    match view {
        Ok(view) => view.shown == ViewRendering::AsStored,
        Err(refusal) => {
            // Its resources are quarantined, found or not; it has no say in which index serves.
            tracing::debug!(%version, code = %refusal.code(), "not shown");
            false
        }
    }
}

/// The id that every match has.
fn equal_id(filter: &Filter) -> Option<&str> {
    match filter {
        Filter::Test(FieldTest {
            field: FilterField::Id,
            compare: FieldComparison::Equal(Operand::Text(id)),
            ..
        }) => Some(id),
        // Bounded: a filter was compiled before, which refuses deep ones.
        Filter::And(filters) => filters.iter().find_map(equal_id),
        _ => None,
    }
}

/// A label that every match has, as the index of labels holds it.
fn equal_label(filter: &Filter) -> Option<String> {
    match filter {
        Filter::Test(FieldTest {
            field: FilterField::Label(key),
            compare: FieldComparison::Equal(Operand::Text(value)),
            ..
        }) => Some(label_text(key, value)),
        Filter::Test(FieldTest {
            field: FilterField::Label(key),
            compare: FieldComparison::Equal(Operand::Json(serde_json::Value::String(value))),
            ..
        }) => Some(label_text(key, value)),
        // Bounded: a filter was compiled before, which refuses deep ones.
        Filter::And(filters) => filters.iter().find_map(equal_label),
        _ => None,
    }
}
