//! How much a filter and an order may be. What is more is refused, and told which limit it was.

/// Nodes of a filter; each item of an `In` list counts as one.
pub const NODES: usize = 256;
/// Levels of a filter. Front ends that parse text stop at it too: a deeper tree costs stack to drop.
pub const DEPTH: usize = 32;
/// Bytes of one operand.
pub const OPERAND_BYTES: usize = 4 * 1024;
/// Wildcards in one pattern.
pub const WILDCARDS: usize = 16;
/// Bytes of a field's name or path.
pub const FIELD_BYTES: usize = 1024;
/// Fields of an order.
pub const ORDER_FIELDS: usize = 4;

/// Bytes of an index key; what is longer is cut, and stands for all that begin so.
pub const KEY_BYTES: usize = 200;
/// The same with every byte below `0` counted three times, which is how stores write it.
pub const KEY_WEIGHT: usize = 216;
/// Places of an index that one plan reads.
pub const POINTS: usize = 64;
