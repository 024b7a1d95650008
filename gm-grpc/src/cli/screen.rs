//! The live view on a terminal: the cars on the ring, the standings, the last events, and what the race waits for.

use super::report::{Report, Waiting, Wish};
use super::table;
use crate::journal::Numbered;
use gm_core::contract::Kind;
use gm_core::ids::TurnNo;
use gm_core::race::scoring::standings;
use gm_core::race::state::{Car, Status};
use gm_core::race::{Event, Race};
use ratatui::crossterm::event::{self, Event as Input, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Cell, Gauge, List, Paragraph, Row, Table};
use ratatui::{DefaultTerminal, Frame};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::time::Duration;

/// How many of the last events are kept to be shown.
const LAST_EVENTS: usize = 200;

/// How many keys are read at most before the screen is drawn again.
const KEYS_AT_ONCE: usize = 32;

/// The colours of the teams, in turn.
const COLOURS: [Color; 6] =
    [Color::Cyan, Color::Yellow, Color::Magenta, Color::Green, Color::Blue, Color::Red];

/// The live view.
pub(super) struct Screen {
    terminal: Option<DefaultTerminal>,
    shown: Shown,
}

/// What the screen shows apart from the race itself.
struct Shown {
    last: VecDeque<String>,
    waiting: Waiting,
    colours: bool,
    is_kept: bool,
    ends: bool,
}

impl Screen {
    /// Makes a screen; it takes over the terminal when the race begins. `is_kept`: a race that is ended by its spectator
    /// can go on later.
    pub(super) fn new(is_kept: bool) -> Screen {
        let colours = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Screen { terminal: None, shown: Shown::new(colours, is_kept) }
    }

    fn draw(&mut self, race: &Race) -> io::Result<()> {
        let Screen { terminal, shown } = self;
        if let Some(terminal) = terminal {
            terminal.draw(|frame| shown.draw(frame, race))?;
        }
        Ok(())
    }

    fn close(&mut self) {
        if self.terminal.take().is_some() {
            ratatui::restore();
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.close();
    }
}

impl Report for Screen {
    fn begins(&mut self, race: &Race, _: Option<TurnNo>) -> io::Result<()> {
        self.terminal = Some(ratatui::try_init()?);
        self.draw(race)
    }

    fn happened(&mut self, race: &Race, events: &[Numbered]) -> io::Result<()> {
        self.shown.note(events);
        self.draw(race)
    }

    fn waits(&mut self, race: &Race, waiting: &Waiting) -> io::Result<Wish> {
        for _ in 0..KEYS_AT_ONCE {
            if !event::poll(Duration::ZERO)? {
                break;
            }
            match wish_of(&event::read()?) {
                Wish::Stop if self.shown.ends => return Ok(Wish::Stop),
                Wish::Stop | Wish::End => self.shown.ends = true,
                Wish::GoOn => {}
            }
        }
        self.shown.waiting = waiting.clone();
        self.draw(race)?;
        Ok(if self.shown.ends { Wish::End } else { Wish::GoOn })
    }

    fn ends(&mut self, race: &Race) -> io::Result<()> {
        self.close();
        let mut out = io::stdout().lock();
        write!(out, "{}", table::as_text(race))?;
        out.flush()
    }
}

/// What a key says. The terminal is in raw mode, where Ctrl-C is a key like any other: it stops the race at once where
/// it is to end already.
fn wish_of(input: &Input) -> Wish {
    match input {
        Input::Key(key) if key.kind != KeyEventKind::Press => Wish::GoOn,
        Input::Key(key) => match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Wish::Stop,
            KeyCode::Char('q') | KeyCode::Esc => Wish::End,
            _ => Wish::GoOn,
        },
        _ => Wish::GoOn,
    }
}

impl Shown {
    fn new(colours: bool, is_kept: bool) -> Shown {
        Shown { last: VecDeque::new(), waiting: Waiting::Answers(Vec::new()), colours, is_kept, ends: false }
    }

    /// Keeps what is worth telling of these events.
    fn note(&mut self, events: &[Numbered]) {
        for Numbered { event, .. } in events {
            match event {
                Event::TurnStarted { turn } => self.last.push_back(format!("turn {turn}")),
                Event::TurnCompleted { .. }
                | Event::PriorityDrawn { .. }
                | Event::Scored { .. }
                | Event::CarMoved { .. }
                | Event::TurnMissed { .. }
                | Event::DuelStarted { .. } => {}
                event => self.last.push_back(format!("  {event}")),
            }
        }
        let too_many = self.last.len().saturating_sub(LAST_EVENTS);
        self.last.drain(..too_many);
    }

