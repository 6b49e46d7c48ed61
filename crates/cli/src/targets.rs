//! What commands are about, as people write it: `KIND NAME…` or `KIND/NAME…`; and what a shell
//! offers in its place, asked of the server.
//!
//! A shell that waits is worse than one that offers nothing: whoever does not answer within a
//! second is not asked again, and whatever goes wrong nobody is told.

use crate::context::{ClientSession, ContextFiles, ServerOptions};
use crate::failure::Failure;
use clap::{ArgMatches, Args, FromArgMatches as _, Subcommand as _};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use coeval_client::ClientError;
use coeval_proto::resources::v1 as pb;
use coeval_proto::types::v1::ListTypeVersionsRequest;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::time::Duration;

/// How long a shell waits.
const PATIENCE: Duration = Duration::from_secs(1);
/// More are not offered.
const MOST: i32 = 200;

/// Resources by kind and name.
#[derive(Clone, Debug, Args)]
pub(crate) struct TargetArguments {
    /// Their kind, or KIND/NAME
    #[arg(value_name = "KIND", add = ArgValueCompleter::new(kinds))]
    pub(crate) kind: String,
    /// Their names or ids; each as KIND/NAME if the first is so
    #[arg(value_name = "NAME", add = ArgValueCompleter::new(names))]
    pub(crate) names: Vec<String>,
}

/// One resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedTarget {
    pub(crate) kind: String,
    pub(crate) name: String,
}

impl std::fmt::Display for NamedTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.kind, self.name)
    }
}

impl TargetArguments {
    /// Each that is named; none if only a kind is.
    pub(crate) fn each(&self) -> Result<Vec<NamedTarget>, Failure> {
        if !self.kind.contains('/') {
            let target = |name: &String| NamedTarget {
                kind: self.kind.clone(),
                name: name.clone(),
            };
            return Ok(self.names.iter().map(target).collect());
        }
        let all = std::iter::once(&self.kind).chain(&self.names);
        all.map(|one| split(one)).collect()
    }

    /// The same; it is wrong to name none.
    pub(crate) fn required(&self) -> Result<Vec<NamedTarget>, Failure> {
        let all = self.each()?;
        if all.is_empty() {
            let message = format!("no name of a resource of the kind {} is given", self.kind);
            return Err(Failure::usage(message, "Give KIND and NAME, or KIND/NAME."));
        }
        Ok(all)
    }
}

fn split(text: &str) -> Result<NamedTarget, Failure> {
    match text.split_once('/') {
        Some((kind, name)) if !kind.is_empty() && !name.is_empty() => Ok(NamedTarget {
            kind: kind.to_owned(),
            name: name.to_owned(),
        }),
        _ => Err(Failure::usage(
            format!("`{text}` is not KIND/NAME"),
            "Give all as KIND/NAME, or a kind and then names.",
        )),
    }
}

/// A version as people write it: `1.1` is 1.1.0, and `v1.1` is the same.
pub(crate) fn version(text: &str) -> Result<String, std::convert::Infallible> {
    // Two numbers leave the patch out, one the minor too.
    let numbers = text.split('.').count();
    let short = numbers < 3 && text.starts_with(|c: char| c.is_ascii_digit());
    Ok(if short {
        format!("{text}{}", ".0".repeat(3 - numbers))
    } else {
        text.to_owned()
    })
}

/// Completes the name of a context.
pub(crate) fn contexts(current: &OsStr) -> Vec<CompletionCandidate> {
    let contexts = ContextFiles::read().unwrap_or_default().contexts;
    let offered = contexts.contexts.into_iter();
    let offered = offered.map(|context| (context.name, context.server));
    with_prefix(current, "", offered)
}

/// Completes a kind, and after `KIND/` a name.
pub(crate) fn kinds(current: &OsStr) -> Vec<CompletionCandidate> {
    let text = current.to_string_lossy();
    if let Some((kind, _)) = text.split_once('/') {
        // A completion never fails: what can't be found out is not offered.
        let names = ask_server(async |session, _| names_of(&session, kind, "").await);
        return with_prefix(current, &format!("{kind}/"), names);
    }
    with_prefix(
        current,
        "",
        ask_server(async |session, _| kinds_of(&session).await),
    )
}

