//! Listings: pages of resources of a type or of an interface, at the version that the caller wants.
//!
//! - One resource that can't be shown never hides another: it is named under `quarantined`.
//! - What the caller may not see is not there: not listed, not counted, not quarantined.
//! - Filters and orders see what the caller sees. An index only makes them faster.
//! - Pages are not one snapshot; yet a resource that stays, and stays where it is in the order, is
//!   on exactly one of them, whatever is made or deleted around it.
//! - Memory is bounded, whatever the listing covers.
//!
//! A listing finds *candidates* in one of three ways (`walk`): in the order of ids, from records or
//! from an index that a filter can use (`by_id`); in the order of an index (`by_index`); or from a
//! list that was sorted for it and is kept for the pages that follow (`sorted`). Whatever the way,
//! each candidate is then read, judged and shown by itself (`records`, `visible`), so an outdated
//! index entry costs a read and shows nothing wrong.
//!
//! A page ends with a token that names the place of its last resource, not a number of resources
//! (`place`). So the next page needs nothing that this server remembers: another one, or this one
//! after a restart, goes on behind that place. What is kept between pages only saves work.
//!
//! It relies on every write keeping the index entries of its resource, and on one snapshot for all
//! streams that are merged.

pub(crate) mod by_id;
pub(crate) mod by_index;
pub(crate) mod fields;
pub(crate) mod indexes;
pub(crate) mod look;
pub mod matcher;
pub(crate) mod numbered;
pub(crate) mod page_keys;
pub(crate) mod place;
pub mod query;
pub(crate) mod records;
pub mod scope;
pub(crate) mod sorted;
pub mod visible;
pub(crate) mod walk;
pub(crate) mod window;

use crate::caches::numbered::{Bookmark, Moment};
use crate::list::look::{Look, Outcome};
use crate::list::query::{LARGEST_PAGE, ListQuery, Page, PageAt};
use crate::list::walk::{How, Walk};
use crate::resources::Resources;
use coeval_catalog::caller::Caller;
use coeval_filter::{FilterField, SortDirection, SortOrder};
use coeval_records::error::EngineError;
use coeval_records::error::list::ListError;

/// Bytes of content after which a page ends.
const PAGE_BYTES: usize = 4 * 1024 * 1024;
/// Bytes that a numbered page has at most: it can't end earlier, or what is left out would be on no
/// page.
const NUMBERED_BYTES: usize = 32 * 1024 * 1024;
/// About how many bytes of records are read together.
const READ_BYTES: usize = 16 * 1024 * 1024;
/// How many are looked at together at first, and at most.
const FIRST_LOOK: usize = 256;
const LARGEST_LOOK: usize = 1_000;
/// And at least, once it is known how much they show.
const FEWEST_LOOK: usize = 32;

/// A page's resources, as they are found.
#[derive(Default)]
struct Gathered {
    outcomes: Vec<Outcome>,
    /// Those before the page.
    skipped: u64,
    /// Those after the page that were met.
    beyond: u64,
    /// How often candidates were looked at.
    looks: usize,
    /// Bytes of the page itself.
    content: usize,
}

impl Resources {
    /// A page of a listing.
    ///
    /// # Errors
    /// If the type or interface is unknown, the filter or the token is refused, or there are more
    /// resources than can be sorted. Never because of one resource.
    pub async fn list(&self, caller: &Caller, query: &ListQuery) -> Result<Page, EngineError> {
        let mut skip = skipped(query)?;
        let filter = match &query.filter {
            None => None,
            Some(filter) => Some((filter, filter.compile().map_err(ListError::from)?)),
        };
        let scope = self.scope(caller, query).await?;
        let listed: Vec<_> = scope.sources.iter().map(fields::Listed::of).collect();
        let warnings = fields::check(&listed, query)?;
        let numbered = &self.lists.numbered;
        // What is remembered is bound to this sequence: after any write it is not found any more,
        // so no page is told from an outdated place.
        let moment = Moment::of(caller, query, scope.token)?;
        let bookmark = match &query.page {
            PageAt::After(token) => Some(self.accept_token(caller, query, token).await?),
            // Numbered pages are mostly asked for in order: the page before has left its place
            // here, and nothing has to be passed over.
            PageAt::Number(number) if query.count => {
                let place = numbered.place(moment, query.page_size, *number);
                if place.is_some() {
                    skip = 0;
                }
                place.map(|place| Bookmark::clone(&place))
            }
            PageAt::First | PageAt::Number(_) => None,
        };
        // Others may end early, and say nothing of where the page of a number begins.
        let by_number = query.count && matches!(query.page, PageAt::Number(_));
        let order = query.order.as_ref().filter(|order| !by_id(order));
        let by_name = |order: &SortOrder| order.fields().iter().any(|(f, _)| f.is_name_behind_id());
        let mut look = Look {
            resources: self,
            caller,
            scope,
            needs_names: query.filter.as_ref().is_some_and(visible::needs_names)
                || order.is_some_and(by_name),
            filter,
            order,
            dense: true,
        };
        // The order of these: passing over, filling the page, counting what is left. Each goes on
        // where the one before ended.
        let mut walk = Walk::start(&mut look, bookmark.as_ref()).await?;
        let mut gathered = Gathered::default();
        let by_keys = walk.told_by_keys(&look);
        let first = if by_keys && skip > 0 {
            gathered.skipped = skip;
            walk.skip(&mut look, skip).await?
        } else {
            Vec::new()
        };
        let left = skip - gathered.skipped;
        let more = gather(&mut look, &mut walk, query, left, first, &mut gathered).await?;
        let total = match &bookmark {
            Some(bookmark) => bookmark.total,
            None if !query.count => None,
            None if numbered.total(moment).is_some() => numbered.total(moment),
            None if by_keys => Some(walk.count(&look).await?),
            None => Some(count_rest(&mut look, &mut walk, &gathered).await?),
        };
        // Always the first page's: who watches from it misses nothing that later pages were too
        // late for.
        let token = match &bookmark {
            Some(bookmark) => bookmark.first_token()?,
            None => caller.watched_from(look.scope.token),
        };
        let number = match (&query.page, &bookmark) {
            (PageAt::Number(number), _) => *number,
            (_, Some(bookmark)) => bookmark.number,
            _ => 1,
        };
        let last = gathered
            .outcomes
            .last()
            .map(|outcome| outcome.place.clone());
        let next = match last.filter(|_| more) {
            None => None,
            Some(place) => {
                let bookmark = Bookmark {
                    place,
                    first: token.to_string(),
                    total,
                    number: number.saturating_add(1),
                    cursor: self.keep_list(&walk)?,
                };
                if by_number {
                    numbered.remember(moment, query.page_size, &bookmark);
                }
                Some(self.give_token(caller, query, &bookmark).await?)
            }
        };
        if let (true, Some(total)) = (by_number, total) {
            numbered.remember_total(moment, total);
        }
        let (mut items, mut quarantined) = (Vec::new(), Vec::new());
        for outcome in gathered.outcomes {
            match outcome.shown {
                Ok(resource) => items.push(*resource),
                Err(one) => quarantined.push(one),
            }
        }
        Ok(Page {
            items,
            quarantined,
            warnings,
            next,
            total,
            token,
            number,
            page_size: query.page_size,
        })
    }

