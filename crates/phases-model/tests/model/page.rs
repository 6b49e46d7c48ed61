//! What the page says of the model is what the model says.
//!
//! With `COEVAL_WRITE_PAGE` set, the page and the traces are corrected instead. Tests then have to
//! run one after another, as they do with `--no-capture`.

use coeval_core::phases::{Phase, TABLE};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/phases.md");

fn read() -> String {
    std::fs::read_to_string(PAGE).expect(PAGE)
}

/// Whether what is kept is to be corrected.
pub(crate) fn writes() -> bool {
    std::env::var_os("COEVAL_WRITE_PAGE").is_some()
}

/// The part of the page between two marks is this text.
pub(crate) fn says(part: &str, text: &str) {
    let page = read();
    let (begin, end) = (
        format!("<!-- {part} -->\n"),
        format!("\n<!-- end: {part} -->"),
    );
    let from = page.find(&begin).expect(&begin) + begin.len();
    let to = page.find(&end).expect(&end);
    if writes() {
        let corrected = format!("{}{text}{}", &page[..from], &page[to..]);
        std::fs::write(PAGE, corrected).expect(PAGE);
    } else {
        assert_eq!(
            &page[from..to],
            text,
            "{PAGE}, {part}; COEVAL_WRITE_PAGE=1 corrects it"
        );
    }
}

/// A line of the page begins with this. It is not corrected: some of it is seen once, by somebody.
pub(crate) fn has_line(start: &str) {
    if writes() {
        return;
    }
    let found = read().lines().any(|line| line.starts_with(start));
    assert!(found, "{PAGE} has no line that begins with {start}");
}

#[test]
fn the_page_has_the_writes_deletes_and_truth_of_every_phase() {
    let page = read();
    for phase in Phase::ALL {
        let row = TABLE.row(phase);
        let expected = [
            format!("{:?}", row.writes).to_lowercase(),
            format!("{:?}", row.deletes).to_lowercase(),
            format!("{:?}", row.truth).to_lowercase(),
        ];
        let start = format!("| {phase} | ");
        let line = page.lines().find(|line| line.starts_with(&start));
        let cells: Vec<_> = line.expect(&start).split(" | ").collect();
        assert_eq!([cells[2], cells[3], cells[5]], expected, "{phase}");
    }
}
