//! Contexts and credentials as one, as they are in the folder.

use super::contexts::{Context, Contexts};
use super::credentials::{Credential, Credentials};
use super::error::ContextError;
use super::folder::Folder;

const CONFIG: &str = "config.yaml";
const CREDENTIALS: &str = "credentials.yaml";

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Kept {
    pub(crate) contexts: Contexts,
    pub(crate) credentials: Credentials,
}

impl Kept {
    /// As it is now.
    pub(crate) fn read() -> Result<Self, ContextError> {
        Self::read_from(&Folder::usual()?)
    }

    fn read_from(folder: &Folder) -> Result<Self, ContextError> {
        let text = folder.read(CONFIG)?;
        let contexts = Contexts::parse(&text).map_err(|reason| folder.wrong(CONFIG, &reason))?;
        let text = folder.read_secret(CREDENTIALS)?;
        let credentials = Credentials::parse(&text);
        let credentials = credentials.map_err(|reason| folder.wrong(CREDENTIALS, &reason))?;
        Ok(Self {
            contexts,
            credentials,
        })
    }

    /// Changes it, on what nobody else changes meanwhile.
    pub(crate) fn change<T>(
        work: impl FnOnce(&mut Self) -> Result<T, ContextError>,
    ) -> Result<T, ContextError> {
        Self::change_in(&Folder::usual()?, work)
    }

    fn change_in<T>(
        folder: &Folder,
        work: impl FnOnce(&mut Self) -> Result<T, ContextError>,
    ) -> Result<T, ContextError> {
        folder.locked(|| {
            let before = Self::read_from(folder)?;
            let mut after = before.clone();
            let done = work(&mut after)?;
            let unsayable = |error: serde_norway::Error| folder.wrong(CONFIG, &error);
            // Tokens first: a context without one asks for a login, a token without one is lost.
            if after.credentials != before.credentials {
                let text = serde_norway::to_string(&after.credentials).map_err(unsayable)?;
                folder.write(CREDENTIALS, &text)?;
            }
            if after.contexts != before.contexts {
                let text = serde_norway::to_string(&after.contexts).map_err(unsayable)?;
                folder.write(CONFIG, &text)?;
            }
            Ok(done)
        })
    }

    pub(crate) fn remember(&mut self, context: Context, credential: Credential) {
        let name = context.name.clone();
        self.contexts.put(context);
        self.contexts.current = Some(name.clone());
        self.credentials.contexts.insert(name, credential);
    }

    /// Only the token.
    pub(crate) fn log_out(&mut self, name: &str) {
        self.credentials.contexts.remove(name);
    }

    /// All of it.
    pub(crate) fn forget(&mut self, name: &str) {
        self.contexts.remove(name);
        self.log_out(name);
    }
}

#[cfg(test)]
mod tests {
    use super::super::credentials::Token;
    use super::*;

    fn credential() -> Credential {
        Credential::of("http://a", Token::new("t".into()), None)
    }

    #[test]
    fn what_was_remembered_is_used_until_it_is_forgotten() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::at(&parent.path().join("coeval"));
        assert_eq!(Kept::read_from(&folder).unwrap(), Kept::default());
        for name in ["one", "two"] {
            let context = Context::new(name, "http://a", "alice@acme");
            let remembered = Kept::change_in(&folder, |kept| {
                kept.remember(context, credential());
                Ok(())
            });
            remembered.unwrap();
        }
        let kept = Kept::read_from(&folder).unwrap();
        assert_eq!(kept.contexts.current.as_deref(), Some("two"));
        assert_eq!(kept.contexts.names(), ["one", "two"]);
        let forget = |kept: &mut Kept| {
            kept.forget("two");
            kept.forget("never there");
            Ok(())
        };
        Kept::change_in(&folder, forget).unwrap();
        let kept = Kept::read_from(&folder).unwrap();
        assert_eq!(kept.contexts.current, None);
        assert_eq!(kept.contexts.names(), ["one"]);
        assert_eq!(kept.credentials.contexts.len(), 1);
    }

    #[test]
    fn a_change_that_fails_changes_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::at(parent.path());
        let failed = Kept::change_in(&folder, |kept| {
            kept.remember(Context::new("a", "http://a", "u@o"), credential());
            Err::<(), _>(ContextError::NoServer)
        });
        assert!(failed.is_err());
        assert_eq!(Kept::read_from(&folder).unwrap(), Kept::default());
    }
}
