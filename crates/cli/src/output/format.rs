//! What `-o` takes.

use super::template::Template;
use clap_complete::engine::CompletionCandidate;
use std::str::FromStr;

/// The formats, each with what it is good for.
const FORMATS: [(&str, &str); 6] = [
    ("table", "columns for people"),
    ("wide", "the same with more columns"),
    ("yaml", "whole, as files have it"),
    ("json", "whole, for programs"),
    ("name", "KIND/NAME, a line for each"),
    ("jsonpath=", "what an expression finds, a line for each"),
];

/// How things are printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum OutputFormat {
    /// Columns.
    #[default]
    Table,
    /// More columns.
    Wide,
    /// Documents.
    Yaml,
    /// One object.
    Json,
    /// `app/web`
    Name,
    /// What an expression finds.
    JsonPath(Template),
}

impl FromStr for OutputFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(expression) = text.strip_prefix("jsonpath=") {
            return Template::parse(expression).map(Self::JsonPath);
        }
        match text {
            "table" => Ok(Self::Table),
            "wide" => Ok(Self::Wide),
            "yaml" => Ok(Self::Yaml),
            "json" => Ok(Self::Json),
            "name" => Ok(Self::Name),
            "jsonpath" => Err("write the expression after it: jsonpath='{.metadata.name}'".into()),
            _ => Err("the formats are table, wide, yaml, json, name and jsonpath=EXPR".into()),
        }
    }
}

impl OutputFormat {
    /// Whether people read it as it comes, rather than programs.
    pub(crate) const fn is_table(&self) -> bool {
        matches!(self, Self::Table | Self::Wide)
    }

    pub(crate) fn is_wide(&self) -> bool {
        *self == Self::Wide
    }
}

/// For completion.
pub(super) fn candidates() -> Vec<CompletionCandidate> {
    let formats = FORMATS.iter();
    let formats =
        formats.map(|(name, help)| CompletionCandidate::new(*name).help(Some((*help).into())));
    formats.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_that_is_offered_is_taken_and_another_is_told_which_there_are() {
        for (name, _) in FORMATS {
            let text = name.replace("jsonpath=", "jsonpath={.kind}");
            assert!(text.parse::<OutputFormat>().is_ok(), "{name}");
            let unknown = "xml".parse::<OutputFormat>().unwrap_err();
            assert!(unknown.contains(name), "{unknown}");
        }
        assert!("jsonpath".parse::<OutputFormat>().is_err());
        assert!("YAML".parse::<OutputFormat>().is_err());
    }
}
