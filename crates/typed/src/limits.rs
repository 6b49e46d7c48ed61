//! How large a package may be. What is beyond is still held, in plainer kinds.

/// Messages inside of messages; deeper objects are values. With [`VALUE_DEPTH`] every message can
/// be read by programs that stop at a hundred levels.
pub const MESSAGE_DEPTH: usize = 10;
/// Levels of objects and lists in one `google.protobuf.Value` or `Struct`.
pub const VALUE_DEPTH: usize = 20;
/// Fields of a package, all messages together; further objects are values.
pub const FIELDS: usize = 4_000;
/// Bytes of a ledger, roughly; it must fit in one stored record.
pub const LEDGER_BYTES: usize = 192 * 1024;
/// The longest name of a field.
pub const NAME: usize = 128;
/// The largest field number that is given; protobuf's own are from 19,000 on.
pub const NUMBER: u32 = 18_999;
