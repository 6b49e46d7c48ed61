//! Reading watches.

use crate::bench::{PATIENCE, key};
use coeval_storage::{
    DeliveryStream, EventGroup, KeySpan, StorageError, Store, Token, WatchDelivery, WatchRequest,
};
use futures::StreamExt;
use std::sync::Arc;

/// Watches the keys below `prefix`; the `Live` delivery is taken and returned.
///
/// # Panics
/// If the watch is refused or its first delivery is not `Live`.
pub async fn watch(
    store: &dyn Store,
    prefix: &str,
    from: Option<Token>,
) -> (Token, DeliveryStream) {
    let span = KeySpan::below(&key(prefix));
    watch_span(store, span, from).await
}

/// As [`watch`], of any span.
///
/// # Panics
/// If the watch is refused or its first delivery is not `Live`.
pub async fn watch_span(
    store: &dyn Store,
    span: KeySpan,
    from: Option<Token>,
) -> (Token, DeliveryStream) {
    let request = WatchRequest { span, from };
    let mut watch = store.watch(request).await.expect("a watch");
    match next(&mut watch).await {
        Ok(WatchDelivery::Live(token)) => (token, watch),
        other => panic!("the first delivery is {other:?}"),
    }
}

/// The next delivery.
///
/// # Errors
/// What the watch ends with.
///
/// # Panics
/// If nothing comes, or the watch ends without an error.
pub async fn next(watch: &mut DeliveryStream) -> Result<WatchDelivery, StorageError> {
    match tokio::time::timeout(PATIENCE, watch.next()).await {
        Ok(Some(delivery)) => delivery,
        Ok(None) => panic!("the watch ended without a word"),
        Err(_) => panic!("nothing was delivered within {PATIENCE:?}"),
    }
}

/// The next group of events, past bookmarks.
///
/// # Panics
/// If something else comes.
pub async fn next_group(watch: &mut DeliveryStream) -> (Token, Arc<EventGroup>) {
    loop {
        match next(watch).await {
            Ok(WatchDelivery::Events(token, group)) => {
                assert_eq!(token.sequence, group.sequence);
                return (token, group);
            }
            Ok(WatchDelivery::Bookmark(_)) => {}
            other => panic!("instead of events: {other:?}"),
        }
    }
}

/// Reads groups until `until` was delivered.
///
/// # Panics
/// If something else comes.
pub async fn groups(watch: &mut DeliveryStream, until: u64) -> Vec<Arc<EventGroup>> {
    let mut groups: Vec<Arc<EventGroup>> = Vec::new();
    while groups.last().is_none_or(|group| group.sequence < until) {
        groups.push(next_group(watch).await.1);
    }
    groups
}

/// What a watch from `token` is refused with, at once or as its first delivery.
///
/// # Panics
/// If it is not refused.
pub async fn watch_refusal(store: &dyn Store, prefix: &str, token: Token) -> StorageError {
    let request = WatchRequest {
        span: KeySpan::below(&key(prefix)),
        from: Some(token),
    };
    match store.watch(request).await {
        Ok(mut watch) => next(&mut watch).await.expect_err("a watch from nowhere"),
        Err(error) => error,
    }
}