    fn draw(&self, frame: &mut Frame<'_>, race: &Race) {
        let [title, middle, progress, waiting] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Min(0),
            Constraint::Length(1),
            Constraint::Length(1),
        ])
        .areas(frame.area());
        let (cars, standings, events) = panes(middle, race);
        let ends = if self.is_kept { "interrupts" } else { "ends" };
        let headline =
            format!(" gm · turn {} · seed {} · q {ends} the race after the turn", race.turn, race.seed);
        frame.render_widget(Paragraph::new(headline).bold(), title);
        self.draw_cars(frame, race, cars);
        self.draw_standings(frame, race, standings);
        let fit = usize::from(events.height.saturating_sub(2));
        let lines =
            self.last.iter().skip(self.last.len().saturating_sub(fit)).map(|line| Line::raw(line.as_str()));
        frame.render_widget(List::new(lines).block(Block::bordered().title(" what happens ")), events);
        draw_progress(frame, race, progress);
        frame.render_widget(Paragraph::new(self.waiting_for()).dim(), waiting);
    }

    fn draw_cars(&self, frame: &mut Frame<'_>, race: &Race, area: Rect) {
        // What the other columns, the gaps between them, the border and the bar's tip leave for the bar.
        const BESIDE_THE_BAR: u16 = 14 + 6 + 9 + 20 + 4 + 2 + 1;
        let width = usize::from(area.width.saturating_sub(BESIDE_THE_BAR));
        let rows = race.cars.values().map(|car| {
            let bar = bar(race.place_of(car).0, race.rules.track_length, width);
            let modules = Kind::ALL.map(|kind| car.counts().of(kind).to_string()).join("/");
            let name = format!("{} {}", car.id, car.instance);
            let row = Row::new([
                Cell::from(Span::styled(name, self.colour(car))),
                Cell::from(Span::styled(bar, self.colour(car))),
                Cell::from(Line::from(car.square.to_string()).right_aligned()),
                Cell::from(modules),
                Cell::from(condition(car)),
            ]);
            if car.is_retired() { row.dim() } else { row }
        });
        let widths = [
            Constraint::Length(14),
            Constraint::Min(0),
            Constraint::Length(6),
            Constraint::Length(9),
            Constraint::Length(20),
        ];
        let header = Row::new(["car", "on the ring", "square", "e/p/w", ""]).bold();
        let title = format!(" the ring of {} squares ", race.rules.track_length);
        let table = Table::new(rows, widths).header(header).block(Block::bordered().title(title));
        frame.render_widget(table, area);
    }

    fn draw_standings(&self, frame: &mut Frame<'_>, race: &Race, area: Rect) {
        // Rank, name and points always; what else there is room for beside them.
        let columns = match area.width {
            0..38 => 3,
            38..46 => 4,
            _ => 5,
        };
        let rows = standings(race).into_iter().filter_map(|standing| {
            let team = race.teams.get(&standing.team)?;
            let cells = [
                Cell::from(standing.rank.to_string()),
                Cell::from(Span::styled(team.name.as_str(), self.team_colour(team.id.0))),
                Cell::from(format!("{} VP", standing.points)),
                Cell::from(format!("{} won", standing.fights_won)),
                Cell::from(format!("{} medals", team.medals.len())),
            ];
            Some(Row::new(cells.into_iter().take(columns)))
        });
        let widths = [
            Constraint::Length(3),
            Constraint::Min(10),
            Constraint::Length(7),
            Constraint::Length(6),
            Constraint::Length(9),
        ]
        .into_iter()
        .take(columns);
        let table = Table::new(rows, widths).block(Block::bordered().title(" standings "));
        frame.render_widget(table, area);
    }

    fn waiting_for(&self) -> String {
        match &self.waiting {
            Waiting::NextTurn(seconds) => format!(" the next turn starts in {seconds} s"),
            Waiting::Journal(why) => format!(" the race is suspended: {why}"),
            Waiting::Answers(who) if who.is_empty() => String::new(),
            Waiting::Answers(who) => format!(" waiting for {}", who.join(", ")),
        }
    }

    fn colour(&self, car: &Car) -> Style {
        self.team_colour(car.team.0)
    }

    fn team_colour(&self, team: u32) -> Style {
        let colour = COLOURS[team as usize % COLOURS.len()];
        if self.colours { Style::new().fg(colour) } else { Style::new() }
    }
}

/// Below this width, in characters, the panes stand under each other.
const NARROW: u16 = 110;

