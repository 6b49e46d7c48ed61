//! Small files that are read whole: a keyring, a bootstrap file and what it names.

use coeval_cli::Failure;
use std::fs::File;
use std::io::{Error, Read as _};
use std::path::Path;

/// The text of a file of at most so many bytes. A longer one is refused, never cut: what is left of
/// it could still be read, and would say something else.
pub(crate) fn read(path: &Path, at_most: u64, advice: &str) -> Result<String, Failure> {
    let text = (|| {
        let mut text = String::new();
        let file = File::open(path)?;
        let bytes = file.take(at_most + 1).read_to_string(&mut text)?;
        if u64::try_from(bytes).is_ok_and(|bytes| bytes <= at_most) {
            Ok(text)
        } else {
            Err(Error::other(format!("it has more than {at_most} bytes")))
        }
    })();
    text.map_err(|error| Failure::config(format!("{}: {error}", path.display()), advice))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5, "").unwrap(), "12345");
        let refused = format!("{:?}", read(&path, 4, "").unwrap_err());
        assert!(refused.contains("more than 4 bytes"), "{refused}");
        assert!(read(&folder.path().join("none"), 4, "").is_err());
    }
}
