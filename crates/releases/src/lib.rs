//! Releases of Coeval, as data: their order, when something that is deprecated goes, and which
//! release a feature needs.
//!
//! A server of release N serves clients of N and N-1, and a client of N may meet a server of N-1.
//! Three tables keep that promise, and everything else is derived from them:
//!
//! - [`Release`] orders releases and knows what *N+2* is: [`Release::earliest_removal`].
//! - [`ReleaseDeprecation`] says of a route, method, field, setting, flag or metric since when it is
//!   deprecated, which release used it last, and which release removes it. It becomes `deprecated`
//!   in the API documents, and the headers `Deprecation` and `Sunset` of answers.
//! - [`Feature`] names what a server of an older release lacks, with the least release that has it.
//!   Clients read it before they call, and say it when a call is refused.
//!
//! ```
//! use coeval_releases::{Feature, Release};
//!
//! let server: Release = "0.1.0".parse().unwrap();
//! let needed = Feature::ListDeprecations;
//! assert!(!needed.is_in(server));
//! assert_eq!(
//!     needed.refusal(Some(server)),
//!     "listing deprecations needs a server of release 0.2.0 or later (this one is 0.1.0)"
//! );
//! ```

mod calendar;
mod deprecation;
mod feature;
mod item;
mod release;

pub use calendar::{CALENDAR, ReleaseDate};
pub use deprecation::{DeprecationFault, ReleaseDeprecation};
pub use feature::Feature;
pub use item::DeprecatedItem;
pub use release::{CURRENT, Release, ReleaseParseError};
