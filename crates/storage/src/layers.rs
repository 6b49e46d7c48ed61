//! Layers: each wraps a store, knows one thing, and is a store itself.

pub mod checked;
pub mod faulty;
pub mod metered;
pub mod traced;

pub use checked::CheckedStore;
pub use faulty::{FaultPlan, FaultyStore, InjectedFault};
pub use metered::MeteredStore;
pub use traced::TracedStore;
