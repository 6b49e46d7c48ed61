//! Type versions: their file, their schema, what they declare.
