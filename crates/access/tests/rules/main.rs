//! The rules of access as a whole: the golden matrix, the laws, what a decision costs.

mod cost;
mod laws;
mod matrix;
mod table;
mod world;
