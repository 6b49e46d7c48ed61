//! Phased migrations: what a mirrored write costs, how fast the backfill goes at two sizes, what
//! callers notice of it, and whether it knows when it will be done.

use super::figures::{at_least, at_most};
use super::world::{OLD, ResourceWorld, caller, content, of};
use crate::figures::rate;
use coeval_core::phases::Phase;
use coeval_core::version::Uuid;
use coeval_engine::migrations::{
    Advance, Declared, MigrationDriver, MigrationSettings, MigrationStatus,
};
use coeval_engine::write::Update;
use coeval_engine::{Engine, Settings, Target};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const SMALL: usize = 10_000;
const OFTEN: Duration = Duration::from_millis(50);
const SELDOM: Duration = Duration::from_secs(2);

struct PhaseMove {
    world: ResourceWorld,
    engine: Arc<Engine>,
    _driver: MigrationDriver,
}

impl PhaseMove {
    async fn with(resources: usize) -> Self {
        let world = ResourceWorld::with(resources).await;
        let engine = Engine::open(world.place.store(), Settings::default()).await;
        let engine = Arc::new(engine.unwrap());
        let settings = MigrationSettings {
            // Often, so that steps don't wait for the driver.
            poll: Duration::from_millis(50),
            ..MigrationSettings::default()
        };
        let driver =
            MigrationDriver::start(Arc::clone(engine.background()), "bench", "0.1.0", settings);
        Self {
            world,
            engine,
            _driver: driver,
        }
    }

    async fn start(&self) {
        let declared = Declared::default();
        let (who, of) = (caller(), of());
        let started = self.engine.start_migration(&who, &of, &declared);
        started.await.unwrap();
    }

    async fn status(&self) -> MigrationStatus {
        let status = self.engine.migration_status(&caller(), &of()).await;
        status.unwrap()
    }

    async fn forward_to(&self, phase: Phase) {
        while self.status().await.live.map(|(_, high)| high) != Some(phase) {
            let advance = Advance::default();
            let (who, of) = (caller(), of());
            let moved = self.engine.advance_migration(&who, &of, advance);
            // Refused until the driver has come as far: asked again.
            if moved.await.is_err() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    }

    /// Resources a second, and how far off the time that was expected after a fifth was. It is looked
    /// at so often.
    async fn backfill(&self, look: Duration) -> (f64, Option<f64>) {
        self.forward_to(Phase::Backfill).await;
        let begun = Instant::now();
        let mut expected: Option<(Instant, f64)> = None;
        loop {
            let now = self.status().await;
            if now.forward_done {
                break;
            }
            if let Some(progress) = now.progress
                && let Some((_, likely, _)) = progress.left
                && progress.visited * 5 >= progress.total
            {
                // Only the first estimate after a fifth is judged.
                expected.get_or_insert((Instant::now(), likely));
            }
            tokio::time::sleep(look).await;
        }
        let time = begun.elapsed().as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a count of resources")]
        let rate = self.world.ids.len() as f64 / time;
        let off = expected.map(|(at, likely)| {
            let took = at.elapsed().as_secs_f64();
            (likely - took).abs() / took
        });
        (rate, off)
    }
}

async fn update(engine: &Engine, id: Uuid, n: usize) {
    let update = Update::new(OLD, content(n));
    let target = Target::Id(id);
    let written = engine.update(&caller(), &of(), &target, &update).await;
    written.unwrap();
}

async fn writes(moving: &PhaseMove, time: Duration) -> f64 {
    let (engine, ids) = (Arc::clone(&moving.engine), Arc::clone(&moving.world.ids));
    rate(16, time, move |_| {
        let (engine, ids) = (Arc::clone(&engine), Arc::clone(&ids));
        async move {
            let n = fastrand::usize(..ids.len());
            update(&engine, ids[n], n).await;
        }
    })
    .await
}

/// The 99th of a hundred latencies of callers who read and write at a moderate pace.
async fn foreground(moving: &PhaseMove, over: Arc<AtomicBool>) -> Duration {
    let mut callers = Vec::new();
    for _ in 0..4 {
        let (engine, ids) = (Arc::clone(&moving.engine), Arc::clone(&moving.world.ids));
        let over = Arc::clone(&over);
        callers.push(tokio::spawn(async move {
            let mut took = Vec::new();
            for n in 0.. {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                let id = ids[fastrand::usize(..ids.len())];
                let since = Instant::now();
                match n % 4 {
                    0 => update(&engine, id, n).await,
                    _ => drop(engine.get(&caller(), &of(), &Target::Id(id)).await.unwrap()),
                }
                took.push(since.elapsed());
                tokio::time::sleep(Duration::from_millis(4)).await;
            }
            took
        }));
    }
    let mut all = Vec::new();
    for one in callers {
        all.extend(one.await.unwrap());
    }
    all.sort_unstable();
    all.get(all.len() * 99 / 100).copied().unwrap_or_default()
}

/// The same for a while.
async fn undisturbed(moving: &PhaseMove, time: Duration) -> Duration {
    let over = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&over);
    let timer = tokio::spawn(async move {
        tokio::time::sleep(time).await;
        stop.store(true, Ordering::Relaxed);
    });
    let slowest = foreground(moving, over).await;
    timer.await.unwrap();
    slowest
}

pub(crate) async fn mirrored(time: Duration) {
    let moving = PhaseMove::with(SMALL).await;
    let plain = writes(&moving, time).await;
    moving.start().await;
    moving.forward_to(Phase::Mirror).await;
    let mirrored = writes(&moving, time).await;
    at_most(
        "a mirrored write / a plain one, 16 callers",
        plain / mirrored,
        1.5,
        &format!("{mirrored:.0}/s against {plain:.0}/s"),
    );
}

pub(crate) async fn backfill(large: usize) {
    let moving = PhaseMove::with(SMALL).await;
    moving.start().await;
    let (small, _) = moving.backfill(OFTEN).await;
    drop(moving);
    let moving = PhaseMove::with(large).await;
    moving.start().await;
    let (rate, off) = moving.backfill(OFTEN).await;
    at_least(
        &format!("the backfill of {large} resources / of {SMALL}"),
        rate / small,
        0.8,
        &format!("{rate:.0}/s against {small:.0}/s"),
    );
    if let Some(off) = off {
        at_most(
            "the time that was expected after a fifth is off by",
            off,
            0.15,
            "of the time it took",
        );
    }
}

pub(crate) async fn callers(time: Duration) {
    let moving = PhaseMove::with(SMALL * 2).await;
    let before = undisturbed(&moving, time).await;
    moving.start().await;
    moving.forward_to(Phase::ReadNew).await;
    // The same phases, the same writes to both majors, and nothing in the background.
    let idle = undisturbed(&moving, time).await;
    println!(
        "99th percentile of callers: {before:.1?} before the migration, {idle:.1?} at read-new"
    );
    let over = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&over);
    let work = async {
        let done = moving.backfill(SELDOM).await;
        stop.store(true, Ordering::Relaxed);
        done
    };
    let (busy, (slowed, _)) = tokio::join!(foreground(&moving, over), work);
    at_most(
        "99th percentile of callers during the backfill / idle",
        busy.as_secs_f64() / idle.as_secs_f64(),
        1.25,
        &format!("{busy:.1?} against {idle:.1?}, at {slowed:.0} resources/s"),
    );
}
