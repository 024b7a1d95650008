//! Compiles `proto/` without protoc: the code of the messages and services, and the descriptors for reflection.

use prost::Message as _;
use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new("../proto");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files: Vec<PathBuf> = fs::read_dir(root.join("gm/v1"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_, std::io::Error>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "proto"));
    files.sort();

    let mut compiler = protox::Compiler::new([root])?;
    compiler.include_source_info(true).include_imports(true).open_files(files)?;
    let descriptors = compiler.file_descriptor_set();
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("gm.binpb"), descriptors.encode_to_vec())?;
    let mut config = tonic_prost_build::Config::new();
    config.enable_type_names();
    tonic_prost_build::configure().compile_fds_with_config(descriptors, config)?;
    Ok(())
}
