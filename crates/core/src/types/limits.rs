//! How much a type file, a schema and a body may be. Each limit has an error of its own.

/// Bytes of a type file. A registered type version must fit in one stored record.
pub const FILE_BYTES: usize = 256 * 1024;
/// Levels of objects and lists in a type file.
pub const FILE_DEPTH: usize = 96;
/// Values in a type file, counted with every alias written out.
pub const FILE_NODES: usize = 50_000;

/// Bytes of a schema as compact JSON.
pub const SCHEMA_BYTES: usize = 192 * 1024;
/// The same for a schema that is only compared, and stored nowhere.
pub const COMPARED_BYTES: usize = 1024 * 1024;
/// Levels of objects and lists in a schema.
pub const SCHEMA_DEPTH: usize = 64;
/// References in a schema.
pub const SCHEMA_REFS: usize = 1_000;
/// Schemas inside a schema.
pub const SCHEMA_PARTS: usize = 10_000;
/// Schemas that apply to one and the same value.
pub const SCHEMA_WORK: usize = 2_000;

/// How far one schema leads to another without a step into the value.
pub const SCHEMA_CHAIN: usize = 64;
/// The same where a schema refers to itself: it is paid again on every level of the content.
pub const SCHEMA_CHAIN_RECURSIVE: usize = 12;

/// Bytes of one pattern.
pub const PATTERN_BYTES: usize = 4 * 1024;
/// States of one pattern, roughly, once repetitions are written out.
pub const PATTERN_COST: u64 = 20_000;
/// The same for all patterns of a schema together.
pub const PATTERNS_COST: u64 = 200_000;

/// Evaluations of a schema that one validation may take.
pub const VALIDATION_WORK: u64 = 2_000_000;
/// Index fields of a type version.
pub const INDEXES: usize = 16;
/// Defaults that one filling may insert.
pub const FILLED: usize = 10_000;
/// Paths that a walk over all declared ones returns.
pub const DECLARED_PATHS: usize = 10_000;
/// Levels of content. Readers of bodies refuse more, walks over content go no deeper.
pub const CONTENT_DEPTH: usize = 128;

/// What a body may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyLimits {
    /// Bytes as sent.
    pub bytes: usize,
    /// Levels of objects and lists.
    pub depth: usize,
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self {
            bytes: 384 * 1024,
            depth: CONTENT_DEPTH,
        }
    }
}