/// Where the cars, the standings and the events are shown.
fn panes(area: Rect, race: &Race) -> (Rect, Rect, Rect) {
    let rows = |count: usize, others: u16| u16::try_from(count).unwrap_or(u16::MAX).saturating_add(others);
    let standings = rows(race.teams.len(), 2).min(area.height / 2);
    if area.width < NARROW {
        let cars = rows(race.cars.len(), 3).min(area.height / 2);
        let [cars, below] = Layout::vertical([Constraint::Length(cars), Constraint::Min(0)]).areas(area);
        let [standings, events] =
            Layout::horizontal([Constraint::Percentage(40), Constraint::Percentage(60)]).areas(below);
        (cars, standings, events)
    } else {
        let [cars, right] =
            Layout::horizontal([Constraint::Percentage(60), Constraint::Percentage(40)]).areas(area);
        let [standings, events] =
            Layout::vertical([Constraint::Length(standings), Constraint::Min(0)]).areas(right);
        (cars, standings, events)
    }
}

/// What keeps a car from moving on, in few words.
fn condition(car: &Car) -> String {
    match &car.status {
        Status::Entered => "starts next turn".to_owned(),
        Status::Racing if car.turns_to_miss > 0 => format!("misses {}", car.turns_to_miss),
        Status::Racing => String::new(),
        Status::Retired { reason, turn } => format!("t{turn}: {reason}"),
    }
}

/// How far the race is, where the rules say how many turns there are.
fn draw_progress(frame: &mut Frame<'_>, race: &Race, area: Rect) {
    let Some(most) = race.rules.max_turns else { return };
    let done = f64::from(race.turn.0.min(most)) / f64::from(most.max(1));
    let gauge = Gauge::default().ratio(done).label(format!("turn {} of {most}", race.turn));
    frame.render_widget(gauge, area);
}

/// A place on the ring as a bar of at most `width` characters.
fn bar(place: u32, track_length: u32, width: usize) -> String {
    let filled = place as usize * width / track_length.max(1) as usize;
    "━".repeat(filled) + "▶"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::table::tests::{a_race, an_event};
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::crossterm::event::KeyEvent;

    fn screen(width: u16, height: u16) -> String {
        let race = a_race();
        let mut shown = Shown::new(true, false);
        shown.note(&[an_event()]);
        shown.waiting = Waiting::Answers(vec!["car 3 (duel)".into()]);
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen in memory");
        terminal.draw(|frame| shown.draw(frame, &race)).expect("a screen in memory");
        terminal.backend().to_string()
    }

    /// Also on a terminal of the usual size: who is there, where, in which condition, and what happens.
    #[test]
    fn the_screen_shows_the_race() {
        for (width, height) in [(120, 30), (110, 24), (80, 24)] {
            let shown = screen(width, height);
            for expected in [
                "seed 7",
                "turn 2 of 10",
                "1 red-1",
                "2 blue-1",
                "3 blue-2",
                "misses 2",
                "t2: destroyed",
                "━",
                "4/1/3",
                "1   Red",
                "2   Blue",
                "3 VP",
                "waiting for car 3 (duel)",
                "car 3 retires",
            ] {
                assert!(
                    shown.contains(expected),
                    "{width}x{height}: {expected:?} is not on the screen:\n{shown}"
                );
            }
        }
        let wide = screen(130, 30);
        assert!(wide.contains("1 medals") && wide.contains("0 won"), "{wide}");
    }

    /// What q means, and why nothing happens, where the race is kept.
    #[test]
    fn a_race_that_is_kept_and_suspended() {
        let mut shown = Shown::new(true, true);
        shown.waiting = Waiting::Journal("the disk is full".into());
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).expect("a screen in memory");
        terminal.draw(|frame| shown.draw(frame, &a_race())).expect("a screen in memory");
        let shown = terminal.backend().to_string();
        for expected in ["q interrupts the race after the turn", "the race is suspended: the disk is full"] {
            assert!(shown.contains(expected), "{expected:?} is not on the screen:\n{shown}");
        }
    }

    #[test]
    fn a_small_terminal_is_no_reason_to_stop() {
        for (width, height) in [(1, 1), (10, 3), (40, 8)] {
            let _ = screen(width, height);
        }
    }

    #[test]
    fn the_bar_goes_round_once() {
        for (place, expected) in [(0, "▶"), (150, "━━━━━▶"), (299, "━━━━━━━━━▶")]
        {
            assert_eq!(bar(place, 300, 10), expected);
        }
    }

    #[test]
    fn keys_end_the_race() {
        let control_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        for (key, wish) in [
            (KeyEvent::from(KeyCode::Char('q')), Wish::End),
            (KeyEvent::from(KeyCode::Esc), Wish::End),
            (control_c, Wish::Stop),
            (KeyEvent::from(KeyCode::Char('c')), Wish::GoOn),
            (KeyEvent::from(KeyCode::Enter), Wish::GoOn),
        ] {
            assert_eq!(wish_of(&Input::Key(key)), wish, "{key:?}");
        }
        assert_eq!(wish_of(&Input::FocusLost), Wish::GoOn);
    }
}
