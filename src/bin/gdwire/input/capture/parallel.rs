//! Divides the work on the events of a capture among threads, and joins the results in order.
//!
//! The calling thread (`Coordinator`) follows the connections, which must happen in order but takes
//! a small part of the time, and fills batches with the events. Worker threads process the batches.
//! The calling thread processes batches too while the queue is full, and joins the results in the
//! order of the batches.

use gdwire::follow::{Batch, Events};
use std::collections::VecDeque;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder, Scope};

/// The size at which a batch is complete, in bytes.
pub const BATCH: usize = 256 << 10;

/// After a batch of more than this many bytes, which has a very long message, no other batch is
/// filled until all are joined. This bounds memory.
const LARGE: usize = 1 << 20;

/// Takes the position in the input after a packet, in bytes, and its events; none if nothing more of a
/// live input has arrived.
pub type Emit<'h, E> = &'h mut dyn FnMut(u64, Option<Events<'_, '_>>) -> Result<(), E>;

/// Passes the events that `feed` supplies to at most this many threads, one of which is the calling
/// thread. `work` processes a batch of events, in any thread; `join` takes the position in the input
/// after a batch, the batch and its result, in the order of the batches. Returns after the results of
/// all events are joined.
pub fn run<D, E, W, J>(
    threads: NonZero<usize>,
    batch: usize,
    work: W,
    join: J,
    feed: impl FnOnce(Emit<'_, E>) -> Result<(), E>,
) -> Result<(), E>
where
    D: Send,
    W: Fn(&Batch) -> D + Sync,
    J: FnMut(u64, &Batch, D) -> Result<(), E>,
{
    let queue = BatchQueue::new();
    thread::scope(|scope| {
        // The workers end whenever this function ends, also with an error or a panic.
        let _end = EndOfRun(&queue);
        let mut coordinator = Coordinator {
            scope,
            queue: &queue,
            work: &work,
            join,
            threads: threads.get(),
            workers: 0,
            size: batch,
            batch: Batch::new(batch),
            position: 0,
            spare: Vec::new(),
        };
        feed(&mut |position, events| {
            let Some(mut events) = events else { return Ok(()) };
            coordinator.position = position;
            while events.fill(&mut coordinator.batch) {
                coordinator.push()?;
            }
            Ok(())
        })?;
        coordinator.push()?;
        coordinator.join_until(0)
    })
}

/// The queue of batches that are waiting, being processed, or done.
struct BatchQueue<D> {
    state: Mutex<Slots<D>>,
    /// A batch is waiting, or there will be no more.
    waiting: Condvar,
    /// A batch is done.
    done: Condvar,
}

struct Slots<D> {
    /// In the order of their events.
    slots: VecDeque<QueuedBatch<D>>,
    /// The numbers of the first slot in the queue and of the first batch that no thread has taken.
    /// The first slot of a run has the number 0.
    first: u64,
    next: u64,
    is_over: bool,
}

struct QueuedBatch<D> {
    position: u64,
    /// None while it is being processed.
    batch: Option<Batch>,
    done: Option<thread::Result<D>>,
}

/// A batch to work with, and its number.
type Job = (u64, Batch);

impl<D> BatchQueue<D> {
    const fn new() -> BatchQueue<D> {
        let state = Slots { slots: VecDeque::new(), first: 0, next: 0, is_over: false };
        BatchQueue { state: Mutex::new(state), waiting: Condvar::new(), done: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Slots<D>> {
        // Nothing panics while it is locked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Processes batches until the run ends.
    fn work_to_end(&self, work: &impl Fn(&Batch) -> D) {
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
        // A panic is passed to the calling thread, which would otherwise wait forever.
        let done = catch_unwind(AssertUnwindSafe(|| work(&batch)));
        self.lock().put((number, batch), done);
        self.done.notify_one();
    }
}

impl<D> Slots<D> {
    /// The slot with a number.
    fn slot(&mut self, number: u64) -> Option<&mut QueuedBatch<D>> {
        let place = number.checked_sub(self.first)?;
        self.slots.get_mut(usize::try_from(place).ok()?)
    }

    /// Takes the first batch that is waiting.
    fn take(&mut self) -> Option<Job> {
        let number = self.next;
        let batch = self.slot(number)?.batch.take()?;
        self.next = number + 1;
        Some((number, batch))
    }

    /// The number of batches that no thread has taken.
    fn waiting(&self) -> u64 {
        (self.first + self.slots.len() as u64).saturating_sub(self.next)
    }

    fn put(&mut self, (number, batch): Job, done: thread::Result<D>) {
        if let Some(slot) = self.slot(number) {
            (slot.batch, slot.done) = (Some(batch), Some(done));
        }
    }

    /// Removes the first batch if it is done.
    fn pop_done(&mut self) -> Option<(u64, Batch, thread::Result<D>)> {
        self.slots.front()?.done.as_ref()?;
        let QueuedBatch { position, batch, done } = self.slots.pop_front()?;
        self.first += 1;
        Some((position, batch?, done?))
    }
}

/// Ends the workers of a queue when dropped.
struct EndOfRun<'b, D>(&'b BatchQueue<D>);

impl<D> Drop for EndOfRun<'_, D> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.waiting.notify_all();
    }
}

/// The calling thread, which fills the batches and joins their results.
struct Coordinator<'s, 'e, D, W, J> {
    scope: &'s Scope<'s, 'e>,
    queue: &'s BatchQueue<D>,
    work: &'s W,
    join: J,
    threads: usize,
    /// The number of started threads.
    workers: usize,
    size: usize,
    /// The batch that is being filled, and how far the input has been read.
    batch: Batch,
    position: u64,
    /// Empty batches, whose memory is reused.
    spare: Vec<Batch>,
}

impl<D, E, W, J> Coordinator<'_, '_, D, W, J>
where
    D: Send,
    W: Fn(&Batch) -> D + Sync,
    J: FnMut(u64, &Batch, D) -> Result<(), E>,
{
    /// Adds the batch to the queue and joins finished ones. If the queue is full, also processes
    /// batches until it is not.
    fn push(&mut self) -> Result<(), E> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let is_large = self.batch.held_bytes() > LARGE;
        let next = self.spare.pop().unwrap_or_else(|| Batch::new(self.size));
        let batch = std::mem::replace(&mut self.batch, next);
        let mut state = self.queue.lock();
        state.slots.push_back(QueuedBatch {
            position: self.position,
            batch: Some(batch),
            done: None,
        });
        let is_late = state.waiting() > 1;
        drop(state);
        self.queue.waiting.notify_one();
        // A single batch is processed by the calling thread: a small capture needs no other thread.
        if is_late && self.workers + 1 < self.threads {
            let (queue, work) = (self.queue, self.work);
            match Builder::new().spawn_scoped(self.scope, move || queue.work_to_end(work)) {
                Ok(_) => self.workers += 1,
                // The system cannot start another thread.
                Err(_) => self.threads = self.workers,
            }
        }
        self.join_until(if is_large { 0 } else { self.threads.saturating_mul(2) })
    }

    /// Joins finished batches, and processes others, until no more than this many are in the queue.
    fn join_until(&mut self, most: usize) -> Result<(), E> {
        loop {
            let mut state = self.queue.lock();
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
                self.queue.work(job, self.work);
            } else {
                drop(self.queue.done.wait(state));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use gdwire::follow::{Batch, Event, Follower, Place};
    use gdwire::packet::UdpDatagram;
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
        run(threads, 1, work, join, |emit| {
            let bytes = encode(Dialect::GODOT_4, &variant!(["a", 1])).unwrap();
            let (src, dst) = ("10.0.0.2:5000".parse().unwrap(), "10.0.0.1:7000".parse().unwrap());
            let mut follower = Follower::new();
            for frame in 1..=packets {
                let datagram = UdpDatagram::new(src, dst, &bytes);
                emit(frame, Some(follower.datagram(Place::new(frame), &datagram)))?;
            }
            emit(packets, Some(follower.finish()))
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
    fn results_are_joined_in_the_order_of_batches() {
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
    fn several_threads_work_at_the_same_time() {
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
    fn the_number_of_held_batches_is_bounded() {
        // A batch is joined after those before it, and the first batch takes long.
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
    fn a_panic_in_a_thread_is_passed_on() {
        let main = thread::current().id();
        let work = |batch: &Batch| {
            assert!(thread::current().id() == main, "broken");
            // Gives the other threads time to take a batch.
            thread::sleep(Duration::from_millis(1));
            messages(batch)
        };
        drop(frames(2, 500, work, None));
    }
}
