//! The state of the screen of `gdwire top`: what the user has chosen to see, and what each key
//! does.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use gdwire::top::{Top, TopBy, TopKey, TopQuery, TopSort};
use std::collections::BTreeSet;

/// The page that the screen shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScreenPage {
    Table,
    /// The chosen row, its last messages, and one of them byte by byte.
    Detail,
    Help,
}

/// An action that a key requests and the view cannot do itself.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Action {
    None,
    Quit,
    /// Ends the run, like Ctrl-C elsewhere.
    Interrupt,
    /// Gives the terminal back until the shell continues the program.
    Suspend,
    Pause,
    Resume,
    /// Changes the speed of a recording by a factor.
    Speed(f64),
}

pub struct ScreenView {
    pub query: TopQuery,
    pub page: ScreenPage,
    /// Whether keys are added to the filter.
    pub is_filtering: bool,
    /// The counts when the user paused.
    pub frozen: Option<Box<Top>>,
    /// The chosen row. None for the first.
    pub chosen: Option<TopKey>,
    pub marked: BTreeSet<TopKey>,
    /// The first row, or line, that is shown.
    pub first: usize,
    /// On the page of a row: which of its last messages is explained, the newest being 0, and the
    /// first line of the explanation.
    pub sample: usize,
    pub line: usize,
    /// The keys of the rows that the table has, and how many of them fit.
    pub rows: Vec<TopKey>,
    pub height: usize,
}

/// The orders in which `s` goes through them.
pub const SORTS: [(TopSort, &str); 5] = [
    (TopSort::Minute, "bytes of the last minute"),
    (TopSort::Bytes, "bytes/s"),
    (TopSort::Messages, "messages/s"),
    (TopSort::Total, "all bytes"),
    (TopSort::Name, "name"),
];

impl ScreenView {
    pub fn new(query: TopQuery) -> ScreenView {
        ScreenView {
            query,
            page: ScreenPage::Table,
            is_filtering: false,
            frozen: None,
            chosen: None,
            marked: BTreeSet::new(),
            first: 0,
            sample: 0,
            line: 0,
            rows: Vec::new(),
            height: 1,
        }
    }

    /// The place of the chosen row.
    pub fn place(&self) -> usize {
        let chosen = self.chosen.as_ref();
        chosen.and_then(|key| self.rows.iter().position(|row| row == key)).unwrap_or(0)
    }

    /// Handles a key.
    pub fn key(&mut self, key: KeyEvent) -> Action {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match key.code {
                KeyCode::Char('c') => Action::Interrupt,
                KeyCode::Char('z') => Action::Suspend,
                _ => Action::None,
            };
        }
        if self.is_filtering {
            self.filter(key.code);
            return Action::None;
        }
        match key.code {
            KeyCode::Char('q') => return Action::Quit,
            KeyCode::Char('p') => {
                return if self.frozen.take().is_some() { Action::Resume } else { Action::Pause };
            }
            KeyCode::Char('+') => return Action::Speed(2.0),
            KeyCode::Char('-') => return Action::Speed(0.5),
            KeyCode::Char('?' | 'h') if self.page != ScreenPage::Help => {
                self.page = ScreenPage::Help
            }
            KeyCode::Esc | KeyCode::Backspace | KeyCode::Left if self.page != ScreenPage::Table => {
                self.page = ScreenPage::Table;
            }
            _ => match self.page {
                ScreenPage::Table => self.table(key.code),
                ScreenPage::Detail => self.detail(key.code),
                ScreenPage::Help => self.page = ScreenPage::Table,
            },
        }
        Action::None
    }

    /// A key while the filter is typed.
    fn filter(&mut self, code: KeyCode) {
        match code {
            KeyCode::Char(character) => self.query.filter.push(character),
            KeyCode::Backspace => drop(self.query.filter.pop()),
            KeyCode::Enter => self.is_filtering = false,
            KeyCode::Esc => {
                self.is_filtering = false;
                self.query.filter.clear();
            }
            KeyCode::Up | KeyCode::Down => self.table(code),
            _ => {}
        }
    }

    fn table(&mut self, code: KeyCode) {
        let page = self.height.saturating_sub(1).max(1);
        let place = self.place();
        match code {
            KeyCode::Up | KeyCode::Char('k') => self.choose(place.saturating_sub(1)),
            KeyCode::Down | KeyCode::Char('j') => self.choose(place.saturating_add(1)),
            KeyCode::PageUp => self.choose(place.saturating_sub(page)),
            KeyCode::PageDown => self.choose(place.saturating_add(page)),
            KeyCode::Home => self.choose(0),
            KeyCode::End => self.choose(usize::MAX),
            KeyCode::Tab => self.turn(1),
            KeyCode::BackTab => self.turn(TopBy::ALL.len() - 1),
            KeyCode::Char(digit @ '1'..='5') => {
                let by = TopBy::ALL.get((digit as usize).saturating_sub('1' as usize));
                self.show(by.copied().unwrap_or(self.query.by));
            }
            KeyCode::Char('s') => {
                let now = SORTS.iter().position(|(sort, _)| *sort == self.query.sort);
                let next = now.map_or(0, |now| (now + 1) % SORTS.len());
                self.query.sort = SORTS.get(next).map_or(self.query.sort, |(sort, _)| *sort);
            }
            KeyCode::Char('n') => {
                self.query.is_grouped = !self.query.is_grouped;
                self.chosen = None;
            }
            KeyCode::Char('/') => self.is_filtering = true,
            KeyCode::Esc => self.query.filter.clear(),
            KeyCode::Char(' ') => {
                if let Some(key) = self.rows.get(place) {
                    if !self.marked.remove(key) {
                        self.marked.insert(key.clone());
                    }
                    self.chosen = Some(key.clone());
                }
            }
            KeyCode::Char('u') => self.marked.clear(),
            KeyCode::Enter | KeyCode::Right => {
                if let Some(key) = self.rows.get(place) {
                    self.chosen = Some(key.clone());
                    (self.page, self.sample, self.line) = (ScreenPage::Detail, 0, 0);
                }
            }
            _ => {}
        }
    }

    fn detail(&mut self, code: KeyCode) {
        match code {
            KeyCode::Up | KeyCode::Char('k') => self.explain(self.sample.saturating_sub(1)),
            KeyCode::Down | KeyCode::Char('j') => self.explain(self.sample.saturating_add(1)),
            KeyCode::PageUp => self.line = self.line.saturating_sub(self.height.max(1)),
            KeyCode::PageDown => self.line = self.line.saturating_add(self.height.max(1)),
            KeyCode::Home => self.line = 0,
            KeyCode::End => self.line = usize::MAX,
            KeyCode::Enter => self.page = ScreenPage::Table,
            _ => {}
        }
    }

    /// Explains another of the last messages.
    fn explain(&mut self, sample: usize) {
        (self.sample, self.line) = (sample, 0);
    }

    fn choose(&mut self, place: usize) {
        let last = self.rows.len().saturating_sub(1);
        self.chosen = self.rows.get(place.min(last)).cloned();
    }

    fn turn(&mut self, by: usize) {
        let now = TopBy::ALL.iter().position(|it| *it == self.query.by).unwrap_or(0);
        let next = TopBy::ALL.get((now + by) % TopBy::ALL.len());
        self.show(next.copied().unwrap_or(self.query.by));
    }

    /// Shows the table of other rows.
    pub fn show(&mut self, by: TopBy) {
        self.query.by = by;
        (self.chosen, self.first) = (None, 0);
        // Those of the other table are known once it is drawn.
        self.rows.clear();
    }
}
