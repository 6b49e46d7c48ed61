//! What became of fields, as people read it.

use super::fate::{FateKind, FieldFate, VersionComparison};
use crate::columns::{cut, pad, single_line, width, wrap};
use coeval_core::types::PathPattern;

/// A column is no wider than this.
const WIDEST: usize = 44;
const GAP: usize = 2;

pub(super) fn render(compared: &VersionComparison, room: Option<usize>) -> String {
    let room = room.unwrap_or(usize::MAX);
    let mut lines = vec![
        format!("{} {} -> {}", compared.of, compared.from, compared.to),
        format!("conversion: {}", compared.conversion),
    ];
    for loss in &compared.losses {
        let said = format!("{}: {}", loss.path, loss.what);
        let wrapped = wrap(&single_line(&said), room.saturating_sub(2));
        lines.extend(wrapped.iter().map(|line| format!("  {line}")));
    }
    lines.push(String::new());
    lines.extend(table(&compared.fields, room));
    lines
        .iter()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

fn table(fields: &[FieldFate], room: usize) -> Vec<String> {
    let rows: Vec<[String; 4]> = fields.iter().map(row).collect();
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let widths = cells.map(|cell| width(cell));
        widths.filter(|width| *width <= WIDEST).max().unwrap_or(0)
    };
    let widths = [widest(0), widest(1), widest(2)];
    let line = |row: &[String; 4]| {
        let mut line = String::new();
        let mut column = 0;
        for (cell, wide) in row.iter().zip(widths) {
            line.push_str(cell);
            column += wide + GAP;
            line = pad(&line, column);
            if width(&line) > column {
                line.push_str("  ");
            }
        }
        line.push_str(row.last().map_or("", String::as_str));
        cut(&line, room)
    };
    rows.iter().map(line).collect()
}

/// What it is, its type, what became of it, and more.
fn row(field: &FieldFate) -> [String; 4] {
    let sign = match field.fate {
        FateKind::Same if field.changes.is_empty() => ' ',
        FateKind::Added => '+',
        FateKind::Removed => '-',
        _ => '~',
    };
    let more = match field.fate {
        FateKind::Added | FateKind::Removed => field.notes.join(", "),
        _ => field.changes.join(", "),
    };
    [
        format!("{sign} {}", single_line(&dotted(&field.path))),
        field.types.clone(),
        single_line(&became(field)),
        single_line(&more),
    ]
}

fn became(field: &FieldFate) -> String {
    let places: Vec<_> = field.to.iter().map(dotted).collect();
    match field.fate {
        FateKind::Same if field.changes.is_empty() => "the same".to_owned(),
        FateKind::Same => "changed".to_owned(),
        FateKind::Renamed => format!("renamed to {}", places.join(", ")),
        FateKind::Moved if places.len() > 1 => format!("became {}", places.join(" and ")),
        FateKind::Moved => format!("moved to {}", places.join(", ")),
        FateKind::Removed => "removed, kept aside".to_owned(),
        FateKind::Added => "added".to_owned(),
    }
}

/// As it is asked for.
fn dotted(path: &PathPattern) -> String {
    path.to_string().trim_start_matches('/').replace('/', ".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_core::version::Version;

    fn field(path: &str, fate: FateKind, to: &[&str], changes: &[&str]) -> FieldFate {
        let pattern = |text: &str| PathPattern::parse(text).unwrap();
        FieldFate {
            path: pattern(path),
            fate,
            to: to.iter().map(|text| pattern(text)).collect(),
            types: "string".to_owned(),
            notes: vec!["required".to_owned()],
            changes: changes.iter().map(|&text| text.to_owned()).collect(),
        }
    }

    #[test]
    fn each_line_says_what_became_of_one_field() {
        let number = |text: &str| Version::parse_header(text).unwrap();
        let compared = VersionComparison {
            of: "acme:app".to_owned(),
            from: number("1.0"),
            to: number("1.1"),
            conversion: "exact",
            losses: Vec::new(),
            fields: vec![
                field("/same", FateKind::Same, &["/same"], &[]),
                field("/n", FateKind::Same, &["/n"], &["type string is integer"]),
                field("/nodes/*/img", FateKind::Renamed, &["/nodes/*/image"], &[]),
                field("/full", FateKind::Moved, &["/first", "/last"], &[]),
                field("/gone", FateKind::Removed, &[], &[]),
                field("/region", FateKind::Added, &[], &[]),
            ],
        };
        assert_eq!(
            render(&compared, None),
            "acme:app 1.0.0 -> 1.1.0\n\
             conversion: exact\n\
             \n\
             \x20 same         string  the same\n\
             ~ n            string  changed                   type string is integer\n\
             ~ nodes.*.img  string  renamed to nodes.*.image\n\
             ~ full         string  became first and last\n\
             - gone         string  removed, kept aside       required\n\
             + region       string  added                     required\n"
        );
        let narrow = render(&compared, Some(30));
        assert!(narrow.lines().all(|line| width(line) <= 30), "{narrow}");
    }
}
