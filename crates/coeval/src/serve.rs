//! `coeval serve`: the store, the listener, and the stop of both.

mod bootstrap;
mod flags;
mod options;
mod signals;

pub(crate) use options::ServeOptions;

use crate::telemetry::{self, SpanSending};
use clap::ArgMatches;
use coeval_cli::Failure;
use coeval_cloudapi::CloudApi;
use coeval_codes::Coded;
use coeval_engine::Engine;
use coeval_engine::identity::Bootstrap;
use coeval_engine::jobs::{JobRunner, RunnerSettings};
use coeval_engine::migrations::{MigrationDriver, MigrationSettings, MigrationStatus, Moved};
use coeval_grpc::GrpcApi;
use coeval_server::{Listener, Readiness};
use coeval_storage::{DynStore, Store};
use coeval_webapi::WebApi;
use flags::MigrateWhen;
use signals::StopSignals;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) async fn run(options: &ServeOptions, matches: &ArgMatches) -> Result<(), Failure> {
    let store = options.address.url(matches)?;
    serve(options, &store, None, async |_, _| Ok(())).await
}

/// Serves a store until the process is told to stop. `first` is made where it is absent, before
/// anybody can connect; `prepare` runs when everybody can, with the server's address, before it is
/// called ready.
pub(crate) async fn serve(
    options: &ServeOptions,
    store: &str,
    first: Option<&Bootstrap>,
    prepare: impl AsyncFnOnce(&Engine, &str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut traces = telemetry::start(&options.logs, &options.traces)?;
    let served = serve_traced(options, store, first, prepare, traces.as_mut()).await;
    if let Some(traces) = traces {
        traces.stop().await;
    }
    served
}

async fn serve_traced(
    options: &ServeOptions,
    store: &str,
    first: Option<&Bootstrap>,
    prepare: impl AsyncFnOnce(&Engine, &str) -> Result<(), Failure>,
    traces: Option<&mut SpanSending>,
) -> Result<(), Failure> {
    let metrics = telemetry::start_metrics()?;
    // Before the store is opened: a signal that comes meanwhile must not kill the process in the middle.
    let mut signals = StopSignals::listen()?;
    let port = options.listener()?;
    // The listener's options are checked above, before anything is opened that would have to be closed.
    let opened = coeval_stores::open(store, options.store()).await?;
    let engine = Engine::open(Arc::clone(&opened.store), options.engine()?).await?;
    let engine = Arc::new(engine);
    // Before the port is bound: nobody connects to a server whose first user is still missing.
    if let Some(file) = &options.bootstrap {
        bootstrap::run(&engine, file).await?;
    }
    if let Some(first) = first {
        bootstrap::make(&engine, first).await?;
    }
    let listener = Listener::bind(port).await?;
    let quota = options.quota();
    let cloudapi = CloudApi::new(Arc::clone(&engine), options.cloudapi(&quota, &listener));
    let webapi = WebApi::new(Arc::clone(&engine), options.webapi(&quota, &listener));
    let started = Arc::new(AtomicBool::new(false));
    let ready = readiness(&opened.store, &engine, &started);
    let grpc = options.grpc(&quota, &listener, &ready);
    let grpc = GrpcApi::new(Arc::clone(&engine), grpc);
    let routes = cloudapi
        .router()
        .merge(webapi.router())
        .merge(grpc.router());
    let name = server_id()?;
    let runner = JobRunner::start(
        Arc::clone(engine.background()),
        &name,
        RunnerSettings::default(),
    );
    let url = listener.url();
    let announced = format!("{}-{name}", url_host(&url));
    if let Some(traces) = traces {
        traces.named(&announced);
    }
    let migrations = MigrationDriver::start(
        Arc::clone(engine.background()),
        &announced,
        env!("CARGO_PKG_VERSION"),
        MigrationSettings::default(),
    );
    // Stands at the same signal: the first one drains, only the second one cuts.
    let mut again = signals.clone();
    let serving =
        listener
            .with_grpc(grpc.unmatched())
            .serve(routes, ready, metrics, signals.next());
    let mut serving = std::pin::pin!(serving);
    // Told to stop while it prepares, it is never ready.
    let preparing = async {
        migrations.settled().await;
        prepare(&engine, &url).await?;
        match options.migrate {
            MigrateWhen::Asked => Ok(()),
            MigrateWhen::OnStart => migrate(&engine).await,
        }
    };
    let prepared = tokio::select! {
        // Preparing first: if both are done at once, the server was ready.
        biased;
        prepared = preparing => Some(prepared),
        _ = &mut serving => None,
    };
    if let Some(Ok(())) = &prepared {
        // Before the line on stdout: whoever reads it may ask `/readyz` next.
        started.store(true, Ordering::Release);
        say_ready(&url);
        tokio::select! {
            stopped = serving => tracing::info!(cut = stopped.cut, "drained"),
            () = again.second() => tracing::warn!("told to stop twice: cut what was running"),
        }
    }
    // In the order of who needs whom: the workers write to the store, so that it closes last.
    migrations.stop().await;
    runner.stop().await;
    opened.store.close().await;
    tracing::info!("stopped");
    prepared.unwrap_or(Ok(()))
}

/// Moves every type to its newest major. What can't be moved is told, and the server starts all the
/// same: it serves every major.
async fn migrate(engine: &Engine) -> Result<(), Failure> {
    let told = std::sync::Mutex::new(None);
    let progress = |status: &MigrationStatus| {
        let now = (status.of.clone(), status.live);
        let mut told = told
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if told.as_ref() != Some(&now) {
            let phase = status.live.map_or("done", |(_, high)| high.name());
            tracing::info!(of = %status.of, from = status.from, to = status.to, phase, "migrating");
            *told = Some(now);
        }
    };
    for moved in engine.migrate_on_start(&progress).await? {
        match moved {
            Moved::Done { of, majors } => tracing::info!(%of, ?majors, "migrated"),
            Moved::Left { of, why } => tracing::error!(
                %of,
                why,
                "not migrated; `coeval migrate status` tells more, and the server serves both majors"
            ),
        }
    }
    Ok(())
}

/// Where a server listens, as a part of its name.
fn url_host(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, host)| host)
}

