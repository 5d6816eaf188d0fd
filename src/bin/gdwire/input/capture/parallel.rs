//! Divides the work on the events of a capture among threads, and joins the results in order.
//!
//! The calling thread (`Line`) follows the connections. That must happen in order, but takes a
//! small part of the time. It fills batches with events. Helper threads process the batches, and so
//! does the calling thread while enough of them wait. It joins the results in the order of the
//! batches.

use gdwire::follow::{Batch, Events};
use std::collections::VecDeque;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder, Scope};

/// How large a batch gets, in bytes.
pub(crate) const BATCH: usize = 256 << 10;

/// A batch with a message as long as this is processed alone, to bound memory.
const LARGE: usize = 1 << 20;

/// Takes the events that follow from one packet, and how far the input has been read by then.
pub(crate) type Hand<'h, E> = &'h mut dyn FnMut(u64, Events<'_, '_>) -> Result<(), E>;

/// The two steps that each batch goes through.
pub(crate) struct Stages<W, J> {
    /// Works with a batch, in any thread.
    pub(crate) work: W,
    /// Takes the result of a batch, in the order of the batches: how far the input has been read,
    /// the batch, and what the work on it returned.
    pub(crate) join: J,
}

/// Hands the events that `feed` supplies through the stages, with at most this many threads. The
/// calling thread is one of them. Returns once all events are joined.
pub(crate) fn run<D, E, W, J>(
    threads: NonZero<usize>,
    batch: usize,
    stages: Stages<W, J>,
    feed: impl FnOnce(Hand<'_, E>) -> Result<(), E>,
) -> Result<(), E>
where
    D: Send,
    W: Fn(&Batch) -> D + Sync,
    J: FnMut(u64, &Batch, D) -> Result<(), E>,
{
    let Stages { work, join } = stages;
    let belt = Belt::new();
    thread::scope(|scope| {
        // However this function ends, the helpers end too.
        let _end = End(&belt);
        let mut line = Line {
            scope,
            belt: &belt,
            work: &work,
            join,
            threads: threads.get(),
            helpers: 0,
            size: batch,
            batch: Batch::new(batch),
            position: 0,
            spare: Vec::new(),
        };
        feed(&mut |position, mut events| {
            line.position = position;
            while events.fill(&mut line.batch) {
                line.push()?;
            }
            Ok(())
        })?;
        line.push()?;
        line.join_until(0)
    })
}

/// The queue of batches that are waiting, being processed, or done.
struct Belt<D> {
    state: Mutex<State<D>>,
    /// A batch is waiting, or there will be no more.
    waiting: Condvar,
    /// A batch is done.
    done: Condvar,
}

struct State<D> {
    /// In the order of their events.
    slots: VecDeque<Slot<D>>,
    /// The number of the first slot, and of the first that nobody has taken. Slots are counted from
    /// the first that there was.
    first: u64,
    next: u64,
    is_over: bool,
}

struct Slot<D> {
    position: u64,
    /// None while it is being processed.
    batch: Option<Batch>,
    done: Option<thread::Result<D>>,
}

/// A batch to work with, and its number.
type Job = (u64, Batch);

impl<D> Belt<D> {
    const fn new() -> Belt<D> {
        let state = State { slots: VecDeque::new(), first: 0, next: 0, is_over: false };
        Belt { state: Mutex::new(state), waiting: Condvar::new(), done: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<D>> {
        // Nothing panics while it is locked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works with batches until there will be no more.
    fn help(&self, work: &impl Fn(&Batch) -> D) {
        let mut state = self.lock();
        while !state.is_over {
            state = match state.take() {
                Some(job) => {
                    drop(state);
                    self.work(job, work);
                    self.lock()
                }
                None => self.waiting.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    fn work(&self, (number, batch): Job, work: &impl Fn(&Batch) -> D) {
        // A panic is passed to the calling thread, which would wait for ever otherwise.
        let done = catch_unwind(AssertUnwindSafe(|| work(&batch)));
        self.lock().put((number, batch), done);
        self.done.notify_one();
    }
}

impl<D> State<D> {
    /// The slot with a number.
    fn slot(&mut self, number: u64) -> Option<&mut Slot<D>> {
        let place = number.checked_sub(self.first)?;
        self.slots.get_mut(usize::try_from(place).ok()?)
    }

    /// Takes the first batch that is waiting.
    fn take(&mut self) -> Option<Job> {
        let number = self.next;
        let batch = self.slot(number)?.batch.take()?;
        self.next = number.saturating_add(1);
        Some((number, batch))
    }

    /// How many batches are waiting.
    fn waiting(&self) -> u64 {
        self.first.saturating_add(self.slots.len() as u64).saturating_sub(self.next)
    }

    fn put(&mut self, (number, batch): Job, done: thread::Result<D>) {
        if let Some(slot) = self.slot(number) {
            (slot.batch, slot.done) = (Some(batch), Some(done));
        }
    }

    /// Removes the first batch if it is done.
    fn pop_done(&mut self) -> Option<(u64, Batch, thread::Result<D>)> {
        self.slots.front()?.done.as_ref()?;
        let Slot { position, batch, done } = self.slots.pop_front()?;
        self.first = self.first.saturating_add(1);
        Some((position, batch?, done?))
    }
}

/// Ends the helpers of a belt.
struct End<'b, D>(&'b Belt<D>);

impl<D> Drop for End<'_, D> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.waiting.notify_all();
    }
}

/// The calling thread, which fills the batches and joins their results.
struct Line<'s, 'e, D, W, J> {
    scope: &'s Scope<'s, 'e>,
    belt: &'s Belt<D>,
    work: &'s W,
    join: J,
    threads: usize,
    /// How many threads were started.
    helpers: usize,
    size: usize,
    /// The batch that is being filled, and how far the input has been read.
    batch: Batch,
    position: u64,
    /// Batches to be filled again.
    spare: Vec<Batch>,
}

impl<D, E, W, J> Line<'_, '_, D, W, J>
where
    D: Send,
    W: Fn(&Batch) -> D + Sync,
    J: FnMut(u64, &Batch, D) -> Result<(), E>,
{
    /// Puts the batch on the belt, and joins what is done. Helps until there is room for another.
    fn push(&mut self) -> Result<(), E> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let is_large = self.batch.held_bytes() > LARGE;
        let next = self.spare.pop().unwrap_or_else(|| Batch::new(self.size));
        let batch = std::mem::replace(&mut self.batch, next);
        let mut state = self.belt.lock();
        state.slots.push_back(Slot { position: self.position, batch: Some(batch), done: None });
        let is_late = state.waiting() > 1;
        drop(state);
        self.belt.waiting.notify_one();
        // The calling thread processes a single batch itself: a small capture needs no other
        // thread.
        if is_late && self.helpers.saturating_add(1) < self.threads {
            let (belt, work) = (self.belt, self.work);
            match Builder::new().spawn_scoped(self.scope, move || belt.help(work)) {
                Ok(_) => self.helpers = self.helpers.saturating_add(1),
                // The system has no more threads to give.
                Err(_) => self.threads = self.helpers,
            }
        }
        self.join_until(if is_large { 0 } else { self.threads.saturating_mul(2) })
    }

    /// Joins what is done until no more than this many batches are on the belt.
    fn join_until(&mut self, most: usize) -> Result<(), E> {
        loop {
            let mut state = self.belt.lock();
            if let Some((position, mut batch, done)) = state.pop_done() {
                drop(state);
                let done = done.unwrap_or_else(|panic| resume_unwind(panic));
                (self.join)(position, &batch, done)?;
                if batch.held_bytes() <= LARGE {
                    batch.clear();
                    self.spare.push(batch);
                }
            } else if state.slots.len() <= most {
                return Ok(());
            } else if let Some(job) = state.take() {
                drop(state);
                self.belt.work(job, self.work);
            } else {
                drop(self.belt.done.wait(state));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Stages, run};
    use gdwire::follow::{Batch, Event, Follower, Place};
    use gdwire::packet::Datagram;
    use gdwire::{Dialect, encode, variant};
    use std::cell::Cell;
    use std::num::NonZero;
    use std::sync::Barrier;
    use std::thread;
    use std::time::Duration;

    /// Feeds this many datagrams, and returns the frames of the messages that were joined.
    fn frames(
        threads: usize,
        packets: u64,
        work: impl Fn(&Batch) -> Vec<u64> + Sync,
        stop_at: Option<u64>,
    ) -> Result<Vec<u64>, u64> {
        let mut joined = Vec::new();
        let join = |_, _: &Batch, frames: Vec<u64>| {
            joined.extend(frames);
            match stop_at {
                Some(stop) if joined.last() >= Some(&stop) => Err(stop),
                _ => Ok(()),
            }
        };
        let threads = NonZero::new(threads).unwrap();
        run(threads, 1, Stages { work, join }, |hand| {
            let bytes = encode(Dialect::GODOT_4, &variant!(["a", 1])).unwrap();
            let (src, dst) = ("10.0.0.2:5000".parse().unwrap(), "10.0.0.1:7000".parse().unwrap());
            let mut follower = Follower::new();
            for frame in 1..=packets {
                let datagram = Datagram::new(src, dst, &bytes);
                hand(frame, follower.datagram(Place::new(frame), &datagram))?;
            }
            hand(packets, follower.finish())
        })?;
        Ok(joined)
    }

    fn messages(batch: &Batch) -> Vec<u64> {
        let frames = batch.iter().filter_map(|event| match event {
            Event::Message(message) => Some(message.place.frame),
            _ => None,
        });
        frames.collect()
    }

    #[test]
    fn what_comes_of_batches_is_joined_in_order() {
        let expected: Vec<u64> = (1..=500).collect();
        for threads in [1, 2, 7] {
            // Some batches take longer than those after them.
            let work = |batch: &Batch| {
                let frames = messages(batch);
                if frames.first().is_some_and(|frame| frame % 50 == 0) {
                    thread::sleep(Duration::from_millis(5));
                }
                frames
            };
            assert_eq!(frames(threads, 500, work, None).as_ref(), Ok(&expected), "{threads}");
        }
        assert_eq!(frames(2, 0, messages, None), Ok(vec![]));
    }

    #[test]
    fn several_threads_are_at_work_at_once() {
        thread_local! {
            static HAS_WAITED: Cell<bool> = const { Cell::new(false) };
        }
        // Each thread waits at its first batch until all three have one.
        let barrier = Barrier::new(3);
        let work = |batch: &Batch| {
            if !HAS_WAITED.replace(true) {
                barrier.wait();
            }
            messages(batch)
        };
        assert_eq!(frames(3, 100, work, None).map(|frames| frames.len()), Ok(100));
    }

    #[test]
    fn an_error_ends_all_threads() {
        for threads in [1, 2, 7] {
            assert_eq!(frames(threads, 500, messages, Some(100)), Err(100));
        }
    }

    #[test]
    fn no_more_than_so_many_batches_are_held() {
        // Nothing is joined before the batches before it are: those of the first frames take long.
        let started = std::sync::atomic::AtomicU64::new(0);
        let most = std::sync::atomic::AtomicU64::new(0);
        let work = |batch: &Batch| {
            use std::sync::atomic::Ordering::Relaxed;
            let count = started.fetch_add(1, Relaxed) + 1;
            let frames = messages(batch);
            if frames == [1] {
                thread::sleep(Duration::from_millis(50));
                most.store(started.load(Relaxed) - count, Relaxed);
            }
            frames
        };
        assert_eq!(frames(2, 500, work, None).map(|frames| frames.len()), Ok(500));
        assert!(most.into_inner() <= 5);
    }

    #[test]
    #[should_panic(expected = "broken")]
    fn a_panic_in_a_thread_is_handed_on() {
        let main = thread::current().id();
        let work = |batch: &Batch| {
            assert!(thread::current().id() == main, "broken");
            // The others get their turn.
            thread::sleep(Duration::from_millis(1));
            messages(batch)
        };
        drop(frames(2, 500, work, None));
    }
}
