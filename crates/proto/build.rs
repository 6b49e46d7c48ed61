//! Compiles our `.proto` files; no `protoc` is needed.

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
    tonic_prost_build::configure()
        .build_client(true)
        .build_transport(false)
        .bytes(".")
        .skip_debug(SECRET)
        .compile_fds(files)?;
    Ok(())
}
