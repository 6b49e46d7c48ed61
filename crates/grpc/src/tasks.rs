//! The service of tasks.

use crate::api::GrpcState;
use crate::call::answer;
use crate::fields::{said, text};
use crate::header::quarantined;
use crate::ids;
use crate::pages::PageRequest;
use crate::proto::tasks::v1 as pb;
use crate::status;
use crate::times::timestamp;
use coeval_api::caller::{CallerRequest, Peer};
use coeval_api::methods::MethodError;
use coeval_core::version::{Uuid, Version};
use coeval_engine::jobs::MigrateOptions;
use coeval_engine::tasks::{self, Task, TaskQuery};
use coeval_engine::{Caller, TypeKey};
use futures::StreamExt;
use futures::stream::BoxStream;
use std::sync::Arc;
use std::time::Duration;
use tonic::{Request, Response, Status};

/// How long a watch waits for a task before it looks whether something else changed.
const BETWEEN: Duration = Duration::from_secs(1);

/// The service.
#[derive(Clone, Debug)]
pub(crate) struct TaskService(pub(crate) Arc<GrpcState>);

#[tonic::async_trait]
impl pb::task_service_server::TaskService for TaskService {
    async fn get_task(
        &self,
        request: Request<pb::GetTaskRequest>,
    ) -> Result<Response<pb::GetTaskResponse>, Status> {
        self.0.serve(request, get).await
    }

    async fn list_tasks(
        &self,
        request: Request<pb::ListTasksRequest>,
    ) -> Result<Response<pb::ListTasksResponse>, Status> {
        self.0.serve(request, list).await
    }

    async fn cancel_task(
        &self,
        request: Request<pb::CancelTaskRequest>,
    ) -> Result<Response<pb::CancelTaskResponse>, Status> {
        self.0.serve(request, cancel).await
    }

    type WatchTaskStream = BoxStream<'static, Result<pb::WatchTaskResponse, Status>>;

    async fn watch_task(
        &self,
        request: Request<pb::WatchTaskRequest>,
    ) -> Result<Response<Self::WatchTaskStream>, Status> {
        let headers = request.metadata().clone().into_headers();
        let peer = request.extensions().get::<Peer>().cloned();
        let call = self.0.enter(request).await?;
        let id = ids::task(&call.message.id).map_err(status::of)?;
        // Who may not see it is told so before a stream begins.
        let task = self.0.methods.engine().task(&call.caller, id).await;
        let first = task.map_err(status::of)?;
        let sender = StreamCredentials { headers, peer };
        let stream = watch(Arc::clone(&self.0), sender, call.caller.clone(), first);
        Ok(answer(&call.caller, stream))
    }

    async fn migrate_resources(
        &self,
        request: Request<pb::MigrateResourcesRequest>,
    ) -> Result<Response<pb::MigrateResourcesResponse>, Status> {
        self.0.serve(request, migrate).await
    }
}

async fn get(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::GetTaskRequest,
) -> Result<pb::GetTaskResponse, MethodError> {
    let id = ids::task(&asked.id)?;
    let task = api.methods.engine().task(&caller, id).await?;
    Ok(pb::GetTaskResponse {
        task: Some(shown(&api, &caller, &task).await?),
    })
}

async fn list(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::ListTasksRequest,
) -> Result<pb::ListTasksResponse, MethodError> {
    let stands = stands(asked.status)?;
    let name = stands.map_or("", tasks::Status::name);
    let page = (asked.page_size, asked.page_token.as_str());
    let filter = [name, asked.operation.as_str(), asked.resource.as_str()];
    // Tokens of the release before have no third part: where none is said they lead on.
    let said_parts = if asked.resource.is_empty() { 2 } else { 3 };
    let filter = filter.get(..said_parts).unwrap_or_default();
    let page = PageRequest::read((&api, &caller), "tasks", filter, page).await?;
    let query = TaskQuery {
        status: stands,
        operation: said(asked.operation),
        resource: said(asked.resource),
        before: page.after.as_deref().and_then(Uuid::parse),
        limit: page.size + 1,
    };
    let found = api.methods.engine().tasks(&caller, &query).await?;
    let (tasks, next_page_token) = page.ended(found.tasks, |one| one.id.to_string()).await?;
    let mut all = Vec::with_capacity(tasks.len());
    for task in &tasks {
        all.push(shown(&api, &caller, task).await?);
    }
    Ok(pb::ListTasksResponse {
        tasks: all,
        next_page_token,
        quarantined: found.quarantined.iter().map(quarantined).collect(),
    })
}

async fn cancel(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::CancelTaskRequest,
) -> Result<pb::CancelTaskResponse, MethodError> {
    let id = ids::task(&asked.id)?;
    let task = api.methods.engine().cancel_task(&caller, id).await?;
    Ok(pb::CancelTaskResponse {
        task: Some(shown(&api, &caller, &task).await?),
    })
}

