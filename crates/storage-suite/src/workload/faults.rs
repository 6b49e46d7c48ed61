//! Random faults.

use super::Dice;
use coeval_storage::layers::{Fault, FaultPlan};
use std::sync::Mutex;
use std::time::Duration;

/// One operation in eight meets a fault of some kind; every other watch is cut.
#[derive(Debug)]
pub struct RandomFaults(Mutex<Dice>);

impl RandomFaults {
    /// From a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(Mutex::new(Dice::new(seed)))
    }

    fn draw<T>(&self, draw: impl FnOnce(&mut Dice) -> T) -> T {
        draw(&mut self.0.lock().expect("dice"))
    }
}

fn delay(dice: &mut Dice) -> Fault {
    Fault::Delay(Duration::from_millis(dice.below(15) as u64))
}

impl FaultPlan for RandomFaults {
    fn read(&self) -> Option<Fault> {
        self.draw(|dice| match dice.below(32) {
            0 => Some(Fault::ErrorBefore),
            1 => Some(Fault::ErrorAfter),
            2 | 3 => Some(delay(dice)),
            _ => None,
        })
    }

    fn write(&self) -> Option<Fault> {
        self.draw(|dice| match dice.below(32) {
            0 => Some(Fault::ErrorBefore),
            1 => Some(Fault::ErrorAfter),
            2 => Some(Fault::UnknownBefore),
            3 => Some(delay(dice)),
            _ => None,
        })
    }

    fn watch(&self) -> Option<Fault> {
        self.draw(|dice| match dice.below(4) {
            0 => Some(Fault::ErrorBefore),
            1 => Some(delay(dice)),
            _ => Some(Fault::CutWatch(dice.below(60))),
        })
    }
}
