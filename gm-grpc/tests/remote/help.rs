//! The help teaches: every command is explained, every argument, and how it is used; and shells can complete it all.

use crate::game::gm;

async fn says(arguments: &[&str]) -> String {
    let output = gm().args(arguments).output().await.expect("gm was built");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The subcommands that a help names, but for `help`.
fn commands(help: &str) -> Vec<String> {
    let after = help.split_once("\nCommands:\n").map(|(_, after)| after).unwrap_or_default();
    let lines = after.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.split_whitespace().next().map(str::to_owned));
    names.filter(|name| name != "help").collect()
}

#[tokio::test]
async fn every_command_is_explained() {
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(path) = open.pop() {
        let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
        arguments.push("--help");
        let help = says(&arguments).await;
        let inner = commands(&help);
        open.extend(inner.iter().map(|name| [path.clone(), vec![name.clone()]].concat()));
        seen += 1;
        let of_server = help.contains("--server <URL>");
        let mut lines = help.lines().peekable();
        assert!(lines.peek().is_some_and(|first| !first.is_empty()), "{path:?} says what it does");
        assert!(!of_server || help.contains("Example"), "{path:?} shows an example");
        while let Some(line) = lines.next() {
            let name = line.trim_start();
            let is_note = ["[default", "[possible", "[env", "- "].iter().any(|note| name.starts_with(note));
            let is_argument = line.starts_with("  ") && name.starts_with(['-', '[', '<']) && !is_note;
            if is_argument && name.split("  ").count() == 1 {
                let sentence = lines.peek().map(|next| next.trim()).unwrap_or_default();
                let is_one = sentence.split(' ').count() >= 2 && !sentence.starts_with('[');
                assert!(is_one, "{path:?}: {name} is explained: {sentence:?}");
            }
        }
    }
    assert!(seen > 50, "{seen} commands");
    let help = says(&["--help"]).await;
    for code in ["\n    3    the server can't be reached", "\n    4    not allowed", "\n    141 "] {
        assert!(help.contains(code), "{code:?} is not in {help}");
    }
}

#[tokio::test]
async fn shells_can_complete_it() {
    for (shell, word) in [("bash", "complete -F"), ("zsh", "#compdef gm"), ("fish", "complete -c gm")] {
        let script = says(&["completions", shell]).await;
        assert!(script.contains(word) && script.contains("correct-car"), "{shell}");
    }
}
