//! Text for a terminal, as all commands print it.

pub(crate) use coeval_cli::columns::{cut, harmless, pad, plain, width, wrap};
