//! A plan, done: conditional on what was read, and planned again when somebody else was faster.

use super::error::ApplyError;
use super::plan::{ApplyPlan, plan};
use super::validate::schema_refusal;
use crate::calls::WriteReport;
use crate::context::ClientSession;
use crate::files::DeclaredResource;
use coeval_client::{ClientError, ClientErrorKind, Resource};
use coeval_codes::Coded as _;

/// How often it is planned again before it is called a conflict.
const ATTEMPTS: usize = 6;

/// What became of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ApplyOutcome {
    Created,
    Changed,
    Unchanged,
    Deleted,
}

impl std::fmt::Display for ApplyOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Unchanged => "unchanged",
            Self::Deleted => "deleted",
        })
    }
}

/// What was done.
#[derive(Clone, Debug)]
pub(crate) struct AppliedPlan {
    pub(crate) outcome: ApplyOutcome,
    pub(crate) plan: ApplyPlan,
    /// What the server answered; nothing was sent, if there is nothing.
    pub(crate) wrote: Option<WriteReport>,
}

impl AppliedPlan {
    /// As it is now, or would be.
    pub(crate) fn resource(&self) -> &Resource {
        match &self.wrote {
            Some(wrote) => &wrote.resource,
            None => &self.plan.body,
        }
    }
}

/// What a plan would do.
pub(crate) fn planned_outcome(plan: &ApplyPlan) -> ApplyOutcome {
    match (&plan.live, plan.changes.is_empty()) {
        (None, _) => ApplyOutcome::Created,
        (Some(_), true) => ApplyOutcome::Unchanged,
        (Some(_), false) => ApplyOutcome::Changed,
    }
}

/// A refusal with the plan that it is about, so that its differences can be shown.
#[derive(Debug)]
pub(crate) struct RefusedPlan {
    pub(crate) error: ApplyError,
    pub(crate) plan: Option<Box<ApplyPlan>>,
}

impl From<ApplyError> for RefusedPlan {
    fn from(error: ApplyError) -> Self {
        Self { error, plan: None }
    }
}

/// Makes a resource what its file says.
pub(crate) async fn carry_out(
    session: &ClientSession,
    file: &DeclaredResource,
    force: bool,
) -> Result<AppliedPlan, RefusedPlan> {
    let mut attempt = 1;
    loop {
        let mut plan = plan(session, file).await?;
        if let Some(error) = plan.refusal().filter(|_| !force) {
            let plan = Some(Box::new(plan));
            return Err(RefusedPlan { error, plan });
        }
        let outcome = planned_outcome(&plan);
        if outcome == ApplyOutcome::Unchanged && plan.noted {
            // Nothing is sent, so the server does not refuse it.
            if session.strict
                && let Some(error @ ApplyError::Undeclared { .. }) =
                    schema_refusal(session, &mut plan).await
            {
                return Err(error.into());
            }
            let wrote = None;
            return Ok(AppliedPlan {
                outcome,
                plan,
                wrote,
            });
        }
        match write(session, &plan, force).await {
            Ok(wrote) => {
                let wrote = Some(wrote);
                return Ok(AppliedPlan {
                    outcome,
                    plan,
                    wrote,
                });
            }
            // The plan was made of what is outdated, so it is made anew from what is there now.
            Err(error) if is_overtaken(&error) && attempt < ATTEMPTS => attempt += 1,
            Err(error) => {
                let name = plan.target.to_string();
                return Err(ApplyError::Client { name, error }.into());
            }
        }
    }
}

/// Whether somebody else was faster.
fn is_overtaken(error: &ClientError) -> bool {
    matches!(
        error.kind(),
        ClientErrorKind::Conflict | ClientErrorKind::Exists // Deleted between the read and the write: the next plan creates it.
    ) || error.code() == coeval_codes::RESOURCE_NOT_FOUND
}

async fn write(
    session: &ClientSession,
    plan: &ApplyPlan,
    force: bool,
) -> Result<WriteReport, ClientError> {
    let mut body = plan.body.clone();
    let declared = Some(plan.applied.paths.clone());
    let Some(live) = &plan.live else {
        return session.make(&body, declared).await;
    };
    // On condition of the revision that the plan was made from, not of the one in the file.
    body.metadata.revision.clone_from(&live.metadata.revision);
    let written = session.change(&body, declared.clone(), false).await;
    match written {
        // Asked for only after the refusal: without it, forcing changes nothing else about the
        // write.
        Err(error) if force && is_skew(&error) => session.change(&body, declared, true).await,
        written => written,
    }
}

/// Whether the server refused because of versions: what it can be made to do.
fn is_skew(error: &ClientError) -> bool {
    [
        coeval_codes::STORED_VERSION_UNKNOWN,
        coeval_codes::MARKED_BODY,
        coeval_codes::SKEW_STRICT,
    ]
    .contains(&error.code())
}
