//! Lines that show which field is inside of which.

/// What stands before each name, for levels in the order of a walk, parents first: `├─`, `└─`, and
/// `│` where a field around it has others below. Level 0 has nothing before it.
pub(crate) fn branches(levels: &[usize]) -> Vec<String> {
    // From the end: whether a level has another field before one of a lower level comes.
    let mut more: Vec<bool> = Vec::new();
    let mut lines: Vec<_> = levels
        .iter()
        .rev()
        .map(|level| line(*level, &mut more))
        .collect();
    lines.reverse();
    lines
}

fn line(level: usize, more: &mut Vec<bool>) -> String {
    more.resize(level + 1, false);
    let mut line = String::new();
    let around = more.iter().take(level).skip(1);
    line.extend(around.map(|more| if *more { "│  " } else { "   " }));
    if let (Some(more), 1..) = (more.last_mut(), level) {
        line.push_str(if *more { "├─ " } else { "└─ " });
        *more = true;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_hangs_on_the_one_that_it_is_inside_of() {
        let names = ["content", "a", "b", "c", "d", "e", "f"];
        let levels = [0, 1, 2, 3, 2, 1, 2];
        let drawn: Vec<_> = branches(&levels)
            .into_iter()
            .zip(names)
            .map(|(branch, name)| branch + name)
            .collect();
        assert_eq!(
            drawn,
            [
                "content",
                "├─ a",
                "│  ├─ b",
                "│  │  └─ c",
                "│  └─ d",
                "└─ e",
                "   └─ f",
            ]
        );
        assert!(branches(&[]).is_empty());
    }
}
