//! Optimistic attempts: read, decide, write on condition that nothing changed since, and begin again
//! if something did.
//!
//! Nothing is locked meanwhile, so a writer may lose a race against another one. Then nothing of its
//! write has happened, but what it decided rests on what is outdated: an attempt is all of it, the
//! reading too. Attempts are counted, for somebody who loses every race has to be told rather than to
//! go on for ever.

use std::future::Future;

/// Attempts something until it is settled, at most `limit` times; the attempts are numbered from 0.
/// `None` of an attempt says that it lost a race and that another one may not; an error ends it.
///
/// ```
/// # use coeval_storage::races::retry_races;
/// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
/// # runtime.block_on(async {
/// let third = |number| async move { Ok((number == 2).then_some("done")) };
/// assert_eq!(retry_races(3, third, || "too busy").await, Ok("done"));
/// assert_eq!(retry_races(2, third, || "too busy").await, Err("too busy"));
/// # });
/// ```
///
/// # Errors
/// That of an attempt, or `give_up`'s if all of them lost a race.
pub async fn retry_races<T, E, F>(
    limit: u32,
    mut attempt: impl FnMut(u32) -> F,
    give_up: impl FnOnce() -> E,
) -> Result<T, E>
where
    F: Future<Output = Result<Option<T>, E>>,
{
    for number in 0..limit {
        if let Some(settled) = attempt(number).await? {
            return Ok(settled);
        }
    }
    Err(give_up())
}
