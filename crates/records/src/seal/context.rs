//! What something sealed is bound to.

/// What is sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Where a listing goes on; bound to caller, filter and order.
    PageToken,
    /// Secure fields of a resource; bound to its id and the record that they are in.
    Secret,
}

impl Purpose {
    const fn name(self) -> &'static [u8] {
        match self {
            Self::PageToken => b"page-token",
            Self::Secret => b"secret",
        }
    }
}

/// A purpose and the parts that tell one place from another. Sealing and opening need the same.
#[derive(Clone, Copy, Debug)]
pub struct Context<'c> {
    purpose: Purpose,
    parts: &'c [&'c [u8]],
}

impl<'c> Context<'c> {
    /// Of a purpose and any number of parts; their borders count too.
    #[must_use]
    pub const fn new(purpose: Purpose, parts: &'c [&'c [u8]]) -> Self {
        Self { purpose, parts }
    }

    /// The bytes that are authenticated along with the message: each part after its length.
    pub fn bytes(&self, header: &[u8]) -> Vec<u8> {
        // Keeps this apart from anything else that may ever be authenticated with the same key.
        let mut bytes = b"coeval seal 1".to_vec();
        for part in [header, self.purpose.name()].iter().chain(self.parts) {
            let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
            bytes.extend_from_slice(&length.to_be_bytes());
            bytes.extend_from_slice(part);
        }
        bytes
    }
}
