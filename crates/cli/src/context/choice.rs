//! What is meant, of what flags, the environment and the contexts say: a flag beats the
//! environment, that beats the current context.

use super::contexts::{ContextsFile, ServerContext, same_server};
use super::error::ContextError;

/// What the flags say, or the environment.
#[derive(Clone, Debug, Default)]
pub(super) struct ServerChoice {
    pub(super) server: Option<String>,
    pub(super) context: Option<String>,
}

/// The server, and the context whose credentials are for it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ChosenServer<'c> {
    pub(super) server: String,
    pub(super) context: Option<&'c ServerContext>,
}

pub(super) fn choose<'c>(
    flags: &ServerChoice,
    environment: &ServerChoice,
    contexts: &'c ContextsFile,
) -> Result<ChosenServer<'c>, ContextError> {
    let by_context = |name: &str| {
        let context = contexts.find(name)?;
        Ok(ChosenServer {
            server: context.server.clone(),
            context: Some(context),
        })
    };
    // In this order: whichever says anything about it decides.
    for said in [flags, environment] {
        match (&said.server, &said.context) {
            (Some(server), Some(name)) => {
                let context = contexts.find(name)?;
                // Silently taking one of the two would send the token of one server to another.
                if !same_server(server, &context.server) {
                    return Err(ContextError::Contradiction {
                        context: name.clone(),
                        of: context.server.clone(),
                        server: server.clone(),
                    });
                }
                return by_context(name);
            }
            (None, Some(name)) => return by_context(name),
            (Some(server), None) => {
                // The server is said, so a context only lends its credentials, if it is of that
                // server.
                let weaker = [environment.context.as_ref(), contexts.current.as_ref()];
                return Ok(ChosenServer {
                    server: server.clone(),
                    context: of_server(server, weaker, contexts),
                });
            }
            (None, None) => {}
        }
    }
    match &contexts.current {
        Some(name) => by_context(name),
        None if contexts.contexts.is_empty() => Err(ContextError::NoServer),
        None => Err(ContextError::Unused {
            known: contexts
                .contexts
                .iter()
                .map(|one| one.name.clone())
                .collect(),
        }),
    }
}

/// Of the contexts of a server the one that is preferred, else the only one.
fn of_server<'c>(
    server: &str,
    preferred: [Option<&String>; 2],
    contexts: &'c ContextsFile,
) -> Option<&'c ServerContext> {
    let of = |context: &&ServerContext| same_server(&context.server, server);
    let all: Vec<_> = contexts.contexts.iter().filter(of).collect();
    let mut named = preferred.into_iter().flatten();
    let named = named.find_map(|name| all.iter().find(|context| context.name == *name));
    match (named, all.as_slice()) {
        // A context that is preferred, or the only one: several without a preference are nobody's.
        (Some(context), _) | (None, [context]) => Some(context),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(server: &str, context: &str) -> ServerChoice {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        ServerChoice {
            server: some(server),
            context: some(context),
        }
    }

    #[test]
    fn a_flag_beats_the_environment_and_that_beats_the_current_context() {
        let mut contexts = ContextsFile::default();
        for (name, server) in [("a", "http://a"), ("b", "http://b"), ("b2", "http://b")] {
            contexts.put(ServerContext::new(name, server, "u@o"));
        }
        contexts.current = Some("a".into());
        // flags, environment, then server and context
        for (flags, environment, expected) in [
            (said("", ""), said("", ""), Ok(("http://a", "a"))),
            (said("", "b"), said("", ""), Ok(("http://b", "b"))),
            (said("", "b"), said("http://c", ""), Ok(("http://b", "b"))),
            (said("http://c", ""), said("", "b"), Ok(("http://c", ""))),
            (said("http://a/", ""), said("", ""), Ok(("http://a/", "a"))),
            // Two are of it, and nobody says which.
            (said("http://b", ""), said("", ""), Ok(("http://b", ""))),
            (said("http://b", ""), said("", "b2"), Ok(("http://b", "b2"))),
            (said("", ""), said("http://c", ""), Ok(("http://c", ""))),
            (said("", ""), said("", "b"), Ok(("http://b", "b"))),
            (said("http://b", "b"), said("", ""), Ok(("http://b", "b"))),
            (said("http://a", "b"), said("", ""), Err(())),
            (said("", "nobody"), said("", ""), Err(())),
        ] {
            let chosen = choose(&flags, &environment, &contexts);
            let chosen = chosen.map(|chosen| {
                let name = chosen.context.map_or("", |context| &context.name);
                (chosen.server, name.to_owned())
            });
            let expected = expected.map(|(server, name)| (server.to_owned(), name.to_owned()));
            assert_eq!(chosen.map_err(drop), expected, "{flags:?} {environment:?}");
        }
        contexts.current = None;
        let unused = choose(&said("", ""), &said("", ""), &contexts);
        let known = ["a", "b", "b2"].map(str::to_owned).to_vec();
        assert_eq!(unused, Err(ContextError::Unused { known }));
        let none = ContextsFile::default();
        let nothing = choose(&said("", ""), &said("", ""), &none);
        assert_eq!(nothing, Err(ContextError::NoServer));
    }
}
