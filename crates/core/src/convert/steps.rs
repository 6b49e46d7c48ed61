//! The steps, one file each.

mod add;
mod convert;
mod copy;
mod each;
mod join;
mod keyed;
mod map;
mod move_to;
mod nest;
mod parse;
mod pick;
mod remove;
mod rename;
mod scale;
mod split;
#[cfg(test)]
mod testing;
mod unnest;
mod unwrap;
mod value;
mod when;
mod wrap;

pub(crate) use parse::parsed;

use super::program_builder::{ProgramBuilder, StepArgs, StepFlaw};
use super::step::DirectedStep;

/// How a step is made of its arguments.
type StepReader =
    fn(&mut StepArgs<'_>, &mut ProgramBuilder<'_>) -> Result<Vec<DirectedStep>, StepFlaw>;

/// Every step by its name. A new one is a file and a line here.
pub(crate) const ALL: &[(&str, StepReader)] = &[
    ("rename", rename::read),
    ("move", move_to::read),
    ("add", add::read),
    ("remove", remove::read),
    ("copy", copy::read),
    ("wrap", wrap::read),
    ("unwrap", unwrap::read),
    ("nest", nest::read),
    ("unnest", unnest::read),
    ("map", map::read),
    ("convert", convert::read),
    ("scale", scale::read),
    ("split", split::read),
    ("join", join::read),
    ("pick", pick::read),
    ("keyed", keyed::read),
    ("parse", parse::read),
    ("each", each::read),
    ("when", when::read),
];
