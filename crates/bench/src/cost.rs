//! What calls cost in instructions, for comparing two builds of the same program.
//!
//! Seconds differ from run to run; instructions hardly do. Each call is made so many times, one after another,
//! after a set-up that is the same for any number of them. So the cost of one call is a difference:
//!
//! ```console
//! valgrind --tool=callgrind --callgrind-out-file=/dev/null coeval-bench cost get --calls 0
//! valgrind --tool=callgrind --callgrind-out-file=/dev/null coeval-bench cost get --calls 2000
//! ```
//!
//! Both print `Collected`. Two runs of one build differ by some hundredths of a percent.

use crate::engine::world::{NEW, OLD, ResourceWorld, caller, content, of};
use clap::{Args, ValueEnum};
use coeval_core::version::Uuid;
use coeval_engine::write::{Create, Update};
use coeval_engine::{Engine, ListQuery, Settings, Target};

/// Resources that are there.
const RESOURCES: usize = 200;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CountedCall {
    /// A resource at the version that it is stored at
    Get,
    /// The same at another major, converted each time
    Convert,
    /// A new resource of 2 KiB
    Create,
    /// Another content of a resource
    Update,
    /// A page of 100 resources
    List,
}

#[derive(Debug, Args)]
pub(crate) struct CostOptions {
    /// Which call.
    call: CountedCall,
    /// How many.
    #[arg(long, default_value_t = 1_000)]
    calls: usize,
}

/// Makes the calls.
pub(crate) async fn run(options: &CostOptions) {
    let world = ResourceWorld::with(0).await;
    // Without a cache of views, so that every conversion is one.
    let settings = Settings {
        view_bytes: 0,
        ..Settings::default()
    };
    let engine = Engine::new(world.place.store(), settings);
    // One after another: side by side they share commits, some more and some fewer in each run.
    let mut ids = Vec::new();
    for n in 0..RESOURCES {
        let create = Create::new(OLD, format!("thing-{n:08}"), content(n));
        let made = engine.create(&caller(), &of(), create).await.unwrap();
        ids.push(made.resource.id);
    }
    let id = |n: usize| ids[n % ids.len()];
    for n in 0..options.calls {
        match options.call {
            CountedCall::Get => get(&engine, id(n), OLD).await,
            CountedCall::Convert => get(&engine, id(n), NEW).await,
            CountedCall::Create => {
                let create = Create::new(OLD, format!("more-{n:08}"), content(n));
                engine.create(&caller(), &of(), create).await.unwrap();
            }
            CountedCall::Update => {
                let update = Update::new(OLD, content(n));
                let target = Target::Id(id(n));
                let updated = engine.update(&caller(), &of(), &target, &update).await;
                updated.unwrap();
            }
            CountedCall::List => {
                let mut query = ListQuery::of(of());
                query.page_size = 100;
                let page = engine.list(&caller(), &query).await.unwrap();
                assert_eq!(page.items.len(), 100);
            }
        }
    }
}

async fn get(engine: &Engine, id: Uuid, at: coeval_core::version::Version) {
    let caller = caller().at(at);
    let read = engine.get(&caller, &of(), &Target::Id(id)).await.unwrap();
    assert!(read.content.len() > 1_000);
}
