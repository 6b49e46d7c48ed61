//! Everything that is deprecated in this release, in one list; and flags that are to go, which say so
//! when they are used.

use crate::telemetry;
use clap::ArgMatches;
use clap::parser::ValueSource;
use coeval_releases::{DeprecatedItem, ReleaseDeprecation};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A flag that is to go, with its variable and its key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeprecatedFlag {
    /// The words that call its command, as `coeval serve`.
    pub(crate) command: &'static str,
    /// Its long name, without the dashes.
    pub(crate) flag: &'static str,
    pub(crate) deprecation: ReleaseDeprecation,
}

/// All flags that are to go.
pub(crate) const FLAGS: &[DeprecatedFlag] = &[];

/// What is deprecated, in whatever part.
pub(crate) fn all() -> Arc<[DeprecatedItem]> {
    let mut all = coeval_webapi::deprecations();
    all.extend(coeval_cloudapi::deprecations());
    all.extend(coeval_grpc::deprecations());
    all.extend(telemetry::deprecated_metrics());
    all.extend(FLAGS.iter().map(|one| DeprecatedItem {
        what: "flag",
        name: format!("{} --{}", one.command, one.flag),
        deprecation: one.deprecation,
    }));
    all.into()
}

/// What somebody who uses flags that are to go is told, a line each; also where the value comes from a
/// variable or from a key of the config file.
pub(crate) fn warnings(
    flags: &[DeprecatedFlag],
    command: &[String],
    matches: &ArgMatches,
    file_keys: &BTreeSet<String>,
) -> Vec<String> {
    let command = format!("coeval {}", command.join(" "));
    let used = flags.iter().filter(|one| {
        let id = one.flag.replace('-', "_");
        let known = matches.try_contains_id(&id).unwrap_or(false);
        let source = known.then(|| matches.value_source(&id)).flatten();
        // A file's values are clap's defaults, which alone warn nobody.
        let said = match source {
            Some(ValueSource::CommandLine | ValueSource::EnvVariable) => true,
            _ => known && file_keys.contains(one.flag),
        };
        one.command == command && said
    });
    used.map(|one| format!("warning: --{}: {}", one.flag, one.deprecation.sentence()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_releases::{CURRENT, Release};

    const OLD: DeprecatedFlag = DeprecatedFlag {
        command: "coeval paint",
        flag: "coat-count",
        deprecation: ReleaseDeprecation {
            since: Release::new(0, 2, 0),
            last_used_in: Release::new(0, 1, 0),
            removed_in: Release::new(0, 3, 0),
            instead: "--coats",
        },
    };

    #[test]
    fn who_uses_a_flag_that_is_to_go_is_told_and_nobody_else() {
        let command = clap::Command::new("paint").arg(
            clap::Arg::new("coat_count")
                .long("coat-count")
                .default_value("1"),
        );
        let told = |arguments: &[&str], keys: &[&str]| {
            let matches = command.clone().get_matches_from(arguments);
            let keys = keys.iter().map(|&key| key.to_owned()).collect();
            warnings(&[OLD], &["paint".to_owned()], &matches, &keys)
        };
        assert!(told(&["paint"], &[]).is_empty());
        assert!(told(&["paint"], &["colour"]).is_empty());
        let used = told(&["paint", "--coat-count", "2"], &[]);
        let line = "warning: --coat-count: Deprecated since 0.2.0, removed in 0.3.0: use --coats.";
        assert_eq!(used, [line]);
        let by_file = told(&["paint"], &["coat-count"]);
        assert_eq!(by_file, [line], "a key of the config file counts too");
    }

    #[test]
    fn everything_that_is_deprecated_is_declared_soundly() {
        for item in all().iter() {
            assert_eq!(item.deprecation.faults(CURRENT), [], "{item:?}");
        }
    }
}
