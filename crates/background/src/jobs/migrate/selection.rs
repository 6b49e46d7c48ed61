//! Which resources a task is about: those of one version, or those that a filter matches.
//!
//! The second kind is judged as a listing would judge it: access first, then the view that the caller
//! asked for, after redaction, among the versions that exist for it. What the caller may not see, or
//! sees and may not move, is passed over in silence, so that nobody learns of a resource by moving
//! others. What matched is moved on condition that it is as it was judged.

use crate::background::Background;
use crate::jobs::migrate::plan::Aim;
use crate::jobs::migrate::report::Outcome;
use coeval_access::{Acl, ResourceAction};
use coeval_catalog::allow::{allowed, version_facts};
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::WantedView;
use coeval_core::decide::{VersionRefusal, WantedVersion};
use coeval_core::version::{Classification, Version};
use coeval_records::error::EngineError;
use coeval_records::keys;
use coeval_records::stored::Stored;
use coeval_resources::list::matcher::Matcher;
use coeval_resources::list::scope::Whose;
use coeval_resources::list::visible::may_know;
use coeval_resources::resources::Resources;
use coeval_resources::write::barrier::barrier;
use coeval_storage::{KeySpan, Token};

/// Which resources.
#[derive(Clone, Debug)]
pub(crate) enum Selection {
    /// Those stored at this version.
    Version(Version),
    /// Those that match, whatever their version.
    Matching(Box<Matching>),
}

/// Those that a filter matches at the caller's view.
#[derive(Clone, Debug)]
pub(crate) struct Matching {
    pub matcher: Matcher,
    /// What the caller wanted to see when it asked.
    pub wanted: WantedVersion,
    /// Only those stored at one of these.
    pub versions: Option<Classification>,
    pub whose: Whose,
    /// Whether the caller named the version to go to.
    pub named: bool,
}

/// Where the index lists them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// Those at the target already. They are looked at first: what the task moves comes to stand
    /// among them, and would be counted again.
    pub target: Option<KeySpan>,
    /// The others, in the order of their keys.
    pub others: Vec<KeySpan>,
}

impl Selection {
    pub(crate) async fn places(
        &self,
        background: &Background,
        caller: &Caller,
        aim: &Aim,
    ) -> Result<Places, EngineError> {
        let matching = match self {
            Self::Version(from) => {
                let subject = &caller.subject;
                // A tenant has a part of the index of its own: what belongs to others is not even
                // read.
                let span = if subject.is_provider() && subject.context().is_none() {
                    keys::at_version(&aim.of, *from)?
                } else {
                    keys::at_version_in(&aim.of, *from, caller.org())?
                };
                return Ok(Places {
                    target: None,
                    others: vec![span],
                });
            }
            Self::Matching(matching) => matching,
        };
        let mut places = Places::default();
        for version in background.versions_with_resources(caller, &aim.of).await? {
            if matching.versions.is_some_and(|only| !only.matches(version)) {
                continue;
            }
            let span = match &matching.whose {
                Whose::Everybody => keys::at_version(&aim.of, version)?,
                Whose::Org(org) => keys::at_version_in(&aim.of, version, org)?,
            };
            if version == aim.to {
                places.target = Some(span);
            } else {
                places.others.push(span);
            }
        }
        // In the order of keys: the checkpoint names a key, and all before it is done.
        places
            .others
            .sort_by(|one, other| one.start.cmp(&other.start));
        Ok(places)
    }

    /// How many the progress is of, if that tells nothing of what the caller may not see.
    pub(crate) const fn is_counted(&self) -> bool {
        matches!(self, Self::Version(_))
    }
}

/// What is to be done with a resource.
#[derive(Debug)]
pub(crate) enum Judged {
    Move,
    /// It stays as it is; nothing: it is not told of.
    Leave(Option<Outcome>),
}

/// Who asks, of what.
#[derive(Clone, Debug, Copy)]
pub(crate) struct Judge<'a> {
    pub background: &'a Background,
    pub caller: &'a Caller,
    pub state: &'a TypeState,
    pub aim: &'a Aim,
}

