//! What each command of a batch is answered with.
//!
//! Three teams register a car at once, and all three are settled together: each is told of its own car, and of nobody
//! else's. Commands are settled in order of arrival, so the events that answer them come in that order too.

use crate::journal::Numbered;
use gm_core::race::Event;
use gm_core::race::command::Command;

/// For each command the event that answers it: of a registration that it was accepted or refused, of a new team its id.
/// None for commands that are answered by being carried out, and for those that were refused.
pub(super) fn told<'c>(
    commands: impl Iterator<Item = (&'c Command, bool)>,
    events: &[Numbered],
) -> Vec<Option<Numbered>> {
    let mut rest = events.iter();
    let answer = |(command, is_carried_out): (&Command, bool)| {
        let is_answered = is_carried_out && is_answered_by_an_event(command);
        is_answered.then(|| rest.by_ref().find(|numbered| answers(&numbered.event, command)).cloned())?
    };
    commands.map(answer).collect()
}

fn is_answered_by_an_event(command: &Command) -> bool {
    match command {
        Command::CreateTeam { .. } | Command::Register(_) | Command::Complain { .. } => true,
        Command::Start
        | Command::Pause
        | Command::Resume
        | Command::Finish
        | Command::Grant { .. }
        | Command::Declare { .. }
        | Command::SetOdds(_)
        | Command::PlaceBonus(_)
        | Command::RemoveBonus(_)
        | Command::Transfer(_)
        | Command::CorrectCar(_)
        | Command::CorrectTeam(_)
        | Command::AnswerComplaint { .. }
        | Command::Award { .. }
        | Command::PublishHint { .. }
        | Command::Reveal { .. } => false,
    }
}

fn answers(event: &Event, command: &Command) -> bool {
    matches!(
        (command, event),
        (Command::CreateTeam { .. }, Event::TeamCreated { .. })
            | (Command::Register(_), Event::CarRegistered { .. } | Event::RegistrationRefused { .. })
            | (Command::Complain { .. }, Event::ComplaintFiled { .. })
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Numbers;
    use gm_core::ids::{Dollars, TeamId, TurnNo};
    use gm_core::race::command::Application;

    /// Each is told of its own, also where others were refused or are answered by nothing.
    #[test]
    fn each_is_told_of_its_own() {
        let team = |name: &str| Command::CreateTeam { name: name.to_owned(), budget: None };
        let car =
            |team| Command::Register(Application { team: TeamId(team), instance: "i".into(), url: None });
        let grant = Command::Grant { team: TeamId(1), dollars: Dollars(1) };
        let complaint = Command::Complain { team: TeamId(1), turn: TurnNo(0), text: "?".into() };
        let created = |team, name: &str| Event::TeamCreated {
            team: TeamId(team),
            name: name.to_owned(),
            budget: Dollars(0),
        };
        let refused = |team| Event::RegistrationRefused {
            team: TeamId(team),
            instance: "i".into(),
            reasons: Vec::new(),
            accepted: Vec::new(),
        };
        let filed = Event::ComplaintFiled { number: 1, team: TeamId(1), turn: TurnNo(0), text: "?".into() };
        let events = [
            created(1, "a"),
            Event::BudgetGranted { team: TeamId(1), dollars: Dollars(1) },
            refused(1),
            created(2, "b"),
            refused(2),
            refused(1),
            filed,
        ];
        let mut numbers = Numbers::default();
        let events: Vec<_> = events.into_iter().map(|event| numbers.next(event)).collect();
        let commands = [
            (team("a"), true, Some(1)),
            (team("a"), false, None),
            (grant, true, None),
            (car(1), true, Some(3)),
            (team("b"), true, Some(4)),
            (car(9), false, None),
            (car(2), true, Some(5)),
            (car(1), true, Some(6)),
            (complaint, true, Some(7)),
        ];
        let told = told(commands.iter().map(|(command, is_ok, _)| (command, *is_ok)), &events);
        let numbers: Vec<_> = told.iter().map(|told| told.as_ref().map(|told| told.sequence)).collect();
        assert_eq!(numbers, commands.iter().map(|(_, _, no)| *no).collect::<Vec<_>>());
    }
}