/// Completes the name of a resource of the kind that is on the line.
pub(crate) fn names(current: &OsStr) -> Vec<CompletionCandidate> {
    let text = current.to_string_lossy();
    let names = ask_server(async |session, kind| match kind.split_once('/') {
        // The first was KIND/NAME, so all are.
        Some((kind, _)) => {
            let names = names_of(&session, kind, "").await?;
            let whole = |(name, help)| (format!("{kind}/{name}"), help);
            Ok(names.into_iter().map(whole).collect())
        }
        None => names_of(&session, &kind, &text).await,
    });
    with_prefix(current, "", names)
}

/// Completes a version of the kind that is on the line.
pub(crate) fn versions(current: &OsStr) -> Vec<CompletionCandidate> {
    let versions = ask_server(async |session, kind| {
        let kind = kind.split('/').next().unwrap_or_default().to_owned();
        versions_of(&session, &kind).await
    });
    with_prefix(current, "", versions)
}

type CompletionOffers = Vec<(String, String)>;

fn with_prefix(
    current: &OsStr,
    prefix: &str,
    offered: impl IntoIterator<Item = (String, String)>,
) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let candidate = |(value, help): (String, String)| {
        let value = format!("{prefix}{value}");
        // A control character in a candidate would reach the terminal.
        let fits = value.starts_with(&*current) && !value.contains(char::is_control);
        let help = Some(help).filter(|help| !help.is_empty());
        fits.then(|| CompletionCandidate::new(value).help(help.map(Into::into)))
    };
    offered.into_iter().filter_map(candidate).collect()
}

/// Asks the server that the line names; nothing if that takes long or goes wrong.
fn ask_server(
    question: impl AsyncFnOnce(ClientSession, String) -> Result<CompletionOffers, ClientError>,
) -> CompletionOffers {
    let answer = || {
        let matches = line()?;
        let server = ServerOptions::from_arg_matches(&matches).ok()?;
        let kind: Option<&String> = matches.try_get_one("kind").ok().flatten();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .ok()?;
        runtime.block_on(async {
            let session = server.session_within(PATIENCE).ok()?;
            let kind = kind.cloned().unwrap_or_default();
            let answer = tokio::time::timeout(PATIENCE, question(session, kind));
            answer.await.ok()?.ok()
        })
    };
    answer().unwrap_or_default()
}

/// The words before the one that is completed, as the command that they are of.
fn line() -> Option<ArgMatches> {
    let words: Vec<OsString> = std::env::args_os().collect();
    // The shell's words come after `--`.
    let begin = words.iter().position(|word| word == "--")? + 1;
    let mut words = words.get(begin..)?.to_vec();
    let index = std::env::var("_CLAP_COMPLETE_INDEX").ok();
    let index = index.and_then(|index| index.parse().ok());
    words.truncate(index.unwrap_or_else(|| words.len().saturating_sub(1)));
    // Ignoring errors: the line is not complete, which is why somebody asks.
    let command = crate::ClientCommand::augment_subcommands(clap::Command::new("coeval"));
    let mut matches = command
        .ignore_errors(true)
        .try_get_matches_from(words)
        .ok()?;
    while let Some((_, inner)) = matches.remove_subcommand() {
        matches = inner;
    }
    Some(matches)
}

