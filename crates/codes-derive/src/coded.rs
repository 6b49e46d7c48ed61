//! The derive of `Coded`.

use crate::attribute::{CodeAttribute, CodeSource};
use crate::bindings::{advice, names, pattern};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Error, Expr, Fields, Ident, Result};

/// The bodies of the three methods of one case, and what is to be checked of it.
struct CodedCase {
    code: TokenStream,
    kind: TokenStream,
    advice: TokenStream,
    check: TokenStream,
}

/// A name, the pattern of its fields, and the case.
type NamedCase = (TokenStream, TokenStream, CodedCase);

pub(crate) fn implementation(input: &DeriveInput) -> Result<TokenStream> {
    let cases = cases(input)?;
    let arms = |body: fn(&CodedCase) -> &TokenStream| -> TokenStream {
        let arms = cases.iter().map(|(name, fields, case)| {
            let body = body(case);
            quote! { #name #fields => #body, }
        });
        arms.collect()
    };
    let codes = arms(|case| &case.code);
    let kinds = arms(|case| &case.kind);
    let advices = arms(|case| &case.advice);
    let checks = cases.iter().map(|(.., case)| &case.check);
    let name = &input.ident;
    let (for_all, of, such_that) = input.generics.split_for_impl();
    // Every field is bound, because what is declared may name any of them.
    Ok(quote! {
        #[automatically_derived]
        #[allow(unused_variables)]
        impl #for_all ::coeval_codes::Coded for #name #of #such_that {
            fn code(&self) -> ::coeval_codes::Code {
                use ::coeval_codes::Coded as _;
                match self { #codes }
            }

            fn error_kind(&self) -> ::coeval_codes::ErrorKind {
                use ::coeval_codes::Coded as _;
                match self { #kinds }
            }

            fn advice(&self) -> ::std::string::String {
                use ::coeval_codes::Coded as _;
                match self { #advices }
            }
        }

        #(#checks)*
    })
}

fn cases(input: &DeriveInput) -> Result<Vec<NamedCase>> {
    let whole = CodeAttribute::among(&input.attrs)?;
    match &input.data {
        Data::Struct(data) => {
            let attribute = whole.ok_or_else(|| without_code(input.ident.span(), "struct"))?;
            let case = case(&input.ident, &data.fields, attribute)?;
            Ok(vec![(quote! { Self }, pattern(&data.fields), case)])
        }
        Data::Enum(data) => {
            let whole = whole.unwrap_or_default();
            match &whole.source {
                // Passing an error on needs a field, which only a variant has.
                Some(CodeSource::Transparent(word)) => return Err(not_for_all(word)),
                Some(CodeSource::From(error)) => return Err(not_for_all(error)),
                Some(CodeSource::Named(_)) | None => {}
            }
            all_of(data.variants.iter().map(|variant| {
                let own = CodeAttribute::among(&variant.attrs)?;
                let attribute = inherit(own, &whole, &variant.ident)?;
                let name = &variant.ident;
                let case = case(name, &variant.fields, attribute)?;
                Ok((quote! { Self::#name }, pattern(&variant.fields), case))
            }))
        }
        Data::Union(_) => Err(Error::new_spanned(&input.ident, "a union is no error")),
    }
}

/// What a variant declares, completed by what its enum declares for all.
fn inherit(
    own: Option<CodeAttribute>,
    whole: &CodeAttribute,
    variant: &Ident,
) -> Result<CodeAttribute> {
    let mut own = own.unwrap_or_default();
    match (&own.source, &whole.source) {
        (Some(_), Some(_)) => {
            return Err(Error::new_spanned(
                variant,
                "the code is declared on the enum or on each variant, not on both",
            ));
        }
        (None, Some(CodeSource::Named(name))) => own.source = Some(CodeSource::Named(name.clone())),
        (None, _) => return Err(without_code(variant.span(), "variant")),
        (Some(_), None) => {}
    }
    // What another error says is better than what holds in general.
    if matches!(own.source, Some(CodeSource::Named(_))) {
        own.advice = own.advice.or_else(|| whole.advice.clone());
        if own.kind.is_none() {
            own.kind = whole.kind.as_ref().map(in_general);
        }
    }
    Ok(own)
}

/// A kind for all variants, of which some may have a code that says the same: not checked.
fn in_general(kind: &Expr) -> Expr {
    let kind = kind_value(kind);
    // In braces it is no plain name any more, and the check asks only for those.
    syn::parse_quote! { { #kind } }
}

fn case(name: &Ident, fields: &Fields, attribute: CodeAttribute) -> Result<CodedCase> {
    let Some(source) = attribute.source else {
        return Err(without_code(name.span(), "struct"));
    };
    let kind = attribute.kind.as_ref().map(kind_value);
    let said = attribute.advice.as_ref().map(advice);
    let error = match source {
        CodeSource::Named(code) => {
            let code_span = code.span();
            let code = quote_spanned! { code_span => ::coeval_codes::#code };
            let said = said.ok_or_else(|| {
                Error::new(
                    code_span,
                    "what is to be done? add advice = … beside the code",
                )
            })?;
            let check = attribute
                .kind
                .filter(is_name)
                .map(|kind| check(&code, &kind));
            return Ok(CodedCase {
                kind: kind.unwrap_or_else(|| quote! { #code.kind() }),
                code,
                advice: said,
                check: check.unwrap_or_default(),
            });
        }
        CodeSource::Transparent(word) => match names(fields).as_slice() {
            [only] => quote! { #only },
            _ => {
                return Err(Error::new_spanned(
                    word,
                    "`transparent` needs exactly one field; name an error with from = …",
                ));
            }
        },
        CodeSource::From(error) => quote! { (#error) },
    };
    Ok(CodedCase {
        code: quote! { #error.code() },
        kind: kind.unwrap_or_else(|| quote! { #error.error_kind() }),
        advice: said.unwrap_or_else(|| quote! { #error.advice() }),
        check: TokenStream::new(),
    })
}

fn not_for_all(of: &impl ToTokens) -> Error {
    Error::new_spanned(of, "declare this on each variant that passes an error on")
}

fn is_name(kind: &Expr) -> bool {
    matches!(kind, Expr::Path(path) if path.path.get_ident().is_some())
}

/// `NotFound` as `ErrorKind::NotFound`; any other expression as it is.
fn kind_value(kind: &Expr) -> TokenStream {
    if is_name(kind) {
        return quote_spanned! { kind.span() => ::coeval_codes::ErrorKind::#kind };
    }
    quote! { #kind }
}

/// A code is declared once, and so is its kind.
fn check(code: &TokenStream, kind: &Expr) -> TokenStream {
    let value = kind_value(kind);
    quote_spanned! { kind.span() =>
        const _: () = ::std::assert!(
            #code.kind() as u8 != #value as u8,
            "the table in coeval_codes has this kind for the code already: leave `kind` out",
        );
    }
}

fn without_code(span: Span, what: &str) -> Error {
    Error::new(
        span,
        format!(
            "this {what} has no error code: add #[code(NAME, advice = …)] with a NAME of the table \
             in coeval_codes, or #[code(transparent)] if its field has one"
        ),
    )
}

/// All results, or all errors in one.
fn all_of<T>(results: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    let mut values = Vec::new();
    let mut errors: Option<Error> = None;
    for result in results {
        match (result, &mut errors) {
            (Ok(value), _) => values.push(value),
            (Err(error), Some(errors)) => errors.combine(error),
            (Err(error), None) => errors = Some(error),
        }
    }
    errors.map_or(Ok(values), Err)
}
