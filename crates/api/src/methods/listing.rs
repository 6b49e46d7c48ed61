//! Listings, as requests ask for them.

use crate::methods::ResourceMethods;
use crate::methods::error::MethodError;
use crate::methods::selector::{ResourceSelector, filter_field};
use crate::sort_order::parse_order;
use coeval_engine::{
    Caller, DEFAULT_PAGE, LARGEST_PAGE, ListOf, ListQuery, Page, PageAt, Resource, TypeKey,
};

/// What a listing is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListParams {
    /// At most so many; 0: as many as is usual. The server gives at most 1000.
    pub page_size: usize,
    /// Leads to the page; empty: the first.
    pub page_token: String,
    /// Which page, for those who count them; 0: they don't.
    pub page: u64,
    /// The organization's name; empty: the caller's own; `-`: all.
    pub namespace: String,
    /// Only those that it selects.
    pub selector: ResourceSelector,
    /// Fields to sort by: `name, created desc`.
    pub order_by: String,
    /// Whether to say how many there are.
    pub count: bool,
}

impl ResourceMethods {
    /// A page of the resources of a type.
    ///
    /// # Errors
    /// If the filter, the order or the token can't be used. Never because of one resource.
    pub async fn list(
        &self,
        caller: &Caller,
        of: &TypeKey,
        asked: &ListParams,
    ) -> Result<Page, MethodError> {
        let org = self.scope(caller, &asked.namespace).await?;
        // A selector that can't be read is told before anything is read from the store.
        let versions = asked.selector.versions()?;
        let query = ListQuery {
            of: ListOf::Type {
                of: of.clone(),
                versions,
            },
            org,
            filter: asked.selector.filter()?,
            order: parse_order(&asked.order_by, filter_field, MethodError::invalid)?,
            page: match (asked.page_token.as_str(), asked.page) {
                ("", 0) => PageAt::First,
                ("", number) => PageAt::Number(number),
                // A token knows where it leads; a number beside it says nothing more.
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
        let target = self.target(caller, of, name, namespace).await?;
        Ok(self.engine.get(caller, of, &target).await?)
    }
}
