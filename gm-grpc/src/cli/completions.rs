//! `gm completions`: what a shell needs to complete the command line of `gm`.
//!
//! ```text
//! gm completions bash > ~/.local/share/bash-completion/completions/gm
//! ```

use super::Failure;
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use std::io::{self, Write as _};

/// Print what a shell needs to complete the command line of gm
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Completions {
    /// Which shell
    #[arg(value_enum)]
    shell: Shell,
}

const EXAMPLES: &str = "Examples:

    gm completions bash > ~/.local/share/bash-completion/completions/gm
    gm completions zsh > ~/.zfunc/_gm
    gm completions fish > ~/.config/fish/completions/gm.fish";

impl Completions {
    pub(super) fn run(&self) -> Result<(), Failure> {
        // It is written at once: the generator does not expect a reader that goes away.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut super::Gm::command(), "gm", &mut script);
        let mut out = io::stdout().lock();
        out.write_all(&script)?;
        Ok(out.flush()?)
    }
}