async fn migrate(
    api: Arc<GrpcState>,
    caller: Caller,
    asked: pb::MigrateResourcesRequest,
) -> Result<pb::MigrateResourcesResponse, MethodError> {
    let of: TypeKey = api.methods.kind(&caller, &asked.kind).await?;
    // An empty text means *none said* to the parser; here both versions are needed.
    let version = |said: String, what: &str| -> Result<Version, MethodError> {
        let version = coeval_api::methods::parse_version(&text(said, what)?)?;
        version.ok_or_else(|| MethodError::invalid(format!("{what} is missing")))
    };
    let meaning = asked.meaning_changed.into_iter();
    let meaning = meaning.map(|said| version(said, "meaning_changed"));
    let options = MigrateOptions {
        force: asked.force,
        dry_run: asked.dry_run,
        meaning_changed: meaning.collect::<Result<_, _>>()?,
    };
    let from = version(asked.from_version, "from_version")?;
    let to = version(asked.to_version, "to_version")?;
    let engine = api.methods.engine();
    let task = engine.migrate_resources(&caller, &of, from, to, &options);
    Ok(pb::MigrateResourcesResponse {
        task: Some(shown(&api, &caller, &task.await?).await?),
    })
}

/// A task as it is, and again whenever it has changed, until it has ended.
fn watch(
    api: Arc<GrpcState>,
    sender: StreamCredentials,
    caller: Caller,
    first: Task,
) -> BoxStream<'static, Result<pb::WatchTaskResponse, Status>> {
    let lifecycle = api.settings.lifecycle.clone();
    let sender = Arc::new(sender);
    let next = move |before: Option<(Task, bool)>| {
        let (api, sender) = (Arc::clone(&api), Arc::clone(&sender));
        let caller = caller.clone();
        async move {
            let (mut task, told) = before?;
            // The first round tells the task as it was read before the stream began; every later one waits.
            if told {
                if task.status.has_ended() {
                    return None;
                }
                match changed(&api, &sender, &task).await {
                    Ok(now) => task = now,
                    Err(error) => return Some((Err(status::of(error)), None)),
                }
            }
            let told = shown(&api, &caller, &task).await.map_err(status::of);
            let told = told.map(|shown| pb::WatchTaskResponse { task: Some(shown) });
            Some((told, Some((task, true))))
        }
    };
    let told = futures::stream::unfold(Some((first, false)), next);
    // A server that stops ends its watches; they go on elsewhere.
    told.take_until(async move { lifecycle.draining().await })
        .boxed()
}

/// What a stream was opened with.
struct StreamCredentials {
    headers: http::HeaderMap,
    peer: Option<Peer>,
}

/// The task once it is another than before.
async fn changed(
    api: &GrpcState,
    sender: &StreamCredentials,
    before: &Task,
) -> Result<Task, MethodError> {
    loop {
        // A stream ends with the credentials that it was opened with.
        let caller = api
            .gate
            .enter(&CallerRequest::new(&sender.headers, sender.peer.as_ref()))
            .await?;
        let engine = api.methods.engine();
        let now = engine.wait_for_task(&caller, before.id, BETWEEN).await?;
        // A claim that is renewed tells a watcher nothing.
        let mut same = now.clone();
        same.claim.clone_from(&before.claim);
        if same != *before {
            return Ok(now);
        }
    }
}

fn stands(status: i32) -> Result<Option<tasks::Status>, MethodError> {
    let said = pb::TaskStatus::try_from(status);
    let said = said.map_err(|_| MethodError::invalid("status is not one that there is"))?;
    Ok(match said {
        pb::TaskStatus::Unspecified => None,
        pb::TaskStatus::Queued => Some(tasks::Status::Queued),
        pb::TaskStatus::Running => Some(tasks::Status::Running),
        pb::TaskStatus::Success => Some(tasks::Status::Success),
        pb::TaskStatus::Error => Some(tasks::Status::Error),
        pb::TaskStatus::Canceled => Some(tasks::Status::Canceled),
        pb::TaskStatus::Aborted => Some(tasks::Status::Aborted),
    })
}

const fn told(status: tasks::Status) -> pb::TaskStatus {
    match status {
        tasks::Status::Queued => pb::TaskStatus::Queued,
        tasks::Status::Running => pb::TaskStatus::Running,
        tasks::Status::Success => pb::TaskStatus::Success,
        tasks::Status::Error => pb::TaskStatus::Error,
        tasks::Status::Canceled => pb::TaskStatus::Canceled,
        tasks::Status::Aborted => pb::TaskStatus::Aborted,
    }
}

/// A task as it is answered.
pub(crate) async fn shown(
    api: &GrpcState,
    caller: &Caller,
    task: &Task,
) -> Result<pb::Task, MethodError> {
    let namespace = api.methods.engine().name_of(caller, task.org()).await?;
    let about = &task.about;
    Ok(pb::Task {
        id: task.urn(),
        operation: task.operation.clone(),
        description: task.description.clone(),
        status: told(task.status).into(),
        r#type: about.of.clone().unwrap_or_default(),
        version: about.version.clone().unwrap_or_default(),
        resource: about.resource.clone().unwrap_or_default(),
        user: task.user().to_owned(),
        namespace: namespace.as_deref().unwrap_or(task.org()).to_owned(),
        created: Some(timestamp(task.created)),
        started: task.started.map(timestamp),
        ended: task.ended.map(timestamp),
        done: task.progress.done,
        total: task.progress.total,
        message: task.message.clone().unwrap_or_default(),
        failure: task.error.as_ref().map(|error| pb::TaskFailure {
            code: error.code.clone(),
            message: error.message.clone(),
        }),
        result: task
            .result
            .as_ref()
            .map_or_else(String::new, ToString::to_string),
        cancel_requested: task.cancel_requested,
    })
}