/// The kinds, each as short as it can be said.
async fn kinds_of(session: &ClientSession) -> Result<CompletionOffers, ClientError> {
    let mut vendors: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let request = ListTypeVersionsRequest {
        page_size: 1000,
        ..Default::default()
    };
    let answer = session.client.types().list_type_versions(request).await?;
    for version in answer.into_inner().type_versions {
        let of = vendors.entry(version.nss).or_default();
        of.insert(version.vendor, version.title);
    }
    let mut offered = CompletionOffers::new();
    for (nss, of) in vendors {
        // Short if that is enough; with the vendor where two types have the name.
        let alone = of.len() == 1;
        for (vendor, title) in of {
            let kind = if alone {
                nss.clone()
            } else {
                format!("{vendor}:{nss}")
            };
            offered.push((kind, title));
        }
    }
    Ok(offered)
}

async fn names_of(
    session: &ClientSession,
    kind: &str,
    begin: &str,
) -> Result<CompletionOffers, ClientError> {
    // Only what means itself in a filter narrows the question; the shell's word does the rest.
    let simple = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let filter = if !begin.is_empty() && begin.chars().all(simple) {
        format!("name=={begin}*")
    } else {
        String::new()
    };
    let request = pb::ListResourcesRequest {
        kind: kind.to_owned(),
        namespace: session.namespace.clone(),
        page_size: MOST,
        order_by: "name".to_owned(),
        filter,
        ..Default::default()
    };
    let mut service = session.client.resource_service();
    let answer = service.list_resources(request).await?;
    let resources = answer.into_inner().resources.into_iter();
    let named = resources.filter_map(|resource| resource.metadata);
    Ok(named.map(|meta| (meta.name, meta.description)).collect())
}

async fn versions_of(session: &ClientSession, kind: &str) -> Result<CompletionOffers, ClientError> {
    let (vendor, nss) = kind.split_once(':').unwrap_or(("", kind));
    let request = ListTypeVersionsRequest {
        page_size: 1000,
        vendor: vendor.to_owned(),
        nss: nss.to_owned(),
        ..Default::default()
    };
    let answer = session.client.types().list_type_versions(request).await?;
    let versions = answer.into_inner().type_versions.into_iter();
    let versions: BTreeSet<_> = versions.map(|version| version.version).collect();
    let offered = versions.into_iter().map(|version| (version, String::new()));
    Ok(offered.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each(words: &[&str]) -> Option<Vec<String>> {
        let (kind, names) = words.split_first().unwrap();
        let targets = TargetArguments {
            kind: (*kind).to_owned(),
            names: names.iter().map(|&name| name.to_owned()).collect(),
        };
        let all = targets.each().ok()?;
        Some(all.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_resource_is_named_by_kind_and_name_in_both_ways() {
        for (words, expected) in [
            (&["app"][..], Some(&[][..])),
            (&["app", "web", "api"], Some(&["app/web", "app/api"])),
            (&["app/web"], Some(&["app/web"])),
            (
                &["app/web", "acme:role/r"],
                Some(&["app/web", "acme:role/r"]),
            ),
            // A name may have a slash; the kind never.
            (&["app", "a/b"], Some(&["app/a/b"])),
            (&["app/a/b"], Some(&["app/a/b"])),
            (&["app/web", "api"], None),
            (&["app/"], None),
            (&["/web"], None),
        ] {
            let found = each(words);
            let found = found.as_ref().map(|all| all.iter().map(String::as_str));
            let found: Option<Vec<_>> = found.map(Iterator::collect);
            assert_eq!(found.as_deref(), expected, "{words:?}");
        }
    }

    #[test]
    fn a_version_may_be_cut_short() {
        for (text, expected) in [
            ("1", "1.0.0"),
            ("1.1", "1.1.0"),
            ("1.1.2", "1.1.2"),
            ("v1.1", "v1.1"),
            ("new", "new"),
            ("", ""),
        ] {
            assert_eq!(version(text).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn only_what_begins_as_the_word_does_is_offered_and_nothing_that_breaks_a_line() {
        let offered = ["web", "web-2", "api", "web\n"].map(|name| (name.to_owned(), String::new()));
        let found = with_prefix(OsStr::new("we"), "", offered);
        let found: Vec<_> = found.iter().map(CompletionCandidate::get_value).collect();
        assert_eq!(found, ["web", "web-2"]);
    }
}
