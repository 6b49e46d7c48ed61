//! What a read or a write at some version means for what is stored.
