//! What `m/store` says: the level, the incarnation, and whether a restore is being loaded.

use crate::pb;
use bytes::Bytes;
use coeval_storage::{Incarnation, StorageError, Token};

/// The level of the layout that this release writes, and the highest that it reads.
pub const LEVEL: u32 = 1;

/// The value of `m/store`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoreMeta {
    pub(crate) incarnation: Incarnation,
    /// The only handle that may read and write, while a restore is being loaded.
    pub(crate) loader: Option<[u8; 16]>,
}

impl StoreMeta {
    /// Level (4), incarnation (16), and while a restore is loaded its loader (16).
    pub(crate) fn encode(self) -> Bytes {
        let mut out = LEVEL.to_be_bytes().to_vec();
        out.extend_from_slice(self.incarnation.as_bytes());
        if let Some(loader) = self.loader {
            out.extend_from_slice(&loader);
        }
        out.into()
    }

    fn decode(raw: &[u8]) -> Result<Self, StorageError> {
        let damaged = || StorageError::failed("the store's note m/store is damaged");
        let (level, rest) = raw.split_first_chunk::<4>().ok_or_else(damaged)?;
        let found = u32::from_be_bytes(*level);
        if found > LEVEL {
            return Err(StorageError::UnknownLevel {
                found,
                known: LEVEL,
            });
        }
        let (incarnation, rest) = rest.split_first_chunk::<16>().ok_or_else(damaged)?;
        let loader = match rest {
            [] => None,
            rest => Some(rest.try_into().map_err(|_| damaged())?),
        };
        Ok(Self {
            incarnation: Incarnation::from_bytes(*incarnation),
            loader,
        })
    }
}

/// The history that a handle knows of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownHistory {
    /// etcd's cluster: another one after somebody restored a snapshot of etcd.
    pub(crate) cluster: u64,
    /// The revision that put `m/store`.
    pub(crate) at: i64,
    /// Its bytes, as every transaction compares them.
    pub(crate) value: Bytes,
    pub(crate) meta: StoreMeta,
}

impl KnownHistory {
    pub(crate) fn of(cluster: u64, kv: &pb::KeyValue) -> Result<Self, StorageError> {
        Ok(Self {
            cluster,
            at: kv.mod_revision,
            value: kv.value.clone(),
            meta: StoreMeta::decode(&kv.value)?,
        })
    }

    /// The drawn incarnation together with the cluster: a restored etcd is another history, even
    /// if nobody says so.
    pub(crate) fn incarnation(&self) -> Incarnation {
        self.meta.incarnation.placed(&self.cluster.to_be_bytes())
    }

    pub(crate) fn token(&self, sequence: u64) -> Token {
        Token {
            incarnation: self.incarnation(),
            sequence,
        }
    }

    /// Whether a restore that `handle` does not load keeps it out.
    pub(crate) fn fences(&self, handle: [u8; 16]) -> bool {
        self.meta.loader.is_some_and(|loader| loader != handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_back_and_a_newer_level_is_refused() {
        for loader in [None, Some([7; 16])] {
            let meta = StoreMeta {
                incarnation: Incarnation::from_bytes([3; 16]),
                loader,
            };
            assert_eq!(StoreMeta::decode(&meta.encode()), Ok(meta));
        }
        assert_eq!(
            StoreMeta::decode(&2u32.to_be_bytes()),
            Err(StorageError::UnknownLevel { found: 2, known: 1 })
        );
        assert!(StoreMeta::decode(&[0, 0, 0, 1, 9]).is_err());
    }
}
