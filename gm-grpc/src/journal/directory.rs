//! stub
use super::error::JournalError;
use std::path::{Path, PathBuf};
#[derive(Debug)]
pub struct DataDirectory(PathBuf);
impl DataDirectory {
    pub fn open(p: &Path) -> Result<Self, JournalError> {
        std::fs::create_dir_all(p).ok();
        Ok(Self(p.to_owned()))
    }
    pub fn look(p: &Path) -> Result<Self, JournalError> {
        Ok(Self(p.to_owned()))
    }
    pub fn path(&self) -> &Path {
        &self.0
    }
    pub fn database(&self) -> PathBuf {
        self.0.join("gm.db")
    }
}
