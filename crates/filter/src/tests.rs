//! What filters and orders promise.

mod comparisons;
mod limits;
mod ordering;
mod paths;
mod patterns;
mod planning;
mod resource;
