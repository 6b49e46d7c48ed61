//! Interfaces, behaviors and types.

use crate::route::Route;

pub(crate) fn routes() -> Vec<Route> {
    Vec::new()
}
