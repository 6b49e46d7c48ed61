//! Whether the content fields that a filter or an order names are declared.
//!
//! A field that no version of the type declares is refused: it would match nothing, in silence. One
//! that only some of the versions declare is compared all the same, each resource at the version
//! that it is shown at; the answer says so. Only versions that exist for the caller count. Inside of
//! an object that some version leaves open everything is declared.

use crate::list::query::ListQuery;
use crate::list::scope::Source;
use crate::resources::Resources;
use coeval_catalog::caller::Caller;
use coeval_catalog::kinds::VENDOR;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::WantedView;
use coeval_codes::Coded;
use coeval_core::decide::{self, VersionedRead, WantedVersion};
use coeval_core::types::{PathToken, TypeVersion};
use coeval_core::version::{Classification, StoredVersion, Version};
use coeval_filter::{ContentPath, Filter, FilterField, SortOrder};
use coeval_records::error::EngineError;
use coeval_records::error::list::ListError;
use coeval_records::keys::TypeKey;

/// How many versions, and how many similar names, are told.
const TOLD: usize = 4;

/// A type as a listing or a watch looks at it.
#[derive(Debug)]
pub(crate) struct Listed<'a> {
    state: &'a TypeState,
    wanted: &'a WantedView,
    /// Those that its resources may be stored at.
    versions: Vec<Version>,
}

impl<'a> Listed<'a> {
    pub(crate) fn of(source: &'a Source) -> Self {
        Self {
            state: &source.state,
            wanted: &source.wanted,
            versions: source.versions.clone(),
        }
    }

    fn definitions(&self) -> impl Iterator<Item = &TypeVersion> {
        self.wanted.visible.definitions(self.state)
    }

    /// The versions that declare it, oldest first.
    fn declaring(&self, path: &ContentPath) -> Vec<Version> {
        let all = self.definitions();
        let all = all.filter(|one| one.schema.leads_to_declared(path.steps()));
        all.map(|one| one.id.version).collect()
    }

    /// Whether a version that can't be looked at here could declare it.
    fn is_blind(&self) -> bool {
        let mut definitions = self.state.definitions.values();
        definitions.any(|one| one.loaded.is_err()) || &*self.state.key.vendor == VENDOR
    }

    /// The stored versions that are shown at one that lacks the field.
    fn lacking(&self, declaring: &[Version]) -> Vec<Version> {
        let closed = &self.state.phase.closed;
        let stored = self.versions.iter().copied();
        let stored = stored.filter(|version| {
            let known = self.state.version(*version).is_some();
            // A warning must not name versions that are hidden from the caller.
            known && self.wanted.visible.has(*version) && !closed.contains(&version.major)
        });
        let lacks = |version: &Version| {
            let shown = decide::decide_read(&VersionedRead {
                stored: decide::StoredVersions::Alone(StoredVersion(*version)),
                known: self.wanted.visible.known(self.state),
                wanted: self.wanted.wanted,
                restricted_below: None,
            });
            shown.is_ok_and(|view| !declaring.contains(&view.at.version()))
        };
        stored.filter(lacks).collect()
    }

    /// What is to be said of a field that some versions declare.
    fn warning(&self, path: &ContentPath, declaring: &[Version]) -> Option<String> {
        let lacking = self.lacking(declaring);
        let newest = declaring.last().filter(|_| !lacking.is_empty())?;
        let (by, at) = (said(declaring), newest.short());
        Some(match self.wanted.wanted {
            WantedVersion::Exactly(version) | WantedVersion::Major(version) => format!(
                "spec.{path} is declared by {by} only, and what is shown at {} lacks it; use --version {at} to compare all",
                version.short()
            ),
            WantedVersion::AtMost(_) | WantedVersion::Stored => format!(
                "spec.{path} is declared by {by} only: resources stored at {} are compared at their own version; use --version {at} to compare all",
                said(&lacking)
            ),
        })
    }

    /// Declared paths beside which the one that was given could be a slip, in one of its names.
    fn near(&self, path: &ContentPath) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let steps = path.steps();
        for definition in self.definitions() {
            for (at, step) in steps.iter().enumerate() {
                let PathToken::Key(key) = step else { continue };
                let around = steps.get(..at).unwrap_or_default();
                // A name that meets a list goes on in its items.
                let items = [around, &[PathToken::Every]].concat();
                let mut names = definition.schema.names_in(around);
                names.extend(definition.schema.names_in(&items));
                for name in names.into_iter().filter(|name| is_near(name, key)) {
                    let mut other = steps.to_vec();
                    if let Some(step) = other.get_mut(at) {
                        *step = PathToken::Key(name);
                    }
                    let declared = definition.schema.leads_to_declared(&other);
                    let other = ContentPath::from(other).to_string();
                    if declared && !found.contains(&other) && found.len() < TOLD {
                        found.push(other);
                    }
                }
            }
        }
        found
    }
}

