//! Places that a change may be at. More at such a place is more for the whole: none is under a
//! condition or `not`, and alternatives of `oneOf` are told apart by a property that is no place.

use crate::node::{Kind, Node, Rest, World};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Property(String),
    /// A property that is not declared, an item behind the first ones.
    Rest,
    Extension,
    /// Any value of a map, any item of a list.
    Each,
    Slot(usize),
    /// One of several schemas.
    Choice(usize),
    Definition(String),
}

impl World {
    pub(crate) fn places(&self) -> Vec<Vec<Step>> {
        let mut found = Vec::new();
        self.gather(&self.root, &mut Vec::new(), &mut found);
        found
    }

    fn gather(&self, node: &Node, path: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
        found.push(path.clone());
        for step in steps(node) {
            // Once around is enough.
            if matches!(step, Step::Definition(_)) && path.contains(&step) {
                continue;
            }
            path.push(step.clone());
            self.gather(self.child(node, &step), path, found);
            path.pop();
        }
    }

    pub(crate) fn child<'w>(&'w self, node: &'w Node, step: &Step) -> &'w Node {
        match (&node.kind, step) {
            (Kind::Object(object), Step::Property(name)) => {
                let field = object.fields.iter().find(|field| field.name == *name);
                &field.unwrap().node
            }
            (Kind::Object(object), Step::Extension) => object.extensions.as_ref().unwrap(),
            (Kind::Object(object), Step::Rest) => rest(&object.rest),
            (Kind::Tuple(tuple), Step::Rest) => rest(&tuple.rest),
            (Kind::Tuple(tuple), Step::Slot(number)) => &tuple.items[*number],
            (Kind::Map(map), _) => &map.value,
            (Kind::List(list), _) => &list.item,
            (Kind::Either(all) | Kind::All(all), Step::Choice(number)) => &all[*number],
            (Kind::Tagged(all), Step::Choice(number)) => &all[*number].1,
            (Kind::Ref(name), _) => &self.definitions[name],
            (kind, step) => panic!("no {step:?} in {kind:?}"),
        }
    }

    pub(crate) fn at(&self, path: &[Step]) -> &Node {
        let mut node = &self.root;
        for step in path {
            node = self.child(node, step);
        }
        node
    }

    pub(crate) fn replace(&mut self, path: &[Step], by: Node) {
        let jump = path
            .iter()
            .rposition(|step| matches!(step, Step::Definition(_)));
        let (mut node, path) = match jump {
            Some(jump) => {
                let Step::Definition(name) = &path[jump] else {
                    return;
                };
                (self.definitions.get_mut(name).unwrap(), &path[jump + 1..])
            }
            None => (&mut self.root, path),
        };
        for step in path {
            node = child_mut(node, step);
        }
        *node = by;
    }
}

fn steps(node: &Node) -> Vec<Step> {
    match &node.kind {
        Kind::Object(object) => {
            let fields = object.fields.iter();
            let mut steps: Vec<Step> = fields
                .map(|field| Step::Property(field.name.clone()))
                .collect();
            steps.extend(object.extensions.as_ref().map(|_| Step::Extension));
            steps.extend(matches!(object.rest, Rest::Schema(_)).then_some(Step::Rest));
            steps
        }
        Kind::Map(_) | Kind::List(_) => vec![Step::Each],
        Kind::Tuple(tuple) => {
            let mut steps: Vec<Step> = (0..tuple.items.len()).map(Step::Slot).collect();
            steps.extend(matches!(tuple.rest, Rest::Schema(_)).then_some(Step::Rest));
            steps
        }
        Kind::Either(all) | Kind::All(all) => (0..all.len()).map(Step::Choice).collect(),
        Kind::Tagged(all) => (0..all.len()).map(Step::Choice).collect(),
        Kind::Ref(name) => vec![Step::Definition(name.clone())],
        _ => Vec::new(),
    }
}

fn rest(rest: &Rest) -> &Node {
    match rest {
        Rest::Schema(node) => node,
        _ => panic!("no schema there"),
    }
}

fn child_mut<'w>(node: &'w mut Node, step: &Step) -> &'w mut Node {
    match (&mut node.kind, step) {
        (Kind::Object(object), Step::Property(name)) => {
            let field = object.fields.iter_mut().find(|field| field.name == *name);
            &mut field.unwrap().node
        }
        (Kind::Object(object), Step::Extension) => object.extensions.as_mut().unwrap(),
        (Kind::Object(object), _) => rest_mut(&mut object.rest),
        (Kind::Tuple(tuple), Step::Slot(number)) => &mut tuple.items[*number],
        (Kind::Tuple(tuple), _) => rest_mut(&mut tuple.rest),
        (Kind::Map(map), _) => &mut map.value,
        (Kind::List(list), _) => &mut list.item,
        (Kind::Either(all) | Kind::All(all), Step::Choice(number)) => &mut all[*number],
        (Kind::Tagged(all), Step::Choice(number)) => &mut all[*number].1,
        (kind, step) => panic!("no {step:?} in {kind:?}"),
    }
}

fn rest_mut(rest: &mut Rest) -> &mut Node {
    match rest {
        Rest::Schema(node) => node,
        _ => panic!("no schema there"),
    }
}
