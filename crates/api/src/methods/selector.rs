//! Which resources are meant, in listings, watches and upgrades.

use crate::methods::error::MethodError;
use coeval_core::version::Classification;
use coeval_filter::{
    FieldComparison, Filter, FilterError, FilterField, Operand, WildcardPattern, fiql,
};
use std::collections::BTreeMap;

/// Which resources are meant: those that fit all that is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceSelector {
    /// As people write filters: `name==web*;spec.image!=x;labels.tier==gold`.
    pub filter: String,
    /// Only those whose name begins so.
    pub name_prefix: String,
    /// Only those with all of these labels.
    pub labels: BTreeMap<String, String>,
    /// Only those stored at a version that begins so: `1` or `1.1`.
    pub stored_version: String,
}

impl ResourceSelector {
    /// As a filter over what the caller sees.
    ///
    /// # Errors
    /// If the filter can't be read.
    pub fn filter(&self) -> Result<Option<Filter>, MethodError> {
        let mut all = Vec::new();
        if !self.filter.is_empty() {
            all.push(fiql::parse(&self.filter, filter_field)?);
        }
        if !self.name_prefix.is_empty() {
            // Two pieces, the second one empty: the prefix and whatever follows it.
            let prefix = WildcardPattern::of_pieces(vec![self.name_prefix.clone(), String::new()])?;
            all.push(Filter::test(
                FilterField::Name,
                FieldComparison::Equal(Operand::Pattern(prefix)),
            ));
        }
        for (key, value) in &self.labels {
            let value = Operand::Text(value.clone());
            all.push(Filter::test(
                FilterField::Label(key.clone()),
                FieldComparison::Equal(value),
            ));
        }
        Ok(match all.len() {
            0 => None,
            1 => all.pop(),
            _ => Some(Filter::And(all)),
        })
    }

    /// The stored versions that are meant.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn versions(&self) -> Result<Option<Classification>, MethodError> {
        match self.stored_version.as_str() {
            "" => Ok(None),
            text => Ok(Some(Classification::parse(
                text.strip_prefix('v').unwrap_or(text),
            )?)),
        }
    }
}

/// What a key in a filter or an order means: `name`, `metadata.name`, `labels.tier`, `spec.image`,
/// `status.state`, `namespace`.
///
/// # Errors
/// If nothing is called so.
pub fn filter_field(key: &str) -> Result<FilterField, FilterError> {
    // `metadata.` may be left out.
    let bare = key.strip_prefix("metadata.").unwrap_or(key);
    match bare {
        "namespace" => Ok(FilterField::OrgName),
        "sub_kind" => Ok(FilterField::SubKind),
        "status.state" => Ok(FilterField::State),
        _ => FilterField::parse(bare, "spec"),
    }
}
