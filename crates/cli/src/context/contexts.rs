//! The servers that somebody has logged in to, by name: `config.yaml`. Nothing in it is secret.
//!
//! What a newer release has written into the file stays when this one writes it.

use super::error::ContextError;
use serde::{Deserialize, Serialize};
use serde_norway::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A server and who one is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ServerContext {
    pub(crate) name: String,
    pub(crate) server: String,
    /// `alice@acme`
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) user: String,
    /// The organization that is meant where none is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) namespace: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) certificate_authority: Option<PathBuf>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

impl ServerContext {
    pub(crate) fn new(name: &str, server: &str, user: &str) -> Self {
        Self {
            name: name.to_owned(),
            server: server.to_owned(),
            user: user.to_owned(),
            namespace: None,
            certificate_authority: None,
            rest: BTreeMap::new(),
        }
    }
}

/// All of them, and the one that is used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ContextsFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) current: Option<String>,
    pub(crate) contexts: Vec<ServerContext>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

impl ContextsFile {
    /// From the text of the file.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        // An empty file is no error: it reads as nothing.
        let read: Option<Self> = serde_norway::from_str(text).map_err(|error| error.to_string())?;
        let read = read.unwrap_or_default();
        // Names are how contexts are found; two of a name can't both be meant.
        let mut names = BTreeSet::new();
        for context in &read.contexts {
            if !names.insert(&context.name) {
                return Err(format!("it has two contexts `{}`", context.name));
            }
        }
        Ok(read)
    }

    pub(crate) fn find(&self, name: &str) -> Result<&ServerContext, ContextError> {
        let found = self.contexts.iter().find(|context| context.name == name);
        found.ok_or_else(|| ContextError::Unknown {
            name: name.to_owned(),
            known: self.names(),
        })
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.contexts.iter().map(|context| context.name.clone());
        names.collect()
    }

    /// Adds it or puts it in the place of the one with its name.
    pub(crate) fn put(&mut self, mut context: ServerContext) {
        let same = |known: &&mut ServerContext| known.name == context.name;
        match self.contexts.iter_mut().find(same) {
            Some(known) => {
                // What a newer release wrote there survives a login with this one.
                context.rest = std::mem::take(&mut known.rest);
                *known = context;
            }
            None => self.contexts.push(context),
        }
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.contexts.retain(|context| context.name != name);
        // Otherwise commands would fail with the name of a context that is gone.
        if self.current.as_deref() == Some(name) {
            self.current = None;
        }
    }

    /// A name for who logs in there: that of the context which is the same already, else the
    /// server's host, else both.
    pub(crate) fn name_for(&self, server: &str, user: &str) -> String {
        let same =
            |context: &&ServerContext| same_server(&context.server, server) && context.user == user;
        if let Some(context) = self.contexts.iter().find(same) {
            return context.name.clone();
        }
        let host = server.split_once("://").map_or(server, |(_, host)| host);
        let host = host.trim_end_matches('/');
        match self.find(host) {
            // A second user of the same server gets a name of his own.
            Ok(_) => format!("{user}/{host}"),
            Err(_) => host.to_owned(),
        }
    }
}

pub(crate) fn same_server(one: &str, other: &str) -> bool {
    one.trim_end_matches('/') == other.trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "current: dev\ntheme: dark\ncontexts:\n- name: dev\n  server: http://a:1\n  user: alice@acme\n  proxy: p\n";

    #[test]
    fn what_a_newer_release_wrote_stays_when_the_file_is_written() {
        let mut contexts = ContextsFile::parse(FILE).unwrap();
        contexts.put(ServerContext::new("dev", "http://b:1", "bob@acme"));
        let written = serde_norway::to_string(&contexts).unwrap();
        for kept in ["theme: dark", "proxy: p", "server: http://b:1"] {
            assert!(written.contains(kept), "{written}");
        }
        assert_eq!(ContextsFile::parse(&written).unwrap(), contexts);
    }

    #[test]
    fn an_empty_file_has_no_contexts_and_one_with_namesakes_is_refused() {
        assert_eq!(ContextsFile::parse("").unwrap(), ContextsFile::default());
        let twice = "contexts: [{name: a, server: s}, {name: a, server: t}]";
        assert_eq!(
            ContextsFile::parse(twice).unwrap_err(),
            "it has two contexts `a`"
        );
        assert!(ContextsFile::parse("contexts: 7").is_err());
    }

    #[test]
    fn a_context_is_named_after_its_host_and_who_logs_in_again_finds_the_same() {
        let mut contexts = ContextsFile::default();
        let name = contexts.name_for("https://c.example/", "alice@acme");
        assert_eq!(name, "c.example");
        contexts.put(ServerContext::new(
            &name,
            "https://c.example/",
            "alice@acme",
        ));
        assert_eq!(contexts.name_for("https://c.example", "alice@acme"), name);
        let other = contexts.name_for("https://c.example", "bob@acme");
        assert_eq!(other, "bob@acme/c.example", "alice's is not overwritten");
    }

    #[test]
    fn one_that_is_forgotten_is_no_longer_used() {
        let mut contexts = ContextsFile::parse(FILE).unwrap();
        contexts.remove("dev");
        assert_eq!(contexts.current, None);
        let unknown = contexts.find("dev").unwrap_err();
        assert_eq!(unknown.to_string(), "there is no context `dev`");
    }
}
