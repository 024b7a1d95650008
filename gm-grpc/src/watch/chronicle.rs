//! One race, followed for all who look at it.
//!
//! ```text
//! let mut reader = chronicle.read(Viewer::Spectator, Start::After(0), Mode::Lossless, Filter::default()).await?;
//! while let Message::Event(shown) = reader.next().await? { … }
//! ```
//!
//! Its task folds the race once, and shows each decision to all views that are open. A view is opened when somebody
//! first looks: it is made by another fold, from the first event on and beside the live ones, and joins them when it
//! has come to where they are.

use super::Settings;
use super::error::{CannotRead, Ended};
use super::fold::{Fold, Teller};
use super::kind::Filter;
use super::reader::{Mode, Reader, Start};
use super::shown::Snapshot;
use super::view::View;
use crate::control::{Activity, RaceHandle, State};
use crate::journal::{Journal, JournalError, RaceRecord};
use gm_core::race::view::Viewer;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// How many views of one race can wait to be opened; who comes later waits until they are looked at.
const MOST_OPENINGS: usize = 64;

/// One race, followed. Its task ends when nobody has it any more, or when the race's owner ends.
pub struct Chronicle {
    settings: Settings,
    record: Arc<RaceRecord>,
    journal: Journal,
    /// Who owns the race; none: it is not played here.
    owner: Option<RaceHandle>,
    openings: mpsc::Sender<Opening>,
    views: Mutex<Vec<(Viewer, watch::Receiver<View>)>>,
}

/// A view that is to be opened.
struct Opening {
    viewer: Viewer,
    view: watch::Sender<View>,
}

impl Chronicle {
    /// Follows a race that is owned by its task.
    #[must_use]
    pub fn follow(journal: Journal, handle: RaceHandle, settings: Settings) -> Chronicle {
        let record = Arc::new(handle.record().clone());
        let fold = Fold::from_here(journal.clone(), Arc::clone(&record), &handle.state());
        Chronicle::start(journal, record, settings, fold, Some(handle))
    }

    /// Shows a race that is not played here, as it is in the journal.
    #[must_use]
    pub fn of_record(journal: Journal, record: RaceRecord, settings: Settings) -> Chronicle {
        let record = Arc::new(record);
        let fold = Fold::new(journal.clone(), Arc::clone(&record));
        Chronicle::start(journal, record, settings, fold, None)
    }

    fn start(
        journal: Journal,
        record: Arc<RaceRecord>,
        settings: Settings,
        live: Fold,
        owner: Option<RaceHandle>,
    ) -> Chronicle {
        let (openings, inbox) = mpsc::channel(MOST_OPENINGS);
        let task = Task {
            live,
            owner: owner.clone(),
            retention: settings.retention,
            tellers: Vec::new(),
            openings: inbox,
            opening: JoinSet::new(),
        };
        tokio::spawn(task.run());
        Chronicle { settings, record, journal, owner, openings, views: Mutex::default() }
    }

    /// What the journal knows of the race beside its events.
    #[must_use]
    pub fn record(&self) -> &Arc<RaceRecord> {
        &self.record
    }

    /// Whether its task has ended: no more comes, and nothing can be read that is not being read.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.openings.is_closed()
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(super) fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Begins to read what a viewer sees, from some place on.
    ///
    /// # Errors
    /// [`CannotRead`].
    pub async fn read(
        self: &Arc<Chronicle>,
        viewer: Viewer,
        start: Start,
        mode: Mode,
        filter: Filter,
    ) -> Result<Reader, CannotRead> {
        let view = self.view(viewer).await?;
        Reader::new(Arc::clone(self), view, start, mode, filter)
    }

    /// The race as a viewer sees it now.
    ///
    /// # Errors
    /// [`CannotRead`].
    pub async fn snapshot(&self, viewer: Viewer) -> Result<Arc<Snapshot>, CannotRead> {
        let newest = self.view(viewer).await?.borrow().newest().map(Arc::clone);
        newest.map(|newest| newest.snapshot()).ok_or(CannotRead::ShuttingDown)
    }

    /// The view of a viewer, which is open. What was committed before somebody asks for it is in there.
    async fn view(&self, viewer: Viewer) -> Result<watch::Receiver<View>, CannotRead> {
        let committed = self.owner.as_ref().map_or(0, |owner| owner.state().last_seq);
        // Room first: nobody can be given up between finding that a view is new and having it opened.
        let room = self.openings.reserve().await.map_err(|_| CannotRead::ShuttingDown)?;
        let (mut receiver, opening) = self.find(viewer);
        match opening {
            Some(opening) => room.send(opening),
            None => drop(room),
        }
        let is_settled = |view: &View| view.has_come_to(committed) || view.ended().is_some();
        let is_there = receiver.wait_for(is_settled).await.is_ok();
        let ended = receiver.borrow().ended().cloned();
        match (ended, viewer) {
            (Some(Ended::Journal(error)), _) => Err(CannotRead::Journal(error)),
            (Some(_), _) => Err(CannotRead::ShuttingDown),
            (None, _) if is_there => Ok(receiver),
            // Only a view of nobody is given up without a word, or any when the task ends.
            (None, Viewer::Team(team)) if !self.is_ended() => Err(CannotRead::NoSuchTeam(team)),
            (None, _) => Err(CannotRead::ShuttingDown),
        }
    }

