//! What is to go, as the options in our `.proto` files declare it: methods tell it in the metadata of
//! their answers, and all of it is listed.

use crate::pool::FIXED;
use coeval_releases::{DeprecatedItem, ReleaseDeprecation};
use http::{HeaderMap, HeaderName, HeaderValue};
use prost_reflect::{DescriptorPool, DynamicMessage, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// By path.
static METHODS: LazyLock<BTreeMap<String, ReleaseDeprecation>> = LazyLock::new(|| methods(&FIXED));

/// Says in an answer that its method is to go, if it is.
pub(crate) fn tell(headers: &mut HeaderMap, path: &str) {
    if let Some(deprecation) = METHODS.get(path) {
        write(headers, deprecation);
    }
}

fn write(headers: &mut HeaderMap, deprecation: &ReleaseDeprecation) {
    for (name, date) in deprecation.headers() {
        let value = HeaderValue::from_str(&date).ok();
        headers.extend(value.map(|value| (HeaderName::from_static(name), value)));
    }
}

/// Everything in the gRPC API that is deprecated.
#[must_use]
pub fn deprecations() -> Vec<DeprecatedItem> {
    all(&FIXED)
}

fn all(pool: &DescriptorPool) -> Vec<DeprecatedItem> {
    let methods = methods(pool).into_iter();
    let methods = methods.map(|(name, deprecation)| DeprecatedItem {
        what: "method",
        name,
        deprecation,
    });
    methods.chain(fields(pool)).collect()
}

fn methods(pool: &DescriptorPool) -> BTreeMap<String, ReleaseDeprecation> {
    let services = pool.services();
    let methods = services.flat_map(|service| service.methods().collect::<Vec<_>>());
    let declared = methods.filter_map(|method| {
        let path = format!("/{}/{}", method.parent_service().full_name(), method.name());
        let declared = declared(pool, &method.options(), "coeval.options.v1.method");
        declared.map(|deprecation| (path, deprecation))
    });
    declared.collect()
}

fn fields(pool: &DescriptorPool) -> Vec<DeprecatedItem> {
    let messages = pool.all_messages();
    let fields = messages.flat_map(|message| message.fields().collect::<Vec<_>>());
    let declared = fields.filter_map(|field| {
        let deprecation = declared(pool, &field.options(), "coeval.options.v1.field")?;
        Some(DeprecatedItem {
            what: "field",
            name: field.full_name().to_owned(),
            deprecation,
        })
    });
    declared.collect()
}

/// What our options of this name declare.
fn declared(
    pool: &DescriptorPool,
    options: &DynamicMessage,
    name: &str,
) -> Option<ReleaseDeprecation> {
    // The pool may be without our options file: then nothing is declared.
    let extension = pool.get_extension_by_name(name)?;
    if !options.has_extension(&extension) {
        return None;
    }
    let rules = options.get_extension(&extension);
    let rules = rules.as_message()?;
    // prost-reflect answers an empty message for one that is absent.
    if !rules.has_field_by_name("deprecated") {
        return None;
    }
    let deprecated = rules.get_field_by_name("deprecated")?;
    let deprecated = deprecated.as_message()?;
    let text = |field: &str| {
        let found = deprecated.get_field_by_name(field);
        found
            .as_deref()
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    Some(ReleaseDeprecation {
        since: text("since").parse().ok()?,
        last_used_in: text("last_used_in").parse().ok()?,
        removed_in: text("removed_in").parse().ok()?,
        // Once for each that is compiled into the binary.
        instead: text("instead").leak(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_releases::CURRENT;

    const OLD: &str = r#"
        syntax = "proto3";
        package test.v1;
        import "coeval/options/v1/options.proto";
        service Foos {
          rpc GetFoos(GetFoosRequest) returns (GetFoosResponse) {
            option deprecated = true;
            option (coeval.options.v1.method) = {deprecated: {
              since: "0.2.0" last_used_in: "0.1.0" removed_in: "0.3.0" instead: "ListFoos"
            }};
          }
          rpc ListFoos(GetFoosRequest) returns (GetFoosResponse);
        }
        message GetFoosRequest {}
        message GetFoosResponse {
          bool contains_duplicates = 1 [deprecated = true, (coeval.options.v1.field) = {deprecated: {
            since: "0.2.0" last_used_in: "0.1.0" removed_in: "0.3.0" instead: "duplicate_count"
          }}];
          int32 duplicate_count = 2;
        }
    "#;

    fn pool() -> DescriptorPool {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("test.proto"), OLD).unwrap();
        let ours = concat!(env!("CARGO_MANIFEST_DIR"), "/../proto/proto");
        let mut compiler = protox::Compiler::new([folder.path(), ours.as_ref()]).unwrap();
        compiler
            .include_imports(true)
            .open_file("test.proto")
            .unwrap();
        DescriptorPool::decode(compiler.encode_file_descriptor_set().as_slice()).unwrap()
    }

    #[test]
    fn a_method_and_a_field_that_are_to_go_are_listed_with_their_releases() {
        let found = all(&pool());
        let names: Vec<_> = found
            .iter()
            .map(|one| (one.what, one.name.as_str()))
            .collect();
        let field = "test.v1.GetFoosResponse.contains_duplicates";
        assert_eq!(
            names,
            [("method", "/test.v1.Foos/GetFoos"), ("field", field)]
        );
        assert_eq!(found[1].deprecation.instead, "duplicate_count");
        assert_eq!(found[0].deprecation.removed_in.to_string(), "0.3.0");
    }

    #[test]
    fn the_answer_of_such_a_method_says_since_when_and_until_when() {
        let mut headers = HeaderMap::new();
        write(&mut headers, &all(&pool())[0].deprecation);
        assert_eq!(headers["deprecation"], "@1800230400");
        assert_eq!(headers["sunset"], "Mon, 19 Apr 2027 00:00:00 GMT");
    }

    #[test]
    fn what_we_declare_ourselves_is_sound() {
        for item in deprecations() {
            assert_eq!(item.deprecation.faults(CURRENT), [], "{item:?}");
        }
    }
}
