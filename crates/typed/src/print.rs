//! The text of a package.

use crate::file::{Cardinality, PackageFile, ProtoField, ProtoMessage, ValueType};
use crate::layout::PackageLayout;
use std::fmt::Write as _;

impl PackageLayout {
    /// The `.proto` file.
    #[must_use]
    pub fn proto(&self) -> String {
        self.as_file().to_string()
    }
}

impl std::fmt::Display for PackageFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = ProtoText {
            out: String::from("syntax = \"proto3\";\n\n"),
            // A package called google or coeval would hide the real one.
            // Names of other files need a leading dot then.
            dot: self
                .package
                .split('.')
                .any(|part| matches!(part, "google" | "coeval")),
        };
        text.comment(0, &self.comment);
        text.line(0, &format!("package {};", self.package));
        text.out.push('\n');
        for import in &self.imports {
            text.line(0, &format!("import \"{import}\";"));
        }
        for message in &self.messages {
            text.out.push('\n');
            text.message(0, message);
        }
        text.out.push('\n');
        text.comment(0, &self.service.comment);
        text.line(0, &format!("service {} {{", self.service.name));
        for (at, method) in self.service.methods.iter().enumerate() {
            if at > 0 {
                text.out.push('\n');
            }
            text.comment(1, &method.comment);
            let (input, output) = (text.named(&method.input), text.named(&method.output));
            let stream = if method.streams { "stream " } else { "" };
            text.line(
                1,
                &format!("rpc {}({input}) returns ({stream}{output});", method.name),
            );
        }
        text.line(0, "}");
        f.write_str(&text.out)
    }
}

struct ProtoText {
    out: String,
    dot: bool,
}

impl ProtoText {
    fn line(&mut self, level: usize, text: &str) {
        let _ = writeln!(self.out, "{:indent$}{text}", "", indent = 2 * level);
    }

    fn comment(&mut self, level: usize, text: &str) {
        for line in comment_lines(text) {
            self.line(level, format!("//{line}").trim_end());
        }
    }

    fn message(&mut self, level: usize, message: &ProtoMessage) {
        self.comment(level, &message.comment);
        self.line(level, &format!("message {} {{", message.name));
        self.reserved(level + 1, &message.reserved);
        let inside = match message.oneof {
            None => level + 1,
            Some((name, comment)) => {
                self.comment(level + 1, comment);
                self.line(level + 1, &format!("oneof {name} {{"));
                level + 2
            }
        };
        for field in &message.fields {
            self.field(inside, field);
        }
        if message.oneof.is_some() {
            self.line(level + 1, "}");
        }
        for nested in &message.nested {
            self.out.push('\n');
            self.message(level + 1, nested);
        }
        self.line(level, "}");
    }

    fn reserved(&mut self, level: usize, reserved: &[(u32, String)]) {
        if reserved.is_empty() {
            return;
        }
        let numbers: Vec<String> = reserved
            .iter()
            .map(|(number, _)| number.to_string())
            .collect();
        let names: Vec<String> = reserved
            .iter()
            .map(|(_, name)| format!("\"{name}\""))
            .collect();
        self.line(level, &format!("reserved {};", numbers.join(", ")));
        self.line(level, &format!("reserved {};", names.join(", ")));
    }

    fn field(&mut self, level: usize, field: &ProtoField) {
        self.comment(level, &field.comment);
        let of = self.named(&field.of);
        let of = match field.cardinality {
            Cardinality::Plain => of,
            Cardinality::Optional => format!("optional {of}"),
            Cardinality::Repeated => format!("repeated {of}"),
            Cardinality::Map => format!("map<string, {of}>"),
        };
        let json = field
            .json
            .as_ref()
            .map(|json| format!(" [json_name = \"{json}\"]"));
        let json = json.unwrap_or_default();
        self.line(
            level,
            &format!("{of} {} = {}{json};", field.name, field.number),
        );
    }

    fn named(&self, of: &ValueType) -> String {
        let dot = if self.dot { "." } else { "" };
        match of {
            ValueType::String => "string".to_owned(),
            ValueType::Int32 => "int32".to_owned(),
            ValueType::Int64 => "int64".to_owned(),
            ValueType::Double => "double".to_owned(),
            ValueType::Bool => "bool".to_owned(),
            ValueType::Nested(name) | ValueType::Own(name) => name.clone(),
            ValueType::Message(name) | ValueType::Enum(name) => format!("{dot}{name}"),
        }
    }
}

/// The lines of a comment, each with the space in front. Whatever a schema says, nothing of it
/// gets out of the comment.
pub fn comment_lines(text: &str) -> Vec<String> {
    let clean = |line: &str| {
        let line: String = line.chars().filter(|c| !c.is_control()).collect();
        match line.trim_end() {
            "" => String::new(),
            line => format!(" {line}"),
        }
    };
    text.trim()
        .split(['\n', '\r', '\u{2028}', '\u{2029}'])
        .map(clean)
        .collect()
}
