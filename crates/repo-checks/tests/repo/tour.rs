//! The blocks of a document that a reader would paste, and what they should show.

/// A block of commands, with its output where the document shows one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) line: usize,
    pub(crate) commands: String,
    pub(crate) shows: Option<String>,
}

/// All ```` ```sh ```` blocks; a ```` ```text ```` block right after one is its output.
pub(crate) fn blocks(document: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open: Option<(&str, usize, String)> = None;
    for (number, line) in (1..).zip(document.lines()) {
        let fence = line.strip_prefix("```");
        match (&mut open, fence) {
            (None, Some(kind)) => open = Some((kind.trim(), number, String::new())),
            (None, None) => {}
            (Some((_, _, body)), None) => {
                body.push_str(line);
                body.push('\n');
            }
            (Some(_), Some(_)) => match open.take() {
                Some(("sh", line, commands)) => found.push(Block {
                    line,
                    commands,
                    shows: None,
                }),
                Some(("text", _, shows)) => {
                    if let Some(last) = found.last_mut().filter(|last| last.shows.is_none()) {
                        last.shows = Some(shows);
                    }
                }
                _ => {}
            },
        }
    }
    found
}

/// Whether the output is as shown; `…` stands for anything.
pub(crate) fn fits(shown: &str, output: &str) -> bool {
    let (shown, output) = (shown.trim_end(), output.trim_end());
    let Some((first, after)) = shown.split_once('…') else {
        return shown == output;
    };
    let (middle, last) = after.rsplit_once('…').unwrap_or(("", after));
    let inside = output
        .strip_prefix(first)
        .and_then(|rest| rest.strip_suffix(last));
    let Some(mut rest) = inside else {
        return false;
    };
    for part in middle.split('…') {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    true
}

#[test]
fn blocks_are_found_with_their_output() {
    let document =
        "# T\n```sh\na\nb\n```\nthen\n```text\nout\n```\n```sh\nc\n```\n```toml\nk = 1\n```\n";
    let found = blocks(document);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].commands, "a\nb\n");
    assert_eq!(found[0].line, 2);
    assert_eq!(found[0].shows.as_deref(), Some("out\n"));
    assert_eq!(found[1].shows, None);
}

#[test]
fn an_ellipsis_stands_for_anything_and_nothing_else_does() {
    for (shown, output, expected) in [
        ("a\n", "a\n", true),
        ("a", "a b", false),
        ("a…", "a b\nc", true),
        ("…c", "a b c", true),
        ("…c", "c c", true),
        ("a…c", "a b c d", false),
        ("a … c … e", "a 1 c 2 e", true),
        ("a … c … e", "a 1 e", false),
        ("b", "a", false),
        ("…", "", true),
    ] {
        assert_eq!(fits(shown, output), expected, "{shown:?} {output:?}");
    }
}