/// A name for this run of the server, to tell its tasks from those of others.
fn server_id() -> Result<String, Failure> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::internal(format!("no random bytes: {error}")))?;
    Ok(format!("{:016x}", u64::from_be_bytes(bytes)))
}

/// The one line on stdout: who started the server waits for it, and reads the port from it.
fn say_ready(url: &str) {
    let mut stdout = std::io::stdout();
    // A closed stdout is no reason not to serve.
    let _ = writeln!(stdout, "coeval ready on {url}");
    let _ = stdout.flush();
    tracing::info!(url, release = env!("CARGO_PKG_VERSION"), "ready");
}

/// `start` is what runs once when a server starts: the example of `coeval dev`, and the migrations
/// of `--migrate on-start`. The port is open by then, because the first is loaded through it.
fn readiness(store: &DynStore, engine: &Arc<Engine>, prepared: &Arc<AtomicBool>) -> Readiness {
    let (store, engine) = (Arc::clone(store), Arc::clone(engine));
    let prepared = Arc::clone(prepared);
    Readiness::default()
        .with("start", move || {
            let outcome = if prepared.load(Ordering::Acquire) {
                Ok(())
            } else {
                Err("still starting".to_owned())
            };
            std::future::ready(outcome)
        })
        .with("store", move || {
            let store = Arc::clone(&store);
            async move { told(store.status().await.map(|_| ())) }
        })
        .with("engine", move || {
            let engine = Arc::clone(&engine);
            async move { told(engine.ready().await) }
        })
}

fn told<E: Coded>(outcome: Result<(), E>) -> Result<(), String> {
    outcome.map_err(|error| format!("{}: {error}", error.code()))
}
