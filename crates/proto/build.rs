//! Compiles our `.proto` files; no `protoc` is needed.

use protox::prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, Value,
};
use std::path::PathBuf;

/// The files, below `proto`.
const FILES: [&str; 16] = [
    "coeval/options/v1/options.proto",
    "coeval/releases/v1/releases.proto",
    "coeval/header/v1/header.proto",
    "coeval/errors/v1/errors.proto",
    "coeval/resources/v1/resources.proto",
    "coeval/types/v1/types.proto",
    "coeval/types/v1/interfaces.proto",
    "coeval/access/v1/access.proto",
    "coeval/access/v1/organizations.proto",
    "coeval/access/v1/users.proto",
    "coeval/access/v1/roles.proto",
    "coeval/access/v1/bundles.proto",
    "coeval/access/v1/sessions.proto",
    "coeval/tasks/v1/tasks.proto",
    "coeval/migrations/v1/status.proto",
    "coeval/migrations/v1/migrations.proto",
];

/// Messages with a password or a token, which must never be printed: `secret.rs` says how they are.
const SECRET: [&str; 5] = [
    ".coeval.access.v1.CreateUserRequest",
    ".coeval.access.v1.SetPasswordRequest",
    ".coeval.access.v1.LoginRequest",
    ".coeval.access.v1.LoginResponse",
    ".coeval.access.v1.CreateApiTokenResponse",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=proto");
    let mut compiler = protox::Compiler::new(["proto"])?;
    compiler.include_source_info(true).include_imports(true);
    compiler.open_files(FILES)?;
    let files = compiler.file_descriptor_set();
    // With comments: reflection gives them to those who ask. Encoded by the compiler, since prost's
    // own messages would drop what our options declare.
    let folder = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(
        folder.join("descriptors.bin"),
        compiler.encode_file_descriptor_set(),
    )?;
    // And as they are written, for those who want files.
    let mut sources = String::from("&[\n");
    for path in FILES {
        let text = std::fs::read_to_string(PathBuf::from("proto").join(path))?;
        sources += &format!("({path:?}, {text:?}),\n");
    }
    std::fs::write(folder.join("sources.rs"), sources + "]\n")?;
    let pool = compiler.descriptor_pool();
    std::fs::write(folder.join("messages.rs"), messages(&pool))?;
    std::fs::write(folder.join("methods.rs"), methods(&pool)?)?;
    tonic_prost_build::configure()
        .build_client(true)
        .build_transport(false)
        .bytes(".")
        .skip_debug(SECRET)
        .codec_path("crate::strict::StrictCodec")
        .compile_fds(files)?;
    Ok(())
}

/// `(name, &[(number, name, name of its message)])`, in order of names: what this release knows.
fn messages(pool: &DescriptorPool) -> String {
    let mut all: Vec<MessageDescriptor> = pool.all_messages().collect();
    all.retain(|one| one.full_name().starts_with("coeval."));
    all.sort_by(|a, b| a.full_name().cmp(b.full_name()));
    let mut table = String::from("&[\n");
    for message in all {
        table += &format!("({:?}, &[", message.full_name());
        let mut fields: Vec<_> = message.fields().collect();
        fields.sort_by_key(FieldDescriptor::number);
        for field in fields {
            let inner = match field.kind() {
                Kind::Message(inner) if inner.full_name().starts_with("coeval.") => {
                    inner.full_name().to_owned()
                }
                _ => String::new(),
            };
            table += &format!("({}, {:?}, {inner:?}), ", field.number(), field.name());
        }
        table += "]),\n";
    }
    table + "]\n"
}

/// `(path, request's message, &[newer fields])`, in order of paths.
fn methods(pool: &DescriptorPool) -> Result<String, Box<dyn std::error::Error>> {
    let services = pool.services();
    let services = services.filter(|one| one.full_name().starts_with("coeval."));
    let mut all: Vec<_> = services
        .flat_map(|service| service.methods().collect::<Vec<_>>())
        .map(|method| {
            let path = format!("/{}/{}", method.parent_service().full_name(), method.name());
            (path, method)
        })
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    let mut table = String::from("&[\n");
    let rules = pool
        .get_extension_by_name("coeval.options.v1.method")
        .ok_or("coeval.options.v1.method is not declared")?;
    for (path, method) in all {
        let input = method.input();
        let options = method.options();
        let since = match options.get_extension(&rules).as_ref() {
            Value::Message(rules) => text(rules, "since"),
            _ => String::new(),
        };
        let name = input.full_name();
        table += &format!(
            "KnownMethod {{ path: {path:?}, request: {name:?}, since: {since:?}, newer: &["
        );
        let mut newer = Vec::new();
        newer_fields(pool, &input, &mut Vec::new(), &mut newer)?;
        for (numbers, name, rules) in newer {
            table += &format!(
                "NewerField {{ path: &{numbers:?}, name: {name:?}, since: {:?}, ignorable: {}, without_it: {:?} }}, ",
                text(&rules, "since"),
                rules
                    .get_field_by_name("ignorable")
                    .is_some_and(|one| one.as_bool() == Some(true)),
                text(&rules, "without_it"),
            );
        }
        table += "] },\n";
    }
    Ok(table + "]\n")
}

fn text(rules: &DynamicMessage, field: &str) -> String {
    let found = rules.get_field_by_name(field);
    let found = found.as_deref().and_then(Value::as_str);
    found.unwrap_or_default().to_owned()
}

/// A field by its numbers from the request down, its name, and what is declared of it.
type Declared = (Vec<u32>, String, DynamicMessage);

/// The fields of a request that came with a later release than its method did; also inside of it, but
/// not inside of what contains itself.
fn newer_fields(
    pool: &DescriptorPool,
    message: &MessageDescriptor,
    above: &mut Vec<(u32, String)>,
    found: &mut Vec<Declared>,
) -> Result<(), Box<dyn std::error::Error>> {
    let rules = pool
        .get_extension_by_name("coeval.options.v1.field")
        .ok_or("coeval.options.v1.field is not declared")?;
    for field in message.fields() {
        if above.iter().any(|(_, name)| name == message.full_name()) {
            return Ok(());
        }
        let numbers = || {
            let above = above.iter().map(|(number, _)| *number);
            above.chain([field.number()]).collect::<Vec<_>>()
        };
        let options = field.options();
        if options.has_extension(&rules)
            && let Value::Message(rules) = options.get_extension(&rules).as_ref()
            && !text(rules, "since").is_empty()
        {
            found.push((numbers(), field.name().to_owned(), rules.clone()));
        }
        if let Kind::Message(inner) = field.kind()
            && inner.full_name().starts_with("coeval.")
        {
            above.push((field.number(), message.full_name().to_owned()));
            newer_fields(pool, &inner, above, found)?;
            above.pop();
        }
    }
    Ok(())
}
