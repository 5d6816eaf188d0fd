//! Measures hostile traffic for `table.sh`: without arguments, it lists the cases; with a carrier,
//! a case and a size, it follows that case; with `sessions` and a size, it attacks sessions; with `many`, it follows very many connections and
//! fragments.

#[path = "cases.rs"]
mod cases;
#[path = "many.rs"]
mod many;
#[path = "meter.rs"]
mod meter;
#[path = "sessions.rs"]
mod sessions;

#[path = "wire.rs"]
mod wire;

use gdwire::follow::Limits;
use meter::{Taken, follow};

fn show(name: &str, taken: &Taken) {
    println!(
        "{name}: {} packet bytes, peak {} bytes, {} messages, {} losses, {} connections, {} closed \
         for the limit",
        taken.bytes, taken.peak, taken.messages, taken.lost, taken.opened, taken.limited
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["many"] => {
            let limits = Limits::default();
            show("1,000,000 connections in turn", &follow(many::in_turn(1_000_000), limits));
            show("70,000 connections at once", &follow(many::at_once(70_000), limits));
            show("1,000,000 stray fragments", &follow(many::stray(1_000_000), limits));
        }
        ["limits", total] => {
            let total: usize = total.parse().unwrap();
            println!(
                "| carrier | case | connections | held | kept | peak | given | uncounted | limited |"
            );
            println!("|---|---|--:|--:|--:|--:|--:|--:|--:|");
            for case in cases::CASES {
                for connections in [5_000, 200, 20] {
                    let packets = (case.make)(3 * total / connections);
                    let limits =
                        Limits::default().with_total_bytes(total).with_flow_bytes(total / 4);
                    let taken = follow(many::alike(packets, connections), limits);
                    let share = |bytes: u64| bytes as f64 / total as f64;
                    println!(
                        "| {} | {} | {connections} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {} |",
                        case.carrier,
                        case.name,
                        share(taken.held),
                        share(taken.kept),
                        share(taken.peak),
                        share(taken.given),
                        share(taken.uncounted),
                        taken.limited,
                    );
                }
            }
        }
        ["sessions", size] => {
            for it in sessions::ATTACKS {
                for joins in [false, true] {
                    let cost = sessions::attack(it, size.parse().unwrap(), joins);
                    println!(
                        "{} {} {joins}: {} bytes, at most {} each; peak {} bytes, {} allocated, {} events, {} sent",
                        it.0,
                        it.1,
                        cost.bytes,
                        cost.longest,
                        cost.peak,
                        cost.allocated,
                        cost.events,
                        cost.sent
                    );
                }
            }
        }
        [carrier, name, size] => {
            let mut cases = cases::CASES.iter();
            let case = cases.find(|case| (case.carrier, case.name) == (*carrier, *name));
            let packets = case.unwrap().make;
            let packets = packets(size.parse().unwrap());
            let taken = follow(packets.into_iter(), Limits::default());
            println!("{} {} {} {}", taken.bytes, taken.peak, taken.allocated, taken.lost);
        }
        _ => {
            for case in cases::CASES {
                println!("{} {}", case.carrier, case.name);
            }
        }
    }
}