    /// The view of a viewer, and if it is new, what opens it.
    fn find(&self, viewer: Viewer) -> (watch::Receiver<View>, Option<Opening>) {
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        // Those whose teller has gone are opened anew.
        views.retain(|(_, view)| view.has_changed().is_ok());
        if let Some((_, view)) = views.iter().find(|(of, _)| *of == viewer) {
            return (view.clone(), None);
        }
        let (sender, receiver) = watch::channel(View::new(viewer, self.settings.retention));
        views.push((viewer, receiver.clone()));
        (receiver, Some(Opening { viewer, view: sender }))
    }
}

/// The task of a chronicle.
struct Task {
    /// The race as it was shown last.
    live: Fold,
    /// Who owns the race; none: it is not played here.
    owner: Option<RaceHandle>,
    retention: usize,
    /// The views that are open.
    tellers: Vec<Teller>,
    openings: mpsc::Receiver<Opening>,
    /// The views that are being opened. They number as many as the race has teams, and two.
    opening: JoinSet<Opened>,
}

/// A view that was made, up to some event.
struct Opened {
    fold: Fold,
    teller: Teller,
    made: Result<(), JournalError>,
}

impl Task {
    async fn run(mut self) {
        let ended = self.follow().await;
        tracing::debug!(%ended, "a race is not followed any more");
        // From here on, views are refused rather than begun.
        self.openings.close();
        while let Some(opening) = self.openings.recv().await {
            opening.view.send_modify(|view| view.end(ended.clone()));
        }
        self.tellers.iter().for_each(|teller| teller.end(ended.clone()));
    }

    async fn follow(&mut self) -> Ended {
        if self.owner.is_none()
            && let Err(error) = self.live.advance(&mut [], None).await
        {
            return error.into();
        }
        loop {
            let done = tokio::select! {
                opening = self.openings.recv() => match opening {
                    Some(opening) => self.open(opening).await,
                    None => return Ended::ShuttingDown,
                },
                Some(opened) = self.opening.join_next() => match opened {
                    Ok(opened) => self.join(opened).await,
                    Err(error) => {
                        tracing::error!(error = &error as &dyn std::error::Error, "a view could not be opened");
                        Ok(())
                    }
                },
                state = changed(&mut self.owner) => match self.advance(&state).await {
                    Ok(()) if state.activity == Activity::Ended => return Ended::ShuttingDown,
                    done => done,
                },
            };
            if let Err(error) = done {
                // Where the game master shuts down, the journal may be closed before all of it was read.
                let is_ended = |owner: &RaceHandle| owner.state().activity == Activity::Ended;
                return match self.owner.as_ref().is_some_and(is_ended) {
                    true => Ended::ShuttingDown,
                    false => error.into(),
                };
            }
        }
    }

    /// Shows what was committed.
    async fn advance(&mut self, state: &State) -> Result<(), JournalError> {
        self.live.advance(&mut self.tellers, Some(state.last_seq)).await
    }

    /// Begins to make a view; but of a team that there is not, none.
    async fn open(&mut self, Opening { viewer, view }: Opening) -> Result<(), JournalError> {
        // A team that was just made is one.
        if let Some(state) = self.owner.as_ref().map(RaceHandle::state) {
            self.advance(&state).await?;
        }
        let teams = self.live.race().map(|race| &race.teams);
        if let Viewer::Team(team) = viewer
            && !teams.is_some_and(|teams| teams.contains_key(&team))
        {
            return Ok(());
        }
        let mut fold = self.live.anew();
        let until = self.live.at();
        let mut teller = Teller::new(viewer, self.retention, view);
        self.opening.spawn(async move {
            let made = fold.tell(std::slice::from_mut(&mut teller), Some(until)).await;
            Opened { fold, teller, made }
        });
        Ok(())
    }

    /// A view that was made joins the live ones. What was committed meanwhile is little, and read here.
    async fn join(&mut self, opened: Opened) -> Result<(), JournalError> {
        let Opened { mut fold, mut teller, made } = opened;
        let until = Some(self.live.at());
        let made = match made {
            Ok(()) => fold.advance(std::slice::from_mut(&mut teller), until).await,
            failed => failed,
        };
        match made {
            Ok(()) => self.tellers.push(teller),
            // The live ones go on: they do not need what can't be read.
            Err(error) => teller.end(error.into()),
        }
        Ok(())
    }
}

/// Waits for the state of the race to change; for ever, if nobody owns it.
async fn changed(owner: &mut Option<RaceHandle>) -> State {
    match owner {
        Some(owner) => owner.changed().await,
        None => std::future::pending().await,
    }
}
