//! Listings, as requests ask for them.

use crate::Methods;
use crate::error::MethodError;
use crate::kinds::Place;
use coeval_core::version::Classification;
use coeval_engine::{
    Caller, DEFAULT_PAGE, LARGEST_PAGE, ListOf, ListQuery, Page, PageAt, Resource, TypeKey,
};
use coeval_filter::{
    Compare, Direction, Field, Filter, FilterError, Operand, Order, Pattern, fiql,
};
use std::collections::BTreeMap;

/// What a listing is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListAsked {
    /// At most so many; 0: as many as is usual. The server gives at most 1000.
    pub page_size: usize,
    /// Leads to the page; empty: the first.
    pub page_token: String,
    /// Which page, for those who count them; 0: they don't.
    pub page: u64,
    /// The organization's name; empty: the caller's own; `-`: all.
    pub namespace: String,
    /// Only those near this.
    pub near: Near,
    /// Fields to sort by: `name, created desc`.
    pub order_by: String,
    /// Whether to say how many there are.
    pub count: bool,
}

/// Which resources are meant, in listings and watches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Near {
    /// As people write filters: `name==web*;spec.image!=x;labels.tier==gold`.
    pub filter: String,
    /// Only those whose name begins so.
    pub name_prefix: String,
    /// Only those with all of these labels.
    pub labels: BTreeMap<String, String>,
    /// Only those stored at a version that begins so: `1` or `1.1`.
    pub stored_version: String,
}

/// A page.
pub type ListedPage = Page;

impl Near {
    /// As a filter over what the caller sees.
    ///
    /// # Errors
    /// If the filter can't be read.
    pub fn filter(&self) -> Result<Option<Filter>, MethodError> {
        let mut all = Vec::new();
        if !self.filter.is_empty() {
            all.push(fiql::parse(&self.filter, field)?);
        }
        if !self.name_prefix.is_empty() {
            let prefix = Pattern::of_pieces(vec![self.name_prefix.clone(), String::new()])?;
            all.push(Filter::test(
                Field::Name,
                Compare::Equal(Operand::Pattern(prefix)),
            ));
        }
        for (key, value) in &self.labels {
            let value = Operand::Text(value.clone());
            all.push(Filter::test(
                Field::Label(key.clone()),
                Compare::Equal(value),
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
            text => Ok(Some(Classification::parse(text.trim_start_matches('v'))?)),
        }
    }
}

impl Methods {
    /// A page of the resources of a type.
    ///
    /// # Errors
    /// If the filter, the order or the token can't be used. Never because of one resource.
    pub async fn list(
        &self,
        caller: &Caller,
        of: &TypeKey,
        asked: &ListAsked,
    ) -> Result<Page, MethodError> {
        let place: Place = self.place(caller, &asked.namespace).await?;
        let versions = asked.near.versions()?;
        let query = ListQuery {
            of: ListOf::Type {
                of: of.clone(),
                versions,
            },
            org: place.into(),
            filter: asked.near.filter()?,
            order: order(&asked.order_by)?,
            page: match (asked.page_token.as_str(), asked.page) {
                ("", 0) => PageAt::First,
                ("", number) => PageAt::Number(number),
                (token, _) => PageAt::After(token.to_owned()),
            },
            page_size: match asked.page_size {
                0 => DEFAULT_PAGE,
                size => size.min(LARGEST_PAGE),
            },
            count: asked.count,
            undeclared: false,
        };
        let mut page = self.engine.list(caller, &query).await?;
        let notices = self.engine.deprecation_notices(&page.items);
        page.warnings.extend(notices);
        Ok(page)
    }

    /// One resource.
    ///
    /// # Errors
    /// If there is none that the caller may see, or it can't be shown at the version.
    pub async fn get(
        &self,
        caller: &Caller,
        of: &TypeKey,
        name: &str,
        namespace: &str,
    ) -> Result<Resource, MethodError> {
        let target = self.which(caller, of, name, namespace).await?;
        Ok(self.engine.get(caller, of, &target).await?)
    }
}

/// What a key in a filter or an order means: `name`, `metadata.name`, `labels.tier`, `spec.image`,
/// `status.state`, `namespace`.
///
/// # Errors
/// If nothing is called so.
pub fn field(key: &str) -> Result<Field, FilterError> {
    let bare = key.strip_prefix("metadata.").unwrap_or(key);
    match bare {
        "namespace" => Ok(Field::OrgName),
        "sub_kind" => Ok(Field::SubKind),
        "status.state" => Ok(Field::State),
        _ => Field::parse(bare, "spec"),
    }
}

/// An order as people write it: `name, created desc`.
///
/// # Errors
/// If a field is not known, or there are too many.
pub fn order(text: &str) -> Result<Option<Order>, MethodError> {
    let parts = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let mut fields = Vec::new();
    for part in parts {
        let (name, direction) = match part.rsplit_once(char::is_whitespace) {
            None => (part, Direction::Ascending),
            Some((name, "asc")) => (name, Direction::Ascending),
            Some((name, "desc")) => (name, Direction::Descending),
            Some((_, other)) => {
                return Err(MethodError::invalid(format!(
                    "{other:?} is no direction: use asc or desc"
                )));
            }
        };
        fields.push((field(name.trim())?, direction));
    }
    if fields.is_empty() {
        Ok(None)
    } else {
        Ok(Some(Order::new(fields)?))
    }
}
