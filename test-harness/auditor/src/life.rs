//! R-10: the life of a race: what is made at first, what is commanded, when it ends.
//!
//! ```text
//! preparing → running ⇄ paused → finished; turn 10 of 10 was completed: race_finished, last_turn
//! ```

use crate::command::{Arrival, Command};
use crate::event::{BonusEffect, BonusPlan, Encounter, Ending, Event, Often};
use crate::judge::{Judge, Talk};
use crate::model::{Bonus, Phase};
use crate::record::{Outcome, Port};
use crate::word::Kind;

/// The most that a random bonus is worth: dollars, points, squares (R-12.1).
const MOST_DOLLARS: u32 = 10;
const MOST_POINTS: u32 = 5;
const MOST_SQUARES: u32 = 6;

/// How many effects a random bonus is drawn from.
const RANDOM_EFFECTS: usize = 8;

impl Judge {
    /// R-10.5, R-12.1: the race is made.
    pub(crate) fn creates(&mut self, revision: u32, seed: u64) {
        let rules = self.model.rules.clone();
        self.expect("R-10.5", Event::RaceCreated { revision, seed, rules: Box::new(rules.clone()) });
        let chosen = u32::try_from(rules.bonuses.len()).unwrap_or(u32::MAX);
        for (bonus, plan) in (1..).zip(rules.bonuses) {
            self.expect("R-12.1", Event::BonusPlaced { bonus, plan });
        }
        for bonus in (1..=rules.random_bonuses).map(|number| chosen.saturating_add(number)) {
            self.draws_bonus(bonus);
        }
    }

    /// R-12.1: a bonus whose place and effect are drawn.
    fn draws_bonus(&mut self, bonus: u32) {
        let taken: Vec<u32> = self.model.bonuses.values().map(|bonus| bonus.plan.place).collect();
        let drawn = self.draw("R-12.1", &format!("bonus {bonus} to be placed"), |event| match event {
            Event::BonusPlaced { bonus: number, plan } if *number == bonus => Some(plan.clone()),
            _ => None,
        });
        let Some(BonusPlan { place, effect, often, hidden }) = drawn else { return };
        let length = self.model.rules.track_length;
        if place >= length || taken.contains(&place) {
            self.wrong("R-12.1", format!("bonus {bonus} stands on place {place}, which is not free"));
        }
        if often != Often::Once || !hidden {
            self.wrong("R-12.1", "a random bonus is hidden, and can be taken once");
        }
        let (which, amount, most) = match effect {
            BonusEffect::Dollars(amount) => (0, amount, MOST_DOLLARS),
            BonusEffect::Points(amount) => (1, amount, MOST_POINTS),
            BonusEffect::Module(Kind::Engine) => (2, 1, 1),
            BonusEffect::Module(Kind::Weapon) => (3, 1, 1),
            BonusEffect::Advance(amount) => (4, amount, MOST_SQUARES),
            BonusEffect::Back(amount) => (5, amount, MOST_SQUARES),
            BonusEffect::MissTurn => (6, 1, 1),
            BonusEffect::ClearMisses => (7, 1, 1),
            BonusEffect::Module(Kind::Pilot) => {
                self.wrong("R-12.1", "a random bonus is no pilot");
                return;
            }
        };
        if amount == 0 || amount > most {
            self.wrong("R-12.1", format!("a random bonus of {amount}, where 1 to {most} are drawn"));
        }
        self.tally.evenly("R-12.1", "effect of a random bonus", RANDOM_EFFECTS, which);
        if most > 1 && amount > 0 {
            let name = ["dollars", "points", "", "", "squares on", "squares back"].get(which).unwrap_or(&"");
            let name = format!("{name} of a random bonus");
            self.tally.evenly("R-12.1", &name, most as usize, amount as usize - 1);
        }
        let free = (0..length).filter(|place| !taken.contains(place));
        let quarter = |at: usize, of: usize| at * 4 / of.max(1);
        let of = free.clone().count();
        if let Some(at) = free.clone().position(|free| free == place)
            && of >= 4
        {
            let shares: Vec<f64> = (0..4)
                .map(|part| (0..of).filter(|at| quarter(*at, of) == part).count() as f64 / of as f64)
                .collect();
            self.tally.with_shares("R-12.1", "place of a random bonus", &shares, quarter(at, of));
        }
    }

