//! What can go wrong with behaviors and those who execute them.

use coeval_access::AccessLevel;
use coeval_codes::Coded;

/// Why a behavior can't be invoked, or what became of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum BehaviorError {
    /// Nothing says who may invoke it.
    #[error("the behavior {behavior} may be invoked by nobody: {of} grants it to no level")]
    #[code(
        BEHAVIOR_NOT_GRANTED,
        advice = "Have the provider add the behavior to the type version's behaviorAccessControls."
    )]
    NotGranted {
        /// Which.
        behavior: String,
        /// The type version.
        of: String,
    },
    /// The caller has too little on the resource.
    #[error("the behavior {behavior} takes {needs} on the resource, and the caller has {has}")]
    #[code(
        BEHAVIOR_LEVEL_TOO_LOW,
        advice = "Ask the owner to grant {needs} to you, a role of yours or your organization."
    )]
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
    #[code(
        BEHAVIOR_NOT_RUN,
        advice = "Give the behavior an execution of the type noop or WebHook, on the interface or as an override on the type version."
    )]
    NotRun {
        /// The `type` of its execution.
        kind: String,
    },
    /// A hook that can't be run.
    #[error("the hook {hook} of {of} can't be run: {reason}")]
    #[code(
        HOOK_NOT_RUN,
        advice = "Correct the hook or the behavior that it names; with full control of the type version invokeHooks=false goes on without it."
    )]
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
    #[code(
        INVOCATION_LOG_MISSING,
        advice = "Read the task instead: its result or its error is all that is kept."
    )]
    NoLog {
        /// Which.
        invocation: String,
    },
    /// It was run, or was to be.
    #[error(transparent)]
    #[code(transparent)]
    Execution(#[from] ExecutionError),
}

/// Why an execution failed. Nothing in it tells a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum ExecutionError {
    /// The behavior itself says that it failed.
    #[error("the behavior failed: {message}")]
    #[code(
        BEHAVIOR_FAILED,
        advice = "What it says is all that is known; mend that and invoke it again."
    )]
    Failed {
        /// In its own words.
        message: String,
    },
    /// Its definition can't be executed.
    #[error("the execution can't be used: {reason}")]
    #[code(WEBHOOK_INVALID, advice = "Correct the behavior's execution.")]
    Definition {
        /// What is wrong.
        reason: String,
    },
    /// Nothing may be sent there.
    #[error("{host} is at {address}, which may not be called from here")]
    #[code(
        WEBHOOK_ADDRESS_REFUSED,
        advice = "Use a public address, or start the server with --webhooks-allow-private."
    )]
    AddressRefused {
        /// As the definition names it.
        host: String,
        /// What it is.
        address: String,
    },
    /// Nobody answers there, or not in confidence.
    #[error("{host} can't be reached: {reason}")]
    #[code(
        WEBHOOK_UNREACHABLE,
        advice = "See that the server runs, is reachable from here, and has a certificate that is trusted here (--webhooks-ca)."
    )]
    Unreachable {
        /// Which.
        host: String,
        /// Why.
        reason: String,
    },
    /// It took too long. Whether it was done is not known.
    #[error("{host} did not answer within {seconds} s")]
    #[code(
        WEBHOOK_TIMED_OUT,
        advice = "It may have been done all the same; answer sooner, or raise invocation_timeout, 300 seconds at most."
    )]
    TimedOut {
        /// Which.
        host: String,
        /// So long.
        seconds: u64,
    },
    /// The answer is none.
    #[error("the answer can't be used: {reason}")]
    #[code(
        WEBHOOK_ANSWER_INVALID,
        advice = "Answer with JSON of at most 384 KiB, or plain text, in one piece and without a redirect."
    )]
    Answer {
        /// What is wrong.
        reason: String,
    },
    /// It answered with another status than 200.
    #[error("the server answered with status {status}{}", said(.message))]
    #[code(
        WEBHOOK_REFUSED,
        advice = "See why the server that the behavior calls refused it."
    )]
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
