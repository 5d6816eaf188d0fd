//! Finds the datagrams that carry messages which the user named.

use super::conditions::share;
use crate::args::ReadingArgs;
use crate::args::values::{Choice, of_width, time};
use clap::{ArgGroup, Args};
use gdwire::expression::{Expression, JsonValue};
use gdwire::follow::{Event, Follower, Options, Place, Transport};
use gdwire::multiplayer::Names;
use gdwire::net::conditions::{Conditions, Fate, Link};
use gdwire::packet::{Time, UdpDatagram};
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

/// The options for messages that are lost or late.
#[derive(Args)]
#[command(next_help_heading = "Messages", group = ArgGroup::new("meanings").multiple(true))]
pub struct MeaningArgs {
    /// Drop datagrams that carry a message for which this condition holds, such as '.rpc.method == "fire"' (repeatable)
    ///
    /// The condition is that of --where, which selects what is shown. It has an effect over UDP and
    /// ENet. ENet sends a reliable message again, and that datagram passes.
    #[arg(long, value_name = "EXPRESSION", value_parser = expression, group = "meanings")]
    drop_where: Vec<Expression>,
    /// Delay datagrams that carry a message for which this condition holds, by the time of --delay-by (repeatable)
    #[arg(long, value_name = "EXPRESSION", value_parser = expression, group = "meanings")]
    delay_where: Vec<Expression>,
    /// The delay of the datagrams that --delay-where selects
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "500ms", requires = "delay_where")]
    delay_by: Duration,
    /// Drop and delay only this share of these datagrams, such as 50%
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "100%", requires = "meanings")]
    chance: f64,
    /// Drop and delay at most this many of these datagrams
    #[arg(long, value_name = "N", requires = "meanings")]
    times: Option<NonZero<u64>>,
}

fn expression(text: &str) -> Result<Expression, String> {
    Expression::parse(text).map_err(|error| error.with_text(text).to_string())
}

/// The decision about a datagram because of its messages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Pass,
    Drop,
    Delay(Duration),
}

pub struct Meaning {
    follower: Follower<'static>,
    drop_where: Vec<Expression>,
    delay_where: Vec<Expression>,
    delay_by: Duration,
    /// Chooses the share of the datagrams: those that this link loses.
    chance: Link,
    left: Option<u64>,
    frame: u64,
    /// Why a condition could not be evaluated.
    failed: Option<String>,
}

impl Meaning {
    /// None if the user named no messages.
    pub fn new(
        args: &MeaningArgs,
        reading: &ReadingArgs,
        transport: Choice<Transport>,
        names: Option<Arc<Names>>,
        seed: u64,
    ) -> Option<Meaning> {
        let MeaningArgs { drop_where, delay_where, delay_by, chance, times } = args;
        if drop_where.is_empty() && delay_where.is_empty() {
            return None;
        }
        let mut options = Options::new().with_limits(reading.limits.limits());
        if let Some(dialect) = reading.dialect.named() {
            options = options.with_dialect(of_width(dialect, reading.double));
        } else if reading.double {
            options = options.with_double_reals();
        }
        if let Some(transport) = transport.named() {
            options = options.with_transport(transport);
        }
        if let Some(names) = names {
            options = options.with_names(names);
        }
        let loss = Conditions::default().with_loss(*chance);
        Some(Meaning {
            follower: Follower::with_options(options),
            drop_where: drop_where.clone(),
            delay_where: delay_where.clone(),
            delay_by: *delay_by,
            chance: Link::new(loss, seed),
            left: times.map(NonZero::get),
            frame: 0,
            failed: None,
        })
    }

    /// Decides about a datagram. All datagrams have to be passed in their order, both ways.
    pub fn judge(&mut self, time: Time, datagram: &UdpDatagram<'_>) -> Verdict {
        self.frame += 1;
        let place = Place::new(self.frame).with_time(time);
        let (mut is_dropped, mut is_delayed) = (false, false);
        let Meaning { follower, drop_where, delay_where, failed, frame, .. } = self;
        let mut look = |event: Event<'_>| {
            // A message that waited for its connection to be recognized has passed already.
            let Event::Message(message) = event else { return };
            if message.place.frame != *frame {
                return;
            }
            JsonValue::with_message(&message, |record| {
                let mut any = |conditions: &[Expression]| {
                    conditions.iter().any(|condition| match condition.selects(record) {
                        Ok(is_selected) => is_selected,
                        Err(error) => {
                            failed.get_or_insert_with(|| error.to_string());
                            false
                        }
                    })
                };
                is_dropped |= any(drop_where);
                is_delayed |= any(delay_where);
            });
        };
        follower.datagram(place, datagram).for_each(&mut look);
        follower.tick(time).for_each(&mut look);
        let verdict = match (is_dropped, is_delayed) {
            (true, _) => Verdict::Drop,
            (_, true) => Verdict::Delay(self.delay_by),
            _ => return Verdict::Pass,
        };
        let is_chosen = self.chance.send(Duration::ZERO, 0) == Fate::Lost;
        if !is_chosen || self.left == Some(0) {
            return Verdict::Pass;
        }
        self.left = self.left.map(|left| left.saturating_sub(1));
        verdict
    }

    /// Why a condition could not be evaluated, if one could not.
    pub fn into_failure(self) -> Option<String> {
        self.failed.map(|reason| format!("a condition failed on some messages: {reason}"))
    }
}
