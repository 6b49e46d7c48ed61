//! The server's side of the resource service, whose watch answers bytes that were encoded once for all
//! watchers. All else is generated in `coeval-proto`.

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let protos = "../proto/proto";
    println!("cargo:rerun-if-changed={protos}");
    let mut compiler = protox::Compiler::new([protos])?;
    compiler.include_imports(true);
    compiler.open_file("coeval/resources/v1/resources.proto")?;
    let server = PathBuf::from(std::env::var("OUT_DIR")?).join("server");
    std::fs::create_dir_all(&server)?;
    let mut configured = tonic_prost_build::configure()
        .build_client(false)
        .build_transport(false)
        .codec_path("coeval_proto::strict::StrictCodec")
        .out_dir(server)
        .extern_path(
            ".coeval.resources.v1.WatchResourcesResponse",
            "crate::watching::WatchResponse",
        );
    for package in ["header", "resources"] {
        let (proto, ours) = (
            format!(".coeval.{package}.v1"),
            format!("crate::proto::{package}::v1"),
        );
        configured = configured.extern_path(proto, ours);
    }
    configured.compile_fds(compiler.file_descriptor_set())?;
    Ok(())
}
