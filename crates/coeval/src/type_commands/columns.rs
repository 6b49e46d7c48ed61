//! Text for a terminal, as all commands print it.

pub(super) use coeval_cli::columns::{cut, harmless, pad, plain, width, wrap};
