//! Filters and orders over what a caller sees: compiled once, evaluated often, indexes used where they help.
