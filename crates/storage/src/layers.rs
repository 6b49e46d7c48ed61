//! Layers: each wraps a store, knows one thing, and is a store itself.

pub mod checked;
pub mod faulty;
pub mod metered;
pub mod traced;

pub use checked::Checked;
pub use faulty::{Fault, FaultPlan, Faulty};
pub use metered::Metered;
pub use traced::Traced;
