//! What a server of an older release may lack, and the least release that has it: one table for the
//! client library, the CLI and whatever else talks to servers.

use crate::release::Release;

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident = $since:expr, $what:literal, $method:expr;)*) => {
        /// Something that not every server has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Feature {
            $($(#[$doc])* $name,)*
        }

        impl Feature {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The least release whose servers have it.
            #[must_use]
            pub const fn since(self) -> Release {
                match self { $(Self::$name => $since,)* }
            }

            /// What it is, as the beginning of a sentence.
            #[must_use]
            pub const fn what(self) -> &'static str {
                match self { $(Self::$name => $what,)* }
            }

            /// The gRPC method that a server without it lacks, if it is a whole method.
            #[must_use]
            pub const fn method(self) -> Option<&'static str> {
                match self { $(Self::$name => $method,)* }
            }
        }
    };
}

const V0_1: Release = Release::new(0, 1, 0);
const V0_2: Release = Release::new(0, 2, 0);

features! {
    /// `UpsertResource`; without it a client reads, then creates or updates.
    Upsert = V0_1, "upserting a resource", Some("/coeval.resources.v1.ResourceService/UpsertResource");
    /// `UpdateResource` with a mask; without it a client reads, merges and updates.
    UpdateMask = V0_1, "updating single fields", None;
    /// `ListRevisions`.
    ListRevisions = V0_1, "listing revisions", Some("/coeval.resources.v1.ResourceService/ListRevisions");
    /// `RestoreResource`.
    RestoreRevision = V0_1, "restoring a revision", Some("/coeval.resources.v1.ResourceService/RestoreResource");
    /// `UpgradeResource`.
    Upgrade = V0_2, "upgrading a resource", Some("/coeval.resources.v1.ResourceService/UpgradeResource");
    /// `UpgradeResources`.
    UpgradeMany = V0_2, "upgrading all resources that a filter matches", Some("/coeval.resources.v1.ResourceService/UpgradeResources");
    /// `AnnotateTypeVersion`.
    AnnotateType = V0_2, "deprecating a type version or setting its columns", Some("/coeval.types.v1.TypeService/AnnotateTypeVersion");
    /// `WatchResources`.
    Watch = V0_1, "watching resources", Some("/coeval.resources.v1.ResourceService/WatchResources");
    /// `ListTasksRequest.resource`; without it a client picks them out itself.
    TasksByResource = V0_2, "listing tasks by resource", None;
    /// `ReleaseService.ListDeprecations`, `/v1/webapi/deprecations`.
    ListDeprecations = V0_2, "listing deprecations", Some("/coeval.releases.v1.ReleaseService/ListDeprecations");
}

impl Feature {
    /// Whether servers of a release have it.
    #[must_use]
    pub fn is_in(self, release: Release) -> bool {
        self.since() <= release
    }

    /// Why it can't be done at a server of that release, as a sentence without its stop.
    #[must_use]
    pub fn refusal(self, server: Option<Release>) -> String {
        let (what, since) = (self.what(), self.since());
        match server {
            Some(server) => {
                format!("{what} needs a server of release {since} or later (this one is {server})")
            }
            None => format!(
                "{what} needs a server of release {since} or later (this one does not say its release)"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::CURRENT;

    #[test]
    fn no_feature_is_of_a_later_release_than_the_code() {
        for feature in Feature::ALL {
            assert!(feature.is_in(CURRENT), "{feature:?}");
        }
    }

    #[test]
    fn a_refusal_names_the_least_release_and_that_of_the_server() {
        for feature in Feature::ALL {
            let text = feature.refusal(Some(Release::new(0, 0, 9)));
            assert!(text.contains(&feature.since().to_string()), "{text}");
            assert!(text.contains("0.0.9"), "{text}");
        }
    }
}
