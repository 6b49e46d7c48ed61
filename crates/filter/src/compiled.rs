//! A filter that was checked once and is evaluated often.

use crate::check::FieldCheck;
use crate::error::{FilterError, FilterLimit};
use crate::field::FilterField;
use crate::filter::{FieldComparison, FieldTest, Filter};
use crate::limits::{DEPTH, NODES};
use crate::view::FilterView;

/// A filter within its limits, with its operands read.
#[derive(Clone, Debug)]
pub struct CompiledFilter {
    root: FilterNode,
    needs_content: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum FilterNode {
    And(Vec<Self>),
    Or(Vec<Self>),
    Not(Box<Self>),
    Test {
        field: FilterField,
        check: FieldCheck,
    },
}

impl Filter {
    /// Checks it against the limits and reads its operands.
    ///
    /// # Errors
    ///
    /// If it is too large, or an operand does not fit its field or comparison; with the place that the front end gave.
    pub fn compile(&self) -> Result<CompiledFilter, FilterError> {
        let mut left = NODES;
        let root = compile(self, DEPTH, &mut left)?;
        let needs_content = root.needs_content();
        Ok(CompiledFilter {
            root,
            needs_content,
        })
    }

    /// The same text for the same filter, in every release: what a page token is bound to.
    ///
    /// # Errors
    /// If it can't be written as JSON: nothing is bound to less than the whole of it.
    pub fn fingerprint(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}

impl CompiledFilter {
    /// Whether the resource is wanted.
    #[must_use]
    pub fn matches(&self, seen: &(impl FilterView + ?Sized)) -> bool {
        self.root.matches(seen)
    }

    /// Whether a comparison looks into the content; if none does, it is never asked for.
    #[must_use]
    pub const fn needs_content(&self) -> bool {
        self.needs_content
    }

    pub(crate) const fn root(&self) -> &FilterNode {
        &self.root
    }
}

impl FilterNode {
    fn needs_content(&self) -> bool {
        match self {
            Self::And(nodes) | Self::Or(nodes) => nodes.iter().any(Self::needs_content),
            Self::Not(node) => node.needs_content(),
            Self::Test { field, .. } => field.is_content(),
        }
    }

    fn matches(&self, seen: &(impl FilterView + ?Sized)) -> bool {
        match self {
            Self::And(nodes) => nodes.iter().all(|node| node.matches(seen)),
            Self::Or(nodes) => nodes.iter().any(|node| node.matches(seen)),
            Self::Not(node) => !node.matches(seen),
            Self::Test { field, check } => check.passes(field, seen),
        }
    }
}

fn compile(filter: &Filter, levels: usize, left: &mut usize) -> Result<FilterNode, FilterError> {
    // Levels and nodes are bounded, because filters are evaluated for each resource of a list.
    let Some(levels) = levels.checked_sub(1) else {
        return Err(FilterError::too_much(FilterLimit::Depth).placed(place(filter)));
    };
    take(left, 1, place(filter))?;
    Ok(match filter {
        Filter::And(filters) => FilterNode::And(compile_all(filters, levels, left)?),
        Filter::Or(filters) => FilterNode::Or(compile_all(filters, levels, left)?),
        Filter::Not(filter) => FilterNode::Not(Box::new(compile(filter, levels, left)?)),
        Filter::Test(FieldTest { field, compare, at }) => {
            // A list of operands costs as much as comparisons of its own.
            if let FieldComparison::In(operands) = compare {
                take(left, operands.len(), *at)?;
            }
            // Operands are read here, once, and their errors say where in the filter they are.
            let check = FieldCheck::of(field, compare).map_err(|error| error.placed(*at))?;
            FilterNode::Test {
                field: field.clone(),
                check,
            }
        }
    })
}

fn compile_all(
    filters: &[Filter],
    levels: usize,
    left: &mut usize,
) -> Result<Vec<FilterNode>, FilterError> {
    let nodes = filters.iter().map(|filter| compile(filter, levels, left));
    let mut nodes: Vec<_> = nodes.collect::<Result<_, _>>()?;
    // What the header decides is decided before the content is built.
    nodes.sort_by_key(FilterNode::needs_content);
    Ok(nodes)
}

fn take(left: &mut usize, nodes: usize, at: Option<usize>) -> Result<(), FilterError> {
    let refusal = || FilterError::too_much(FilterLimit::Nodes).placed(at);
    *left = left.checked_sub(nodes).ok_or_else(refusal)?;
    Ok(())
}

const fn place(filter: &Filter) -> Option<usize> {
    match filter {
        Filter::Test(test) => test.at,
        _ => None,
    }
}