    /// R-3.0: commands take effect in order of arrival.
    pub(crate) fn commands(&mut self, arrivals: &[Arrival], settled: &[Option<String>]) {
        if arrivals.len() != settled.len() {
            self.wrong("R-3.0", format!("{} commands, and {} settled", arrivals.len(), settled.len()));
        }
        for (arrival, refused) in arrivals.iter().zip(settled) {
            if refused.is_some() {
                if matches!(arrival.command, Command::Register(_)) {
                    self.passes_over(&format!("t{}-command{}-c0", self.turn, arrival.no));
                }
                if let Some(must) = self.must_be_taken(&arrival.command) {
                    self.wrong(must, format!("{:?} is refused: {refused:?}", arrival.command));
                }
            } else {
                self.command(arrival);
            }
        }
        self.greets();
    }

    /// The rule by which a command can't be refused, as far as the rule book says.
    fn must_be_taken(&self, command: &Command) -> Option<&'static str> {
        match command {
            Command::Start if self.model.phase == Phase::Preparing => Some("R-10.1"),
            Command::Pause if self.model.phase == Phase::Running => Some("R-10.1"),
            Command::Resume if self.model.phase == Phase::Paused => Some("R-10.1"),
            Command::Finish if self.model.phase == Phase::Running => Some("R-10.2"),
            Command::Grant { team, dollars } if *dollars > 0 && self.has_team(*team) => Some("R-10.4"),
            _ => None,
        }
    }

    fn has_team(&self, team: u32) -> bool {
        self.model.teams.contains_key(&team)
    }

    /// Nothing but corrections after the end (R-10.3).
    fn only_before_the_end(&mut self, command: &Command) {
        let allowed = matches!(
            command,
            Command::CorrectCar(_)
                | Command::CorrectTeam(_)
                | Command::Grant { .. }
                | Command::Complain { .. }
                | Command::AnswerComplaint { .. }
                | Command::Award { .. }
                | Command::PublishHint { .. }
                | Command::Reveal { .. }
        );
        if self.model.phase == Phase::Finished && !allowed {
            self.wrong("R-10.3", format!("after the end {command:?} is accepted"));
        }
    }

    fn phase_is(&mut self, rule: &'static str, phases: &[Phase]) {
        if !phases.contains(&self.model.phase) {
            let phase = self.model.phase;
            self.wrong(rule, format!("it is accepted while the race is {phase:?}"));
        }
    }

    /// A command that was accepted.
    fn command(&mut self, arrival: &Arrival) {
        let Arrival { no, command } = arrival;
        self.only_before_the_end(command);
        match command.clone() {
            Command::CreateTeam { name, budget } => {
                let team = self.model.teams.keys().next_back().map_or(1, |last| last.saturating_add(1));
                if self.model.teams.values().any(|team| team.name == name) {
                    self.wrong("R-1.1", format!("there are two teams {name:?}"));
                }
                let budget = budget.unwrap_or(u64::from(self.model.rules.initial_budget));
                self.expect("R-1.1", Event::TeamCreated { team, name, budget });
            }
            Command::Register(application) => self.registers(*no, &application),
            Command::Start => {
                self.phase_is("R-10.1", &[Phase::Preparing]);
                self.expect("R-10.1", Event::RaceStarted {});
            }
            Command::Pause => {
                self.phase_is("R-10.1", &[Phase::Running]);
                self.expect("R-10.1", Event::RacePaused {});
            }
            Command::Resume => {
                self.phase_is("R-10.1", &[Phase::Paused]);
                self.expect("R-10.1", Event::RaceResumed {});
            }
            Command::Finish => self.finishes(Ending::Admin),
            Command::Grant { team, dollars } => {
                self.expect("R-10.4", Event::BudgetGranted { team, dollars });
            }
            Command::Declare { encounter, cars } => {
                self.expect("R-3.3", Event::EncounterDeclared { encounter, cars });
            }
            Command::SetOdds(odds) => {
                let sum = [odds.nothing, odds.pirates, odds.garage, odds.wreck, odds.minefield]
                    .into_iter()
                    .fold(0, u32::saturating_add);
                if sum != 100 {
                    self.wrong("R-3.3", format!("the odds add up to {sum}"));
                }
                self.expect("R-3.3", Event::OddsSet { odds });
            }
            Command::PlaceBonus(plan) => {
                let taken = |bonus: &Bonus| bonus.plan.place == plan.place && !bonus.is_used_up();
                if self.model.bonuses.values().any(taken) || plan.place >= self.model.rules.track_length {
                    self.wrong("R-12.1", format!("place {} is not free for a bonus", plan.place));
                }
                let bonus = self.model.bonuses_placed.saturating_add(1);
                self.expect("R-12.3", Event::BonusPlaced { bonus, plan });
            }
            Command::RemoveBonus(bonus) => {
                let place = self.model.bonuses.get(&bonus).map(|bonus| bonus.plan.place);
                match place {
                    Some(place) => self.expect("R-12.3", Event::BonusRemoved { bonus, place }),
                    None => self.wrong("R-12.3", format!("there is no bonus {bonus} to be removed")),
                }
            }
            Command::Transfer(transfer) => self.asks_for_transfer(transfer),
            Command::CorrectCar(correction) => self.corrects_car(*no, &correction),
            Command::CorrectTeam(correction) => self.corrects_team(&correction),
            Command::Complain { team, turn, text } => {
                let number =
                    self.model.complaints.keys().next_back().map_or(1, |last| last.saturating_add(1));
                self.expect("R-10.3", Event::ComplaintFiled { number, team, turn, text });
            }
            Command::AnswerComplaint { number, text } => match self.model.complaints.get(&number).copied() {
                Some(team) => self.expect("R-10.3", Event::ComplaintAnswered { number, team, text }),
                None => self.wrong("R-10.3", format!("there is no complaint {number} to be answered")),
            },
            Command::Award { team, achievement } => self.awards_by_hand(team, achievement),
            Command::PublishHint { achievement, text } => {
                self.expect("R-9.1", Event::HintPublished { achievement, text });
            }
            Command::Reveal { achievement } => {
                self.expect("R-9.1", Event::AchievementRevealed { achievement })
            }
        }
    }

    /// R-10.2: the race ends, with the awards of the end.
    pub(crate) fn finishes(&mut self, ending: Ending) {
        if self.model.phase == Phase::Finished {
            self.wrong("R-10.2", "the race has ended before");
        }
        self.expect("R-10.2", Event::RaceFinished { ending });
        self.scored();
    }

    /// R-10.2: whether a turn was the last one, and why.
    pub(crate) fn ends(&mut self) -> Option<Ending> {
        let rules = &self.model.rules;
        let (limit, last, idle) = (rules.running_time, rules.max_turns, rules.idle_turns);
        let clock = Talk { chain: format!("t{}", self.turn), team: None, car: None, url: String::new() };
        let mut time_up = false;
        if self.is_asked(&clock.chain, Port::RaceClock) {
            let struck = self.exchange("R-10.2", &clock, Port::RaceClock, &format!("TIME {limit} s"));
            time_up = struck.is_some_and(|struck| struck.outcome == Outcome::TimeIsUp(None));
        }
        if time_up {
            Some(Ending::TimeUp)
        } else if last.is_some_and(|last| self.turn >= last) {
            Some(Ending::LastTurn)
        } else if self.model.idle >= idle {
            Some(Ending::NobodyLeft)
        } else {
            None
        }
    }

    /// R-3.3: what was declared for a car.
    pub(crate) fn declared(&self, car: u32) -> Option<Encounter> {
        let declared = &self.model.declared;
        declared.cars.get(&car).copied().or(declared.all)
    }
}
