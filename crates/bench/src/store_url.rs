//! Places in a store that somebody names, so that one measurement does not meet the data of another.

/// Another place in the same PostgreSQL or etcd.
pub(crate) fn place_in(store: &str, place: &str) -> String {
    if !store.starts_with("postgres") {
        format!("{}/{place}", store.trim_end_matches('/'))
    } else if store.contains("schema=") {
        store.replace("schema=", &format!("schema={place}_"))
    } else if store.contains('?') {
        format!("{store}&schema={place}")
    } else {
        format!("{store}?schema={place}")
    }
}
