//! Why bytes under a key are not a record.

/// The highest level that this release reads.
pub const LEVEL: u8 = 2;

/// Why bytes are not a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordDamage {
    /// Fewer bytes than a header, or fields that end after the record does.
    #[error("it is cut short")]
    Short,
    /// The checksum differs.
    #[error("its checksum does not match")]
    Checksum,
    /// What is packed can't be unpacked.
    #[error("it can't be unpacked")]
    Packed,
    /// Written by a newer release; the bytes are whole.
    #[error("it has level {0}, this release reads up to {LEVEL}")]
    Level(u8),
}
