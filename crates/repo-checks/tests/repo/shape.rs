//! The shape of the code gets no worse, and moves towards its goals.

use crate::files::root;
use coeval_repo_checks::shape::goals::{CYCLE_GOAL, CYCLES, GOALS, what_got_worse};
use coeval_repo_checks::shape::{CrateFigures, WorkspaceFigures, measure, print_figures};

const ADVICE: &str = "Write it otherwise; `cargo run -p coeval-repo-checks --bin shape` shows all figures. \
     The bounds are in crates/repo-checks/src/shape/goals.rs and move towards their goals only.";

#[test]
fn no_figure_is_worse_than_its_bound() {
    let figures = measure(&root()).unwrap();
    println!("{}", print_figures(&figures));
    let worse = what_got_worse(&figures);
    assert!(worse.is_empty(), "{}\n{ADVICE}", worse.join("\n"));
    for (name, _) in CYCLES {
        let listed = figures.crates.iter().find(|one| one.name == *name);
        let size = listed.map_or(0, CrateFigures::largest_cycle);
        assert!(
            size > CYCLE_GOAL,
            "the largest cycle of {name} is {size}: remove it from CYCLES in goals.rs"
        );
    }
}

#[test]
fn no_bound_is_beyond_its_goal() {
    assert!(CYCLES.iter().all(|(_, bound)| *bound > CYCLE_GOAL));
    for goal in GOALS {
        let beyond = goal.is_reached(goal.bound) && goal.bound != goal.goal;
        assert!(!beyond, "{}: the goal is behind its bound", goal.title);
    }
}

#[test]
fn a_figure_that_got_worse_is_found() {
    let figures = |change: fn(&mut CrateFigures)| {
        let mut one = CrateFigures {
            name: "engine".to_owned(),
            is_product: true,
            ..CrateFigures::default()
        };
        change(&mut one);
        WorkspaceFigures::of(vec![one])
    };
    // an empty workspace lacks only what there should be more of
    let nothing = what_got_worse(&figures(|_| {}));
    assert_eq!(nothing.len(), 2, "{nothing:?}");
    for (change, title) in [
        (
            (|one| one.type_names = vec!["Found".to_owned()]) as fn(&mut CrateFigures),
            "one-word",
        ),
        (
            |one| one.type_names = vec!["TwoWords".to_owned(), "TwoWords".to_owned()],
            "shared",
        ),
        (|one| one.code_lines = 200_000, "lines of product code"),
        (|one| one.bool_matches = 1_000, "match on a bool"),
        (|one| one.silent_encodings = 1_000, "encodings"),
        (|one| one.retry_loops = 1_000, "loops of attempts"),
        (
            |one| one.cycles = vec![cycle(40)],
            "engine: a cycle of 40 modules",
        ),
    ] {
        let worse = what_got_worse(&figures(change));
        assert_eq!(worse.len(), 3, "{title}: {worse:?}");
        let told = worse.iter().any(|one| one.starts_with(title));
        assert!(told, "{title}: {worse:?}");
    }
}

fn cycle(size: usize) -> coeval_repo_checks::shape::ModuleCycle {
    coeval_repo_checks::shape::ModuleCycle {
        parent: "lib".to_owned(),
        members: (0..size).map(|number| format!("m{number}")).collect(),
        siblings: size,
    }
}
