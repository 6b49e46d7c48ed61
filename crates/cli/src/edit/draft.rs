//! The file that is edited. It goes when the edit is saved or nothing was changed, and stays in every
//! other case.

use crate::calls::ResourceTarget;
use crate::failure::Failure;
use crate::merge::render::place;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// More than any resource.
const BYTES: u64 = 16 << 20;

/// A file that only its owner reads.
#[derive(Debug)]
pub(super) struct EditDraft {
    path: PathBuf,
    /// What was written to it last.
    written: String,
}

impl EditDraft {
    pub(super) fn new(of: &ResourceTarget) -> Result<Self, Failure> {
        // The name is visible to others, and a kind may have characters that no file name has.
        let plain = |text: &str| -> String {
            let kept = text
                .chars()
                .filter(|c| c.is_ascii_alphanumeric() || *c == '-');
            kept.take(60).collect()
        };
        let prefix = format!("coeval-{}-{}-", plain(&of.kind), plain(&of.name));
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".yaml").rand_bytes(8);
        // Unpredictable, and only its owner can read it: the content may be confidential.
        let made = builder.tempfile().map_err(|error| unwritable(&error));
        let (_, path) = made?.keep().map_err(|error| unwritable(&error.error))?;
        Ok(Self {
            path,
            written: String::new(),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a text with comments on top.
    pub(super) fn write(&mut self, comments: &[String], text: &str) -> Result<(), Failure> {
        let comments = comments.iter().flat_map(|comment| comment.lines());
        // Comments on top only: what stands behind them is the content, whatever it looks like.
        let comments = comments.map(|line| format!("# {}\n", place(line)));
        self.written = format!("{}{text}", comments.collect::<String>());
        std::fs::write(&self.path, &self.written).map_err(|error| self.keep(unwritable(&error)))
    }

    /// What is in it now, without the comments on top; nothing if it is as it was written.
    pub(super) fn read(&self) -> Result<(String, bool), Failure> {
        let mut bytes = Vec::new();
        let read = File::open(&self.path);
        // Bounded: an editor may leave anything there.
        let read = read.and_then(|file| file.take(BYTES + 1).read_to_end(&mut bytes));
        read.map_err(|error| self.keep(unwritable(&error)))?;
        if bytes.len() as u64 > BYTES {
            let failure = Failure::refused(
                format!("the file has more than {BYTES} bytes"),
                "Make it smaller.",
            );
            return Err(self.keep(failure));
        }
        // An editor may save in another encoding; guessing could destroy the text.
        let text = String::from_utf8(bytes).map_err(|_| {
            let failure = Failure::refused("the file is not UTF-8", "Save it as UTF-8.");
            self.keep(failure)
        })?;
        Ok((without_comments(&text), text == self.written))
    }

    /// The failure, saying where the edit is.
    pub(super) fn keep(&self, failure: Failure) -> Failure {
        failure.after(&format!("Your edit is in {}.", self.path.display()))
    }

    /// It is saved, or there was nothing to save.
    pub(super) fn forget(self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

fn unwritable(error: &std::io::Error) -> Failure {
    Failure::refused(
        format!("the file to edit can't be used: {error}"),
        "Check the space and the permissions of the folder for temporary files (TMPDIR).",
    )
}

/// Without the comments on top, which are not the editor's.
fn without_comments(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines.skip_while(|line| line.starts_with('#')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_comments_on_top_are_taken_away() {
        assert_eq!(without_comments("# a\n#b\nx: 1\n# c\n"), "x: 1\n# c\n");
        assert_eq!(without_comments("# a"), "");
    }

    #[test]
    fn a_draft_is_read_by_its_owner_alone_and_goes_when_forgotten() {
        use std::os::unix::fs::PermissionsExt as _;
        let target = ResourceTarget {
            kind: "app".to_owned(),
            namespace: String::new(),
            name: "../../etc/x".to_owned(),
        };
        let mut draft = EditDraft::new(&target).unwrap();
        draft
            .write(&["two\nlines \u{1b}".to_owned()], "x: 1\n")
            .unwrap();
        let path = draft.path().to_owned();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with("coeval-app-etcx-")
        );
        assert_eq!(draft.written, "# two\n# lines �\nx: 1\n");
        assert_eq!(draft.read().unwrap(), ("x: 1\n".to_owned(), true));
        std::fs::write(&path, "# mine\nx: 2\n").unwrap();
        assert_eq!(draft.read().unwrap(), ("x: 2\n".to_owned(), false));
        draft.forget();
        assert!(!path.exists());
    }
}
