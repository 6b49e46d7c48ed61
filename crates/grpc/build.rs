//! Compiles our `.proto` files; no `protoc` is needed.

use prost::Message as _;
use std::path::PathBuf;

/// The files, below `proto`.
const FILES: [&str; 3] = [
    "coeval/header/v1/header.proto",
    "coeval/errors/v1/errors.proto",
    "coeval/resources/v1/resources.proto",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=proto");
    let mut compiler = protox::Compiler::new(["proto"])?;
    compiler.include_source_info(true).include_imports(true);
    compiler.open_files(FILES)?;
    let files = compiler.file_descriptor_set();
    // With comments: reflection gives them to those who ask.
    let folder = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(folder.join("descriptors.bin"), files.encode_to_vec())?;
    tonic_prost_build::configure()
        .build_client(true)
        .build_transport(false)
        .bytes(".")
        .compile_fds(files)?;
    Ok(())
}
