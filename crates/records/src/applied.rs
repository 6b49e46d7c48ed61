//! What somebody who keeps resources in files declared last, so that a field which was taken out of
//! the file can be told from one that others set.

use crate::error::EngineError;
use crate::header::version_text;
use coeval_core::types::pointer;
use coeval_core::version::Version;
use serde::{Deserialize, Serialize};

/// The most paths that are declared.
pub const MOST_PATHS: usize = 10_000;
/// The most bytes of all of them.
pub const MOST_BYTES: usize = 256 * 1024;

/// What was declared last: where, never what. So no value that is secret is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// JSON pointers into the content, as the file says it.
    pub paths: Vec<String>,
    /// The version of the content that they are of: at another one the same path is another field.
    #[serde(rename = "v", with = "version_text")]
    pub version: Version,
    /// The generation that the declaring write made.
    #[serde(rename = "g")]
    pub generation: u64,
}

impl Applied {
    /// By the write of a body at a version that makes this generation.
    pub fn by(paths: &[String], version: Version, generation: u64) -> Result<Self, EngineError> {
        let refuse = |what: String| Err(EngineError::AppliedInvalid { what });
        if paths.len() > MOST_PATHS {
            return refuse(format!("it has more than {MOST_PATHS} paths"));
        }
        // The paths are in the header, which is read and written with every change of the resource.
        if paths.iter().map(String::len).sum::<usize>() > MOST_BYTES {
            return refuse(format!("its paths have more than {MOST_BYTES} bytes"));
        }
        if let Some(at) = paths
            .iter()
            .position(|path| pointer::tokens(path).is_none())
        {
            // By its number: what was sent in place of a path may be a value, and that a secret.
            return refuse(format!("path {} of it is no JSON pointer", at + 1));
        }
        Ok(Self {
            paths: paths.to_vec(),
            version,
            generation,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(paths: &[&str]) -> Result<Applied, EngineError> {
        let paths: Vec<String> = paths.iter().map(|&path| path.to_owned()).collect();
        Applied::by(&paths, Version::new(1, 1, 0), 7)
    }

    #[test]
    fn pointers_are_kept_as_they_were_declared_with_the_generation() {
        let applied = by(&["", "/a~1b/0", "/a"]).unwrap();
        assert_eq!(applied.paths, ["", "/a~1b/0", "/a"]);
        assert_eq!(applied.generation, 7);
        assert_eq!(by(&[]).unwrap().paths, Vec::<String>::new());
    }

    #[test]
    fn what_is_no_pointer_is_refused_and_not_repeated() {
        for bad in ["a", "a/b", "/~2", "#/a", " "] {
            let error = by(&["/fine", bad]).unwrap_err().to_string();
            assert!(error.contains("path 2"), "{error}");
        }
    }

    #[test]
    fn the_limits_are_taken_and_one_more_is_refused() {
        let many = |count: usize| vec!["/a"; count];
        assert!(by(&many(MOST_PATHS)).is_ok());
        assert!(by(&many(MOST_PATHS + 1)).is_err());
        let long = format!("/{}", "a".repeat(MOST_BYTES - 1));
        assert!(by(&[&long]).is_ok());
        assert!(by(&[&long, "/"]).is_err());
    }
}
