//! Reads `#[code(…)]`.

use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, Ident, Result, Token};

/// Where the code comes from.
pub(crate) enum CodeSource {
    /// A constant of the table.
    Named(Ident),
    /// The only field.
    Transparent(Ident),
    /// Another error.
    From(Box<Expr>),
}

/// What one attribute declares, each part at most once.
#[derive(Default)]
pub(crate) struct CodeAttribute {
    pub(crate) source: Option<CodeSource>,
    pub(crate) kind: Option<Expr>,
    pub(crate) advice: Option<Expr>,
}

impl CodeAttribute {
    /// The attribute among those of a type or variant, if it is there.
    pub(crate) fn among(attributes: &[Attribute]) -> Result<Option<Self>> {
        let mut ours = attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("code"));
        let Some(first) = ours.next() else {
            return Ok(None);
        };
        if let Some(second) = ours.next() {
            return Err(syn::Error::new_spanned(second, "a second #[code(…)]"));
        }
        first.parse_args().map(Some)
    }

    fn read_part(&mut self, input: ParseStream<'_>) -> Result<()> {
        let word: Ident = input.parse()?;
        let name = word.to_string();
        if !input.peek(Token![=]) {
            let source = match name.as_str() {
                "transparent" => CodeSource::Transparent(word.clone()),
                _ if is_constant(&name) => CodeSource::Named(word.clone()),
                _ => return Err(unknown(&word)),
            };
            return put(&mut self.source, source, &word);
        }
        input.parse::<Token![=]>()?;
        match name.as_str() {
            "from" => put(
                &mut self.source,
                CodeSource::From(Box::new(input.parse()?)),
                &word,
            ),
            "kind" => put(&mut self.kind, input.parse()?, &word),
            "advice" => put(&mut self.advice, input.parse()?, &word),
            _ => Err(unknown(&word)),
        }
    }
}

impl Parse for CodeAttribute {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut attribute = Self::default();
        while !input.is_empty() {
            attribute.read_part(input)?;
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(attribute)
    }
}

fn put<T>(place: &mut Option<T>, value: T, word: &Ident) -> Result<()> {
    if place.is_some() {
        return Err(syn::Error::new_spanned(
            word,
            format!("`{word}` contradicts what is before it"),
        ));
    }
    *place = Some(value);
    Ok(())
}

fn is_constant(name: &str) -> bool {
    name.chars()
        .all(|one| one.is_ascii_uppercase() || one.is_ascii_digit() || one == '_')
}

fn unknown(word: &Ident) -> syn::Error {
    syn::Error::new_spanned(
        word,
        format!(
            "`{word}` is not known: write #[code(NAME, advice = …)] with a NAME of the table in \
             coeval_codes, #[code(transparent)] or #[code(from = …)], and kind = … if needed"
        ),
    )
}
