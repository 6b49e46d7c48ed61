//! The texts in a Rust file, without those of its unit tests.

/// All string literals up to the tests; with the doc comments, which are help, if that is asked for.
pub(super) fn of(source: &str, with_help: bool) -> Vec<String> {
    let source = source.split("#[cfg(test)]\nmod tests {").next();
    let chars: Vec<char> = source.unwrap_or_default().chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let rest = &chars[at..];
        at += match rest {
            ['/', '/', ..] => {
                let line: String = rest.iter().take_while(|c| **c != '\n').collect();
                if with_help && line.starts_with("///") {
                    found.push(line.clone());
                }
                line.chars().count()
            }
            ['r', '"', ..] | ['r', '#', ..] => raw(rest, &mut found),
            ['"', ..] => quoted(rest, &mut found),
            ['\'', '\\', _, '\'', ..] => 4,
            ['\'', _, '\'', ..] => 3,
            _ => 1,
        };
    }
    found
}

/// `r#"…"#`; how long it is. A raw identifier is none.
fn raw(rest: &[char], found: &mut Vec<String>) -> usize {
    let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
    if rest.get(1 + hashes) != Some(&'"') {
        return 1;
    }
    let text: String = rest[2 + hashes..].iter().collect();
    let end = format!("\"{}", "#".repeat(hashes));
    let inside = text.split(&end).next().unwrap_or_default();
    found.push(inside.to_owned());
    2 + hashes + inside.chars().count() + end.len()
}

/// `"…"`; how long it is. A line that ends with `\` goes on without the spaces of the next.
fn quoted(rest: &[char], found: &mut Vec<String>) -> usize {
    let mut text = String::new();
    let mut at = 1;
    while at < rest.len() && rest[at] != '"' {
        match (rest[at], rest.get(at + 1)) {
            ('\\', Some('\n')) => {
                at += 2;
                while rest.get(at).is_some_and(|c| c.is_whitespace()) {
                    at += 1;
                }
            }
            ('\\', Some(escaped)) => {
                text.push(match escaped {
                    'n' => '\n',
                    't' => '\t',
                    other => *other,
                });
                at += 2;
            }
            (c, _) => {
                text.push(c);
                at += 1;
            }
        }
    }
    found.push(text);
    at + 1
}

#[test]
fn literals_are_found_and_nothing_else() {
    let source = r##"
        /// Help with --flag
        // no "comment"
        let a = "one \"two\"\n";
        let b = 'x'; let c = '"'; let d = '\'';
        let e = r#"raw "text""#; let r#type = "typed \
            on";
        fn f<'a>(x: &'a str) {}
"##;
    let expected = ["one \"two\"\n", "raw \"text\"", "typed on"];
    assert_eq!(of(source, false), expected);
    assert_eq!(of(source, true)[0], "/// Help with --flag");
    let with_tests = format!("{source}#[cfg(test)]\nmod tests {{ \"unseen\" }}");
    assert_eq!(of(&with_tests, false), expected);
}
