//! The commands that are run, in their order. A release never loses a line of it: the outputs of
//! kept releases came from the same lines.

/// Somebody of the organization that has the example, and the provider's administrator. `coeval dev`
/// logs both in.
const USER: &str = "dev";
const ADMIN: &str = "dev-admin";

/// Files that the commands read.
pub(super) const FILES: [(&str, &str); 6] = [
    ("gadget-1.0.0.yaml", include_str!("files/gadget-1.0.0.yaml")),
    ("gadget-1.1.0.yaml", include_str!("files/gadget-1.1.0.yaml")),
    ("gadget-2.0.0.yaml", include_str!("files/gadget-2.0.0.yaml")),
    ("gadget.yaml", include_str!("files/gadget.yaml")),
    (
        "gadget-changed.yaml",
        include_str!("files/gadget-changed.yaml"),
    ),
    ("document.yaml", include_str!("files/document.yaml")),
];

/// One command.
pub(super) struct ScenarioStep {
    /// Its words; names of files and things included.
    pub(super) words: &'static [&'static str],
    /// How it is told to print JSON; nothing if it only prepares.
    pub(super) format: &'static [&'static str],
    /// Who runs it; nobody for commands that ask no server.
    context: Option<&'static str>,
    /// Whether a status that is not 0 is an answer too.
    pub(super) may_fail: bool,
}

impl ScenarioStep {
    /// As it is kept: `coeval get gadget first`.
    pub(super) fn name(&self) -> String {
        format!("coeval {}", self.words.join(" "))
    }

    pub(super) fn arguments(&self) -> Vec<&'static str> {
        let context = self
            .context
            .into_iter()
            .flat_map(|name| ["--context", name]);
        let said = self.words.iter().chain(self.format).copied();
        said.chain(context).collect()
    }
}

const fn asks(words: &'static [&'static str]) -> ScenarioStep {
    ScenarioStep {
        words,
        format: &["-o", "json"],
        context: Some(USER),
        may_fail: false,
    }
}

const fn admin_asks(words: &'static [&'static str]) -> ScenarioStep {
    ScenarioStep {
        context: Some(ADMIN),
        ..asks(words)
    }
}

const fn prepares(words: &'static [&'static str]) -> ScenarioStep {
    ScenarioStep {
        format: &[],
        ..admin_asks(words)
    }
}

const fn offline(words: &'static [&'static str]) -> ScenarioStep {
    ScenarioStep {
        words,
        format: &["--json"],
        context: None,
        may_fail: true,
    }
}

const V1: &str = "gadget-1.0.0.yaml";
const V1_1: &str = "gadget-1.1.0.yaml";
const V2: &str = "gadget-2.0.0.yaml";

pub(super) const STEPS: &[ScenarioStep] = &[
    prepares(&["type", "register", V1, V1_1]),
    prepares(&["type", "publish", "acme:gadget", "--org", "acme"]),
    // resources
    asks(&["create", "-f", "gadget.yaml"]),
    asks(&["apply", "-f", "gadget-changed.yaml"]),
    asks(&["get", "gadget"]),
    asks(&["get", "gadget", "first"]),
    asks(&["get", "gadget", "first", "--version", "1.0.0"]),
    asks(&["history", "gadget", "first"]),
    asks(&["task", "list"]),
    // types
    asks(&["type", "list"]),
    asks(&["type", "versions", "gadget"]),
    admin_asks(&[
        "type",
        "columns",
        "acme:gadget:1.0.0",
        "--set",
        "Size=/size",
    ]),
    asks(&["explain", "gadget"]),
    asks(&["explain", "gadget.spec.backup"]),
    offline(&["type", "explain", V1_1]),
    offline(&["type", "check", V1, V1_1]),
    offline(&["type", "check", V1, V1_1, V2]),
    offline(&[
        "convert",
        "--type",
        "gadget-1.0.0.yaml,gadget-1.1.0.yaml",
        "--from",
        "1.1",
        "--to",
        "1.0",
        "document.yaml",
    ]),
    // who may do what
    asks(&["whoami"]),
    asks(&["access", "gadget", "first"]),
    asks(&["access", "grants", "gadget", "first"]),
    asks(&["user", "list"]),
    asks(&["user", "get", "alice"]),
    asks(&["user", "roles", "alice"]),
    asks(&["role", "list"]),
    asks(&["role", "get", "Organization Administrator"]),
    asks(&["role", "rights"]),
    asks(&["token", "list"]),
    admin_asks(&["org", "list"]),
    admin_asks(&["org", "get", "acme"]),
    ScenarioStep {
        context: None,
        ..asks(&["login", "--list"])
    },
    // migrations
    prepares(&["type", "register", V2]),
    admin_asks(&["migrate", "plan", "acme:gadget"]),
    admin_asks(&["migrate", "start", "acme:gadget"]),
    admin_asks(&["migrate", "status", "acme:gadget"]),
    admin_asks(&["migrate", "list"]),
    admin_asks(&["migrate", "failed", "acme:gadget"]),
    admin_asks(&["migrate", "rate", "acme:gadget", "10"]),
    admin_asks(&["migrate", "pause", "acme:gadget"]),
    admin_asks(&["migrate", "resume", "acme:gadget"]),
    admin_asks(&["server", "list"]),
];