impl Judge<'_> {
    fn moving(&self) -> ResourceAction {
        let facts = version_facts(self.state, self.aim.to, &self.caller.subject);
        ResourceAction::ChangeVersion(facts)
    }

    /// Whether the decision on a resource depends on its ACL.
    pub(crate) fn needs_acl(&self, stored: &Stored) -> bool {
        let needs = |action| {
            let decided = allowed(self.caller, self.state, stored, action, None);
            matches!(decided, Ok(None))
        };
        let sees = matches!(self.aim.selection, Selection::Matching(_));
        needs(self.moving()) || sees && needs(ResourceAction::Read)
    }

    /// What is to be done with a resource, whose ACL is given if it is needed.
    pub(crate) async fn judge(
        &self,
        stored: &Stored,
        acl: Option<&Result<Acl, EngineError>>,
        token: Token,
    ) -> Judged {
        match &self.aim.selection {
            Selection::Version(_) => self.of_version(stored, acl),
            Selection::Matching(matching) => self.matching(matching, stored, acl, token).await,
        }
    }

    fn of_version(&self, stored: &Stored, acl: Option<&Result<Acl, EngineError>>) -> Judged {
        let acl = match acl {
            Some(Err(error)) => return Judged::Leave(Some(Outcome::skipped(error))),
            Some(Ok(acl)) => Some(acl),
            None => None,
        };
        match allowed(self.caller, self.state, stored, self.moving(), acl) {
            Ok(Some(_)) => Judged::Move,
            // With the ACL at hand there is always an answer.
            Ok(None) => Judged::Leave(None),
            Err(EngineError::Denied(denied)) if denied.hidden => Judged::Leave(None),
            Err(error) => Judged::Leave(Some(Outcome::skipped(&error))),
        }
    }

    async fn matching(
        &self,
        matching: &Matching,
        stored: &Stored,
        acl: Option<&Result<Acl, EngineError>>,
        token: Token,
    ) -> Judged {
        // An ACL that can't be read grants nothing.
        let none = Acl::default();
        let acl = acl.map(|acl| acl.as_ref().unwrap_or(&none));
        let may = |action| allowed(self.caller, self.state, stored, action, acl);
        // In silence: a count would tell what others have
        // (docs/decisions/0009-upgrades-by-filter.md).
        let (Ok(Some(level)), Ok(Some(_))) = (may(ResourceAction::Read), may(self.moving())) else {
            return Judged::Leave(None);
        };
        let refused = |error| {
            let visible = self.caller.visible_versions(self.state);
            let error = visible.refusal(self.state, error);
            Judged::Leave(Some(Outcome::failed(&error).of(stored, &error)))
        };
        let wanted = WantedView {
            wanted: matching.wanted,
            visible: self.caller.visible_versions(self.state),
        };
        let resources: &Resources = self.background;
        let (by, view) = ((resources, self.caller), (&wanted, level));
        let matches = matching
            .matcher
            .matches(by, self.state, stored.clone(), view, token);
        match matches.await {
            Ok(true) => {}
            Ok(false) => return Judged::Leave(None),
            Err(error) => return refused(error),
        }
        let (from, to) = (stored.header.version, self.aim.to);
        // A target that nobody named takes nothing back to an older version.
        if from == to || !matching.named && from > to {
            return Judged::Leave(Some(Outcome::UNCHANGED));
        }
        // Whoever named the version agreed to a change of meaning.
        match barrier(self.state, &wanted.visible, from, to) {
            Some(at) if !matching.named => refused(EngineError::UpgradeFirst {
                refusal: Box::new(VersionRefusal::MeaningBetween { body: to, at }.into()),
                of: self.aim.of.clone(),
                name: stored.header.name.clone(),
                to,
            }),
            _ => Judged::Move,
        }
    }

    /// What is said of a resource at this version whose record can't be read.
    pub(crate) fn unread(&self, version: Version, error: &EngineError) -> Option<Outcome> {
        if let Selection::Matching(matching) = &self.aim.selection {
            let nobody = (&Acl::default(), false);
            may_know(self.caller, self.state, version, &matching.whose, nobody)?;
        }
        Some(Outcome::failed(error))
    }

    /// What is said of one that could not be moved.
    pub(crate) fn unmoved(&self, stored: &Stored, error: EngineError) -> Outcome {
        let visible = self.caller.visible_versions(self.state);
        let error = visible.refusal(self.state, error);
        let outcome = match &error {
            EngineError::StateForbids { .. } => Outcome::skipped(&error),
            error => Outcome::failed(error),
        };
        match self.aim.selection {
            Selection::Version(_) => outcome,
            Selection::Matching(_) => outcome.of(stored, &error),
        }
    }
}
