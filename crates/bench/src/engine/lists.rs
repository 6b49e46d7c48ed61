//! Listing everything, page by page.

use super::figures::verdict;
use super::world::{ResourceWorld, caller, of};
use crate::figures::PromisedFigure;
use coeval_engine::{Engine, Settings};
use coeval_engine::{ListQuery, PageAt};
use coeval_storage::{Key, ReadRange};
use std::time::Instant;

/// What the storage layer needs to hand out the same records, for comparison.
async fn bare(world: &ResourceWorld) {
    let store = world.place.store();
    let below = Key::try_from("e/bench/thing/v1").unwrap();
    let mut range = ReadRange::below(&below);
    let mut read = 0_usize;
    let begun = Instant::now();
    loop {
        let (_, page) = store.range(range.clone()).await.unwrap();
        read += page.entries.len();
        match page.entries.last() {
            Some(last) if page.more => range = range.after(&last.key),
            _ => break,
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of resources")]
    let rate = read as f64 / begun.elapsed().as_secs_f64();
    println!("the storage layer reads the same records in ranges: {rate:.0}/s");
}

pub(crate) async fn measure(world: &ResourceWorld) {
    bare(world).await;
    let engine = Engine::new(world.place.store(), Settings::default());
    for page_size in [128, 1_000] {
        let mut query = ListQuery::of(of());
        query.page_size = page_size;
        let mut listed = 0_usize;
        let mut pages = Vec::new();
        let begun = Instant::now();
        loop {
            let page_begun = Instant::now();
            let page = engine.list(&caller(), &query).await.unwrap();
            pages.push(page_begun.elapsed());
            listed += page.items.len();
            assert!(page.quarantined.is_empty());
            match page.next {
                Some(token) => query.page = PageAt::After(token),
                None => break,
            }
        }
        let time = begun.elapsed().as_secs_f64();
        assert_eq!(listed, world.ids.len());
        #[expect(clippy::cast_precision_loss, reason = "a count of resources")]
        let rate = listed as f64 / time;
        let verdict = verdict(PromisedFigure::AtLeast(100_000.0), rate);
        let first = pages[0];
        // Without the first page, which is told by itself, and the last, which is short.
        let later = pages.iter().skip(1).take(pages.len().saturating_sub(2));
        let worst = later.max().copied().unwrap_or_default();
        println!(
            "listed in pages of {page_size}: {rate:.0} resources/s (goal 100,000) {verdict}; first page {first:?}, worst later page {worst:?}"
        );
    }
}
