//! A watcher that begins before the first write and follows to the last, over every cut.

use coeval_storage::{
    DeliveryStream, DynStore, EventGroup, KeySpan, StorageError, Token, WatchDelivery, WatchRequest,
};
use futures::StreamExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch::Receiver;

/// Everything from `start` to the sequence that `until` tells at last.
///
/// Panics if events are out of order, or the store says that they are gone.
pub(super) async fn follow(
    store: DynStore,
    span: KeySpan,
    start: Token,
    mut until: Receiver<Option<u64>>,
) -> Vec<Arc<EventGroup>> {
    let mut groups: Vec<Arc<EventGroup>> = Vec::new();
    let mut from = start;
    loop {
        let request = WatchRequest {
            span: span.clone(),
            from: Some(from),
        };
        match store.watch(request).await {
            Ok(watch) => {
                if read(watch, &mut from, &mut groups, &mut until).await {
                    return groups;
                }
            }
            Err(error) => assert!(may_resume(&error), "the watch is refused: {error:?}"),
        }
        // A watch that is cut at once must not make this spin.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Reads one watch to its end; true if everything was seen.
async fn read(
    mut watch: DeliveryStream,
    from: &mut Token,
    groups: &mut Vec<Arc<EventGroup>>,
    until: &mut Receiver<Option<u64>>,
) -> bool {
    loop {
        let end = *until.borrow_and_update();
        if end.is_some_and(|end| from.sequence >= end) {
            return true;
        }
        let delivery = tokio::select! {
            delivery = watch.next() => delivery,
            // Told of the end once; after that the sender is gone, and only events matter.
            Ok(()) = until.changed(), if end.is_none() => continue,
        };
        match delivery.expect("a watch ends with an error") {
            Ok(WatchDelivery::Live(token)) => assert_eq!(token, *from, "live from elsewhere"),
            Ok(WatchDelivery::Bookmark(token)) => {
                assert!(token.sequence >= from.sequence, "a bookmark that goes back");
                *from = token;
            }
            Ok(WatchDelivery::Events(token, group)) => {
                assert!(token.sequence > from.sequence, "{token:?} after {from:?}");
                *from = token;
                groups.push(group);
            }
            Err(StorageError::FellBehind { resume }) => {
                assert!(resume.sequence >= from.sequence, "a resume that goes back");
                *from = resume;
                return false;
            }
            Err(error) => {
                assert!(may_resume(&error), "the watch ended: {error:?}");
                return false;
            }
        }
    }
}

/// After these the same place in the history is still good.
fn may_resume(error: &StorageError) -> bool {
    matches!(
        error,
        StorageError::Unavailable { .. } | StorageError::Busy { .. } | StorageError::Failed { .. }
    )
}
