//! Random faults.

use super::SeededDice;
use coeval_storage::layers::{FaultPlan, InjectedFault};
use std::sync::Mutex;
use std::time::Duration;

/// One operation in eight meets a fault of some kind; every other watch is cut.
#[derive(Debug)]
pub struct RandomFaults(Mutex<SeededDice>);

impl RandomFaults {
    /// From a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(Mutex::new(SeededDice::new(seed)))
    }

    fn draw<T>(&self, draw: impl FnOnce(&mut SeededDice) -> T) -> T {
        draw(&mut self.0.lock().expect("dice"))
    }
}

fn delay(dice: &mut SeededDice) -> InjectedFault {
    InjectedFault::Delay(Duration::from_millis(dice.below(15) as u64))
}

impl FaultPlan for RandomFaults {
    fn read(&self) -> Option<InjectedFault> {
        self.draw(|dice| match dice.below(32) {
            0 => Some(InjectedFault::ErrorBefore),
            1 => Some(InjectedFault::ErrorAfter),
            2 | 3 => Some(delay(dice)),
            _ => None,
        })
    }

    fn write(&self) -> Option<InjectedFault> {
        self.draw(|dice| match dice.below(32) {
            0 => Some(InjectedFault::ErrorBefore),
            1 => Some(InjectedFault::ErrorAfter),
            2 => Some(InjectedFault::UnknownBefore),
            3 => Some(delay(dice)),
            _ => None,
        })
    }

    fn watch(&self) -> Option<InjectedFault> {
        self.draw(|dice| match dice.below(4) {
            0 => Some(InjectedFault::ErrorBefore),
            1 => Some(delay(dice)),
            _ => Some(InjectedFault::CutWatch(dice.below(60))),
        })
    }
}
