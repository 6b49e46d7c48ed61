//! What can go wrong with behaviors and those who execute them.

use coeval_access::AccessLevel;
use coeval_codes::{Code, Coded};

/// Why a behavior can't be invoked, or what became of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BehaviorError {
    /// Nothing says who may invoke it.
    #[error("the behavior {behavior} may be invoked by nobody: {of} grants it to no level")]
    NotGranted {
        /// Which.
        behavior: String,
        /// The type version.
        of: String,
    },
    /// The caller has too little on the resource.
    #[error("the behavior {behavior} takes {needs} on the resource, and the caller has {has}")]
    LevelTooLow {
        /// Which.
        behavior: String,
        /// What it takes.
        needs: AccessLevel,
        /// What the caller has.
        has: AccessLevel,
    },
    /// It is kept, and nothing here runs it.
    #[error("this server keeps behaviors of the kind {kind:?} and does not run them")]
    NotRun {
        /// The `type` of its execution.
        kind: String,
    },
    /// A hook that can't be run.
    #[error("the hook {hook} of {of} can't be run: {reason}")]
    HookNotRun {
        /// When it was to run.
        hook: &'static str,
        /// The type version.
        of: String,
        /// Why.
        reason: String,
    },
    /// There is nothing to read.
    #[error("the invocation {invocation:?} has no log")]
    NoLog {
        /// Which.
        invocation: String,
    },
    /// It was run, or was to be.
    #[error(transparent)]
    Execution(#[from] ExecutionError),
}

impl Coded for BehaviorError {
    fn code(&self) -> Code {
        match self {
            Self::NotGranted { .. } => coeval_codes::BEHAVIOR_NOT_GRANTED,
            Self::LevelTooLow { .. } => coeval_codes::BEHAVIOR_LEVEL_TOO_LOW,
            Self::NotRun { .. } => coeval_codes::BEHAVIOR_NOT_RUN,
            Self::HookNotRun { .. } => coeval_codes::HOOK_NOT_RUN,
            Self::NoLog { .. } => coeval_codes::INVOCATION_LOG_MISSING,
            Self::Execution(inner) => inner.code(),
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::NotGranted { .. } => {
                "Have the provider add the behavior to the type version's behaviorAccessControls."
                    .to_owned()
            }
            Self::LevelTooLow { needs, .. } => {
                format!("Ask the owner to grant {needs} to you, a role of yours or your organization.")
            }
            Self::NotRun { .. } => {
                "Give the behavior an execution of the type noop or WebHook, on the interface or as an override on the type version."
                    .to_owned()
            }
            Self::HookNotRun { .. } => {
                "Correct the hook or the behavior that it names; with full control of the type version invokeHooks=false goes on without it."
                    .to_owned()
            }
            Self::NoLog { .. } => {
                "Read the task instead: its result or its error is all that is kept.".to_owned()
            }
            Self::Execution(inner) => inner.advice(),
        }
    }
}

/// Why an execution failed. Nothing in it tells a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExecutionError {
    /// The behavior itself says that it failed.
    #[error("the behavior failed: {message}")]
    Failed {
        /// In its own words.
        message: String,
    },
    /// Its definition can't be executed.
    #[error("the execution can't be used: {reason}")]
    Definition {
        /// What is wrong.
        reason: String,
    },
    /// Nothing may be sent there.
    #[error("{host} is at {address}, which may not be called from here")]
    AddressRefused {
        /// As the definition names it.
        host: String,
        /// What it is.
        address: String,
    },
    /// Nobody answers there, or not in confidence.
    #[error("{host} can't be reached: {reason}")]
    Unreachable {
        /// Which.
        host: String,
        /// Why.
        reason: String,
    },
    /// It took too long. Whether it was done is not known.
    #[error("{host} did not answer within {seconds} s")]
    TimedOut {
        /// Which.
        host: String,
        /// So long.
        seconds: u64,
    },
    /// The answer is none.
    #[error("the answer can't be used: {reason}")]
    Answer {
        /// What is wrong.
        reason: String,
    },
    /// It answered with another status than 200.
    #[error("the server answered with status {status}{}", said(.message))]
    Refused {
        /// Which.
        status: u16,
        /// How its answer begins.
        message: String,
    },
}

fn said(message: &str) -> String {
    match message {
        "" => String::new(),
        message => format!(": {message}"),
    }
}

impl Coded for ExecutionError {
    fn code(&self) -> Code {
        match self {
            Self::Failed { .. } => coeval_codes::BEHAVIOR_FAILED,
            Self::Definition { .. } => coeval_codes::WEBHOOK_INVALID,
            Self::AddressRefused { .. } => coeval_codes::WEBHOOK_ADDRESS_REFUSED,
            Self::Unreachable { .. } => coeval_codes::WEBHOOK_UNREACHABLE,
            Self::TimedOut { .. } => coeval_codes::WEBHOOK_TIMED_OUT,
            Self::Answer { .. } => coeval_codes::WEBHOOK_ANSWER_INVALID,
            Self::Refused { .. } => coeval_codes::WEBHOOK_REFUSED,
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::Failed { .. } => "What it says is all that is known; mend that and invoke it again.",
            Self::Definition { .. } => "Correct the behavior's execution.",
            Self::AddressRefused { .. } => {
                "Use a public address, or start the server with --webhooks-allow-private."
            }
            Self::Unreachable { .. } => {
                "See that the server runs, is reachable from here, and has a certificate that is trusted here (--webhooks-ca)."
            }
            Self::TimedOut { .. } => {
                "It may have been done all the same; answer sooner, or raise invocation_timeout, 300 seconds at most."
            }
            Self::Answer { .. } => {
                "Answer with JSON of at most 384 KiB, or plain text, in one piece and without a redirect."
            }
            Self::Refused { .. } => "See why the server that the behavior calls refused it.",
        }
        .to_owned()
    }
}
