//! The text of a package and its descriptor are the same file.

use super::*;
use crate::package::descriptor;
use prost_types::FileDescriptorProto;
use protox::file::{
    ChainFileResolver, File, FileResolver, GoogleFileResolver, IncludeFileResolver,
};
use std::collections::BTreeMap;

struct Given(String, String);

impl FileResolver for Given {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        if name != self.0 {
            return Err(protox::Error::file_not_found(name));
        }
        File::from_source(name, &self.1)
    }
}

fn compiled(layout: &PackageLayout) -> FileDescriptorProto {
    let mut files = ChainFileResolver::new();
    files.add(Given(layout.path(), layout.proto()));
    let proto = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto/proto");
    files.add(IncludeFileResolver::new(proto));
    files.add(GoogleFileResolver::new());
    let mut compiler = protox::Compiler::with_file_resolver(files);
    compiler.include_source_info(true);
    let opened = compiler.open_file(layout.path());
    opened.unwrap_or_else(|error| panic!("{error:?}\n{}", layout.proto()));
    compiler.file_descriptor_set().file.remove(0)
}

fn comments(file: &mut FileDescriptorProto) -> BTreeMap<Vec<i32>, String> {
    let locations = file.source_code_info.take().unwrap().location.into_iter();
    let told = locations.filter_map(|one| Some((one.path, one.leading_comments?)));
    told.collect()
}

#[test]
fn a_compiler_makes_of_the_text_what_the_descriptor_is() {
    let mut types: Vec<PackageLayout> = schemas()
        .into_iter()
        .map(|schema| layout_of(("acme", "app"), &[("1.0.0", schema)]))
        .collect();
    let old = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": "object"}}});
    let new =
        json!({"type": "object", "properties": {"d": {"type": "string"}, "b": {"type": "string"}}});
    types.push(layout_of(
        ("acme", "app"),
        &[("1.0.0", old), ("1.1.0", new)],
    ));
    for of in [
        ("acme", "google"),
        ("acme", "coeval"),
        ("acme", "task"),
        ("ACME-2", "myPolicy"),
        ("acme", "kept"),
        ("string", "message"),
    ] {
        types.push(layout_of(of, &[("0.1.0", everything())]));
    }
    for layout in types {
        let (mut text, mut own) = (compiled(&layout), descriptor::of(&layout.as_file()));
        assert_eq!(comments(&mut text), comments(&mut own), "{}", layout.path());
        assert_eq!(text, own, "{}", layout.proto());
        CompiledPackage::new(Arc::new(layout)).unwrap();
    }
}

#[test]
fn every_method_and_message_is_there_under_its_numbers() {
    let package = package(everything());
    for (method, input, output) in [
        ("CreateApp", "app=1", "app=1 task=2"),
        ("GetApp", "name=1 namespace=2", "app=1"),
        (
            "ListApps",
            "page_size=1 page_token=2 namespace=3 filter=4 order_by=5",
            "apps=1 next_page_token=2 quarantined=3",
        ),
        (
            "UpdateApp",
            "app=1 update_mask=2",
            "app=1 kept=2 dropped=3 task=4",
        ),
        ("UpsertApp", "app=1", "app=1 kept=2 dropped=3 task=4"),
        ("DeleteApp", "name=1 namespace=2 revision=3", ""),
        (
            "WatchApps",
            "namespace=1 name_prefix=2 labels=3 filter=4 from=5",
            "sequence=1 kind=2 changes=3",
        ),
    ] {
        let found = package.method(method).unwrap();
        let fields = |message: &prost_reflect::MessageDescriptor| {
            let fields = message
                .fields()
                .map(|field| format!("{}={}", field.name(), field.number()));
            fields.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            (
                fields(&found.descriptor.input()).as_str(),
                fields(&found.descriptor.output()).as_str()
            ),
            (input, output),
            "{method}"
        );
        assert!(method.starts_with(&format!("{:?}", found.verb)), "{method}");
    }
    assert!(package.method("FindApp").is_none());
    let service = package
        .pool
        .get_service_by_name("acme.app.v1.AppService")
        .unwrap();
    assert!(
        service
            .methods()
            .all(|method| method.is_server_streaming() == (method.name() == "WatchApps"))
    );
}
