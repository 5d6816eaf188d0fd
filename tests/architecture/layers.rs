//! Places modules in layers: each stands above all that it uses.

use crate::circles::reach;
use std::collections::{BTreeMap, BTreeSet};

/// Which module uses which.
pub type Arrows = BTreeSet<(String, String)>;

/// A place in a layer: of a module, or of an arrow that passes the layer.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Spot {
    Module(String),
    Passing { arrow: (String, String), layer: usize },
}

/// The layers from the ground up, and the steps of the arrows between places in them.
#[derive(Debug)]
pub struct Layers {
    pub rows: Vec<Vec<Spot>>,
    /// The parts of arrows, each from a place to one in the next lower layer.
    pub steps: BTreeSet<(Spot, Spot)>,
}

/// Leaves out each arrow to a module that a longer way leads to, too.
pub fn reduced(arrows: &Arrows) -> Arrows {
    let all: BTreeSet<(&str, &str)> =
        arrows.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    let reach = reach(&all);
    let longer = |from: &str, to: &str| {
        all.iter().any(|&(user, middle)| user == from && reach[middle].contains(to))
    };
    arrows.iter().filter(|(from, to)| !longer(from, to)).cloned().collect()
}

impl Layers {
    /// Places modules, which must not use each other in circles.
    pub fn new(modules: &[String], arrows: &Arrows) -> Self {
        let layer = layers(modules, arrows);
        let count = layer.values().max().map_or(0, |top| top + 1);
        let mut layers = Self { rows: vec![Vec::new(); count], steps: BTreeSet::new() };
        for module in modules {
            layers.rows[layer[module.as_str()]].push(Spot::Module(module.clone()));
        }
        for arrow in arrows {
            let mut above = Spot::Module(arrow.0.clone());
            for between in (layer[arrow.1.as_str()] + 1..layer[arrow.0.as_str()]).rev() {
                let spot = Spot::Passing { arrow: arrow.clone(), layer: between };
                layers.rows[between].push(spot.clone());
                layers.steps.insert((above, spot.clone()));
                above = spot;
            }
            layers.steps.insert((above, Spot::Module(arrow.1.clone())));
        }
        layers.untangle();
        layers
    }

    /// The places right above or below one.
    pub fn neighbours<'a>(&'a self, spot: &'a Spot, above: bool) -> impl Iterator<Item = &'a Spot> {
        self.steps.iter().filter_map(move |(upper, lower)| {
            let (own, other) = if above { (lower, upper) } else { (upper, lower) };
            (own == spot).then_some(other)
        })
    }

    /// Orders each layer by the places that its arrows lead to, and keeps the order in which the
    /// fewest arrows cross.
    fn untangle(&mut self) {
        let mut best = (self.crossings(), self.rows.clone());
        for round in 0..24 {
            let up = round % 2 == 0;
            for index in 0..self.rows.len() {
                let index = if up { index } else { self.rows.len() - 1 - index };
                let Some(other) = (if up { index.checked_sub(1) } else { Some(index + 1) }) else {
                    continue;
                };
                let Some(other) = self.rows.get(other) else { continue };
                let place: BTreeMap<&Spot, usize> = other.iter().zip(0..).collect();
                let mean = |(at, spot): (usize, &Spot)| {
                    let places: Vec<usize> =
                        self.neighbours(spot, !up).map(|it| place[it] * 1000).collect();
                    let sum: usize = places.iter().sum();
                    sum.checked_div(places.len()).unwrap_or(at * 1000)
                };
                let mut row: Vec<_> = self.rows[index]
                    .iter()
                    .enumerate()
                    .map(|it| (mean(it), it.1.clone()))
                    .collect();
                row.sort_by_key(|it| it.0);
                self.rows[index] = row.into_iter().map(|it| it.1).collect();
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.rows.clone());
            }
        }
        self.rows = best.1;
    }

    /// How often arrows cross.
    fn crossings(&self) -> usize {
        let place: BTreeMap<&Spot, usize> =
            self.rows.iter().flat_map(|row| row.iter().zip(0..)).collect();
        let layer: BTreeMap<&Spot, usize> = self
            .rows
            .iter()
            .enumerate()
            .flat_map(|(at, row)| row.iter().map(move |it| (it, at)))
            .collect();
        let steps: Vec<_> =
            self.steps.iter().map(|(a, b)| (layer[a], place[a], place[b])).collect();
        let crosses = |a: &(usize, usize, usize), b: &(usize, usize, usize)| {
            a.0 == b.0 && a.1 < b.1 && a.2 > b.2
        };
        steps.iter().map(|a| steps.iter().filter(|b| crosses(a, b)).count()).sum()
    }
}

/// The layer of each module: the ground is 0.
fn layers<'a>(modules: &'a [String], arrows: &'a Arrows) -> BTreeMap<&'a str, usize> {
    let mut layer: BTreeMap<&str, usize> = modules.iter().map(|it| (it.as_str(), 0)).collect();
    for _ in modules {
        for (from, to) in arrows {
            let above = layer[to.as_str()] + 1;
            layer.entry(from).and_modify(|it| *it = above.max(*it));
        }
    }
    // What uses nothing stands right below its lowest user.
    for module in modules.iter().filter(|&module| arrows.iter().all(|arrow| arrow.0 != *module)) {
        let users = arrows.iter().filter(|arrow| arrow.1 == *module);
        if let Some(lowest) = users.map(|arrow| layer[arrow.0.as_str()]).min() {
            layer.insert(module, lowest - 1);
        }
    }
    layer
}