    fn keep_list(&self, walk: &Walk) -> Result<Option<u64>, EngineError> {
        match &walk.how {
            How::List(walk) => match walk.cursor {
                Some(cursor) => Ok(Some(cursor)),
                None => Ok(Some(self.lists.keep(std::sync::Arc::clone(&walk.sorted))?)),
            },
            How::Ids(_) | How::Index(_) => Ok(None),
        }
    }
}

/// How many resources come before the page.
fn skipped(query: &ListQuery) -> Result<u64, ListError> {
    let refuse = |what: &str| ListError::PageInvalid {
        what: what.to_owned(),
    };
    if !(1..=LARGEST_PAGE).contains(&query.page_size) {
        let size = query.page_size;
        return Err(refuse(&format!("a page of {size} resources is not given")));
    }
    match query.page {
        PageAt::Number(0) => Err(refuse("pages are counted from 1 on")),
        PageAt::Number(number) => Ok((number - 1).saturating_mul(query.page_size as u64)),
        PageAt::First | PageAt::After(_) => Ok(0),
    }
}

/// Whether an order is that of the ids, which listings have without one.
fn by_id(order: &SortOrder) -> bool {
    matches!(
        order.fields(),
        [] | [(FilterField::Id, SortDirection::Ascending)]
    )
}

/// Fills the page; whether anything follows it.
async fn gather(
    look: &mut Look<'_>,
    walk: &mut Walk,
    query: &ListQuery,
    mut skip: u64,
    first: Vec<Outcome>,
    gathered: &mut Gathered,
) -> Result<bool, EngineError> {
    let numbered = matches!(query.page, PageAt::Number(_));
    // One more than the page has: so it is known whether anything follows.
    let mut want = (query.page_size + 1).min(FIRST_LOOK);
    let mut outcomes = first;
    loop {
        let (found, bytes) = (
            outcomes.len(),
            outcomes.iter().map(Outcome::size).sum::<usize>(),
        );
        let mut rest = outcomes.into_iter();
        for outcome in rest.by_ref() {
            if skip > 0 {
                skip -= 1;
                gathered.skipped += 1;
                continue;
            }
            let full = gathered.outcomes.len() >= query.page_size;
            let content = gathered.content + outcome.size();
            // The first resource is taken whatever its size: a page without any would never lead
            // on.
            let heavy = !gathered.outcomes.is_empty() && content > limit(numbered);
            if heavy && numbered && !full {
                let most = NUMBERED_BYTES;
                return Err(ListError::PageTooLarge { most }.into());
            }
            if full || heavy {
                gathered.beyond = 1 + rest.count() as u64;
                return Ok(true);
            }
            gathered.content = content;
            gathered.outcomes.push(outcome);
        }
        if walk.ended() {
            return Ok(false);
        }
        if gathered.looks > 0 {
            let left = query.page_size + 1 - gathered.outcomes.len();
            // Where few of many are shown, more are looked at together.
            want = if found * 2 < want {
                want * 2
            } else {
                left.max(FEWEST_LOOK)
            };
            // By what the last look has shown: large contents must not fill the memory, nor small
            // ones cost a read each.
            let average = bytes / found.max(1) + 1;
            want = want.min(LARGEST_LOOK).min(READ_BYTES / average).max(1);
        }
        gathered.looks += 1;
        outcomes = walk.shown(look, want).await?;
    }
}

const fn limit(numbered: bool) -> usize {
    if numbered { NUMBERED_BYTES } else { PAGE_BYTES }
}

/// How many there are in all, by looking at what comes after the page.
async fn count_rest(
    look: &mut Look<'_>,
    walk: &mut Walk,
    gathered: &Gathered,
) -> Result<u64, EngineError> {
    let mut count = gathered.skipped + gathered.outcomes.len() as u64 + gathered.beyond;
    while !walk.ended() {
        count += walk.shown(look, FIRST_LOOK).await?.len() as u64;
    }
    Ok(count)
}
