//! What is to be listed, and what a page of it is.

use crate::quarantined::Quarantined;
use crate::resource::Resource;
use coeval_core::version::Classification;
use coeval_filter::{Filter, SortOrder};
use coeval_records::keys::TypeKey;
use coeval_storage::Token;

/// How many resources a page has if nothing is said.
pub const DEFAULT_PAGE: usize = 128;
/// How many a page has at most.
pub const LARGEST_PAGE: usize = 1_000;

/// Resources of which kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListOf {
    /// Of a type, stored at these versions; at any if nothing is said.
    Type {
        /// Which type.
        of: TypeKey,
        /// Which versions.
        versions: Option<Classification>,
    },
    /// Of all type versions that implement an interface.
    Interface {
        /// Its vendor and nss.
        of: TypeKey,
        /// Which versions of the interface.
        versions: Option<Classification>,
    },
}

/// Resources of which organization.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum InOrg {
    /// The one that the caller acts in.
    #[default]
    Own,
    /// That of this id; another than one's own is for the provider.
    One(String),
    /// All; for the provider.
    All,
}

/// Which page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PageAt {
    /// The first.
    #[default]
    First,
    /// The one that a page before said is next.
    After(String),
    /// By its number, from 1 on.
    Number(u64),
}

/// What is to be listed.
#[derive(Clone, Debug)]
pub struct ListQuery {
    /// Of which kind.
    pub of: ListOf,
    /// Of which organization.
    pub org: InOrg,
    /// Only those that it matches, as the caller sees them.
    pub filter: Option<Filter>,
    /// In which order; of no field: by id.
    pub order: Option<SortOrder>,
    /// Which page.
    pub page: PageAt,
    /// How many a page has.
    pub page_size: usize,
    /// Whether to say how many there are in all.
    pub count: bool,
    /// Whether fields that no version declares are compared all the same, with a warning.
    pub undeclared: bool,
}

impl ListQuery {
    /// The first page of all resources of a type, of the caller's organization.
    #[must_use]
    pub fn of(of: TypeKey) -> Self {
        let versions = None;
        Self {
            of: ListOf::Type { of, versions },
            org: InOrg::Own,
            filter: None,
            order: None,
            page: PageAt::First,
            page_size: DEFAULT_PAGE,
            count: false,
            undeclared: false,
        }
    }

    /// The page that this token leads to.
    #[must_use]
    pub fn after(mut self, token: impl Into<String>) -> Self {
        self.page = PageAt::After(token.into());
        self
    }

    /// The page of this number.
    #[must_use]
    pub fn number(mut self, number: u64) -> Self {
        self.page = PageAt::Number(number);
        self
    }

    /// With this many resources on a page.
    #[must_use]
    pub fn sized(mut self, page_size: usize) -> Self {
        self.page_size = page_size;
        self
    }
}

/// A page of a listing. It has fewer than were asked for also where their content is large.
#[derive(Clone, Debug)]
pub struct Page {
    /// In order.
    pub items: Vec<Resource>,
    /// Those that can't be shown. They take a place on the page like any other.
    pub quarantined: Vec<Quarantined>,
    /// What is to be said of the listing: fields that only some versions declare.
    pub warnings: Vec<String>,
    /// Leads to the next page; none after the last.
    pub next: Option<String>,
    /// How many there are in all, if that was asked for: as counted when the listing began.
    pub total: Option<u64>,
    /// What the first page shows at least; a watch that follows the listing starts here.
    pub token: Token,
    /// The page's number, from 1 on, as far as pages have been full.
    pub number: u64,
    /// How many a page has.
    pub page_size: usize,
}
