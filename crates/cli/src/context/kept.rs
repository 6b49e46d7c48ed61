//! Contexts and credentials as one, as they are in the folder.

use super::contexts::{ContextsFile, ServerContext};
use super::credentials::{CredentialsFile, ServerCredential};
use super::error::ContextError;
use super::folder::ConfigFolder;

const CONFIG: &str = "config.yaml";
const CREDENTIALS: &str = "credentials.yaml";

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ContextFiles {
    pub(crate) contexts: ContextsFile,
    pub(crate) credentials: CredentialsFile,
}

impl ContextFiles {
    /// As it is now.
    pub(crate) fn read() -> Result<Self, ContextError> {
        Self::read_from(&ConfigFolder::usual()?)
    }

    fn read_from(folder: &ConfigFolder) -> Result<Self, ContextError> {
        // Both are read, also by commands that need one: a folder that is half broken is told at
        // once.
        let text = folder.read(CONFIG)?;
        let contexts =
            ContextsFile::parse(&text).map_err(|reason| folder.wrong(CONFIG, &reason))?;
        let text = folder.read_secret(CREDENTIALS)?;
        let credentials = CredentialsFile::parse(&text);
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
        Self::change_in(&ConfigFolder::usual()?, work)
    }

    fn change_in<T>(
        folder: &ConfigFolder,
        work: impl FnOnce(&mut Self) -> Result<T, ContextError>,
    ) -> Result<T, ContextError> {
        folder.locked(|| {
            // Under the lock, so that what another process has written meanwhile is not lost.
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

    pub(crate) fn remember(&mut self, context: ServerContext, credential: ServerCredential) {
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
    use super::super::credentials::AuthToken;
    use super::*;

    fn credential() -> ServerCredential {
        ServerCredential::of("http://a", AuthToken::new("t".into()), None)
    }

    #[test]
    fn what_was_remembered_is_used_until_it_is_forgotten() {
        let parent = tempfile::tempdir().unwrap();
        let folder = ConfigFolder::at(&parent.path().join("coeval"));
        assert_eq!(
            ContextFiles::read_from(&folder).unwrap(),
            ContextFiles::default()
        );
        for name in ["one", "two"] {
            let context = ServerContext::new(name, "http://a", "alice@acme");
            let remembered = ContextFiles::change_in(&folder, |kept| {
                kept.remember(context, credential());
                Ok(())
            });
            remembered.unwrap();
        }
        let kept = ContextFiles::read_from(&folder).unwrap();
        assert_eq!(kept.contexts.current.as_deref(), Some("two"));
        assert_eq!(kept.contexts.names(), ["one", "two"]);
        let forget = |kept: &mut ContextFiles| {
            kept.forget("two");
            kept.forget("never there");
            Ok(())
        };
        ContextFiles::change_in(&folder, forget).unwrap();
        let kept = ContextFiles::read_from(&folder).unwrap();
        assert_eq!(kept.contexts.current, None);
        assert_eq!(kept.contexts.names(), ["one"]);
        assert_eq!(kept.credentials.contexts.len(), 1);
    }

    #[test]
    fn a_change_that_fails_changes_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let folder = ConfigFolder::at(parent.path());
        let failed = ContextFiles::change_in(&folder, |kept| {
            kept.remember(ServerContext::new("a", "http://a", "u@o"), credential());
            Err::<(), _>(ContextError::NoServer)
        });
        assert!(failed.is_err());
        assert_eq!(
            ContextFiles::read_from(&folder).unwrap(),
            ContextFiles::default()
        );
    }
}