/// `2, 2.1 and 3 more`
fn said(versions: &[Version]) -> String {
    let told = versions.iter().take(TOLD);
    let mut text: Vec<String> = told.map(|version| version.short().to_string()).collect();
    if let Some(more) = versions.len().checked_sub(TOLD).filter(|more| *more > 0) {
        text.push(format!("{more} more"));
    }
    match text.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => text.concat(),
    }
}

/// Whether two names differ by a slip or two.
fn is_near(one: &str, other: &str) -> bool {
    const LONGEST: usize = 64;
    if one.eq_ignore_ascii_case(other) {
        return true;
    }
    // Bounded: the distance costs the product of both lengths, and names come from requests.
    if one.len() > LONGEST || other.len() > LONGEST || other.len() < 3 {
        return false;
    }
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, a) in one.chars().enumerate() {
        let mut before = at;
        let mut left = at + 1;
        for (above, b) in row.iter_mut().skip(1).zip(&other) {
            let same = usize::from(a != *b);
            let here = (before + same).min(*above + 1).min(left + 1);
            before = std::mem::replace(above, here);
            left = here;
        }
        if let Some(first) = row.first_mut() {
            *first = at + 1;
        }
    }
    row.last().is_some_and(|distance| *distance <= 2)
}

/// The content fields of a filter. Bounded: a filter was compiled before, which refuses deep ones.
fn of_filter<'f>(filter: &'f Filter, found: &mut Vec<&'f ContentPath>) {
    match filter {
        Filter::And(all) | Filter::Or(all) => all.iter().for_each(|one| of_filter(one, found)),
        Filter::Not(one) => of_filter(one, found),
        Filter::Test(test) => {
            if let FilterField::Content(path) = &test.field {
                found.push(path);
            }
        }
    }
}

/// What is to be said of the fields that a listing's filter and order name.
///
/// # Errors
/// If no version of any of the types declares one, unless the listing takes that.
pub(crate) fn check(types: &[Listed<'_>], query: &ListQuery) -> Result<Vec<String>, ListError> {
    let mut paths = Vec::new();
    if let Some(filter) = &query.filter {
        of_filter(filter, &mut paths);
    }
    let ordered = query.order.iter().flat_map(SortOrder::fields);
    paths.extend(ordered.filter_map(|(field, _)| match field {
        FilterField::Content(path) => Some(path),
        _ => None,
    }));
    said_of(types, paths, query.undeclared)
}

fn said_of(
    types: &[Listed<'_>],
    mut paths: Vec<&ContentPath>,
    undeclared: bool,
) -> Result<Vec<String>, ListError> {
    paths.sort();
    paths.dedup();
    let mut warnings = Vec::new();
    for path in paths {
        let declaring: Vec<_> = types.iter().map(|one| one.declaring(path)).collect();
        let nobody = declaring.iter().all(Vec::is_empty);
        // Refused only if all of it is known: a version that this server can't load may declare the
        // field.
        if nobody && !types.is_empty() && !types.iter().any(Listed::is_blind) {
            let mut near: Vec<_> = types.iter().flat_map(|one| one.near(path)).collect();
            near.truncate(TOLD);
            let field = path.to_string();
            let error = ListError::FieldUndeclared { field, near };
            if !undeclared {
                return Err(error);
            }
            warnings.push(format!("{error} ({})", error.code()));
            continue;
        }
        // Of several types that implement an interface each has its own fields.
        if let ([only], [declaring]) = (types, declaring.as_slice()) {
            warnings.extend(only.warning(path, declaring));
        }
    }
    Ok(warnings)
}

impl Resources {
    /// What is to be said of the content fields that the filter of a watch names.
    ///
    /// # Errors
    /// If no version of the type declares one, or there is no such type.
    pub async fn check_filter(
        &self,
        caller: &Caller,
        of: &TypeKey,
        versions: Option<Classification>,
        filter: &Filter,
    ) -> Result<Vec<String>, EngineError> {
        let state = self.types.current(of).await?;
        let wanted = caller.wanted_view(&state);
        let all = state.registered_versions();
        let all = all.filter(|one| versions.is_none_or(|class| class.matches(*one)));
        let listed = Listed {
            state: &state,
            wanted: &wanted,
            versions: all.collect(),
        };
        let mut paths = Vec::new();
        of_filter(filter, &mut paths);
        Ok(said_of(&[listed], paths, false)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_near_that_a_slip_makes_of_one_another() {
        for (one, other) in [
            ("replicas", "replica"),
            ("storageGb", "storagegb"),
            ("image", "imgae"),
        ] {
            assert!(is_near(one, other), "{one} {other}");
        }
        for (one, other) in [("image", "region"), ("a", "b"), ("size", "replicas")] {
            assert!(!is_near(one, other), "{one} {other}");
        }
    }

    #[test]
    fn versions_are_told_shortly() {
        let v = |major| Version::new(major, 0, 0);
        assert_eq!(said(&[v(2)]), "v2");
        assert_eq!(said(&[v(1), v(2)]), "v1 and v2");
        let many: Vec<_> = (1..8).map(v).collect();
        assert_eq!(said(&many), "v1, v2, v3, v4 and 3 more");
    }
}
