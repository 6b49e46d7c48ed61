//! The derive of `CodeOf`.

use crate::attribute::{CodeAttribute, CodeSource};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Error, Result, Variant};

pub(crate) fn implementation(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(
            &input.ident,
            "only an enum has a code for each variant",
        ));
    };
    let arms: Vec<TokenStream> = data.variants.iter().map(arm).collect::<Result<_>>()?;
    let name = &input.ident;
    let visibility = &input.vis;
    let (for_all, of, such_that) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #for_all #name #of #such_that {
            /// Its code.
            #[must_use]
            #visibility const fn code(&self) -> ::coeval_codes::Code {
                match self { #(#arms)* }
            }
        }
    })
}

fn arm(variant: &Variant) -> Result<TokenStream> {
    let name = &variant.ident;
    match CodeAttribute::among(&variant.attrs)? {
        Some(CodeAttribute {
            source: Some(CodeSource::Named(code)),
            kind: None,
            advice: None,
        }) => {
            // With the span of the name, so that an unknown constant is reported there.
            let code = quote_spanned! { code.span() => ::coeval_codes::#code };
            Ok(quote! { Self::#name { .. } => #code, })
        }
        _ => Err(Error::new_spanned(
            name,
            "this variant needs #[code(NAME)] with a NAME of the table in coeval_codes, and no more",
        )),
    }
}
