//! Draws the modules and their arrows as a picture (SVG).

use crate::layers::{Layers, Spot};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Sizes in pixels.
const HEIGHT: f64 = 24.0;
const STEP: f64 = 58.0;
const MARGIN: f64 = 6.0;

/// The page of rustdoc gives its colours; elsewhere, the picture has its own for light and dark.
const STYLE: &str = "<style>\
    .modules { --ink: var(--main-color, #222); --box: var(--code-block-background-color, #f3f3f3); }\
    @media (prefers-color-scheme: dark) {\
    .modules { --ink: var(--main-color, #ddd); --box: var(--code-block-background-color, #2a2a2a); } }\
    .modules text { fill: var(--ink); font: 13px monospace; text-anchor: middle; }\
    .modules rect { fill: var(--box); stroke-width: 1.5; }\
    .modules path { fill: none; stroke: var(--ink); stroke-opacity: 0.45; }\
    .modules marker path { fill: var(--ink); fill-opacity: 0.6; stroke: none; }\
    </style>";

/// Colours of the tables, in their order. Each is visible on the light and on the dark background.
const COLOURS: [&str; 7] =
    ["#888888", "#3b82c4", "#2f9e6e", "#b8860b", "#a05ac8", "#d0503c", "#c2588f"];

/// Draws layers. `tables` has the modules of each table, `uses` all that a module uses.
pub fn draw(layers: &Layers, tables: &[Vec<String>], uses: &dyn Fn(&str) -> Vec<String>) -> String {
    let x = places(layers);
    let left = x.iter().map(|(spot, x)| x - width(spot) / 2.0).fold(f64::MAX, f64::min) - MARGIN;
    let right = x.iter().map(|(spot, x)| x + width(spot) / 2.0).fold(f64::MIN, f64::max) + MARGIN;
    let count = layers.rows.len();
    let (width_of_all, height) =
        (right - left, (count.max(1) - 1) as f64 * STEP + HEIGHT + 2.0 * MARGIN);
    let mut y = BTreeMap::new();
    for (layer, row) in layers.rows.iter().enumerate() {
        y.extend(row.iter().map(|spot| (spot, MARGIN + (count - 1 - layer) as f64 * STEP)));
    }
    let mut svg = format!(
        "<svg class=\"modules\" xmlns=\"http://www.w3.org/2000/svg\" \
         viewBox=\"0 0 {width_of_all:.0} {height:.0}\" width=\"{width_of_all:.0}\" \
         style=\"max-width: 100%\" role=\"img\" \
         aria-label=\"The modules: each stands above those that it uses\">\n{STYLE}\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" \
         markerHeight=\"8\" orient=\"auto\"><path d=\"M0 1 8 4 0 7z\"/></marker></defs>\n"
    );
    for (from, to) in &layers.steps {
        let (x1, x2) = (x[from] - left, x[to] - left);
        let passing = |spot: &Spot| matches!(spot, Spot::Passing { .. });
        let y1 = y[from] + if passing(from) { HEIGHT / 2.0 } else { HEIGHT };
        let y2 = y[to] + if passing(to) { HEIGHT / 2.0 } else { 0.0 };
        let middle = (y1 + y2) / 2.0;
        let tip = if passing(to) { "" } else { " marker-end=\"url(#tip)\"" };
        let _ = writeln!(
            svg,
            "<path d=\"M{x1:.0} {y1:.0}C{x1:.0} {middle:.0} {x2:.0} {middle:.0} {x2:.0} {y2:.0}\"{tip}/>"
        );
    }
    for (spot, x) in &x {
        let Spot::Module(name) = spot else { continue };
        let table = tables.iter().position(|table| table.contains(name)).unwrap_or(0);
        let (x, y, width) = (x - left, y[spot], width(spot));
        let _ = writeln!(
            svg,
            "<g><title>{name} uses: {}</title><rect x=\"{:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" \
             height=\"{HEIGHT:.0}\" rx=\"5\" stroke=\"{}\"/><text x=\"{x:.0}\" y=\"{:.0}\">{name}</text></g>",
            uses(name).join(", "),
            x - width / 2.0,
            COLOURS[table % COLOURS.len()],
            y + 16.0
        );
    }
    svg + "</svg>\n"
}

fn width(spot: &Spot) -> f64 {
    match spot {
        Spot::Module(name) => name.len() as f64 * 8.0 + 16.0,
        Spot::Passing { .. } => 8.0,
    }
}

/// The horizontal centre of each place, near those of the places that arrows join it with.
fn places(layers: &Layers) -> BTreeMap<&Spot, f64> {
    let mut x = BTreeMap::new();
    for row in &layers.rows {
        x.extend(apart(row, &vec![0.0; row.len()]));
    }
    for round in 0..200 {
        for index in 0..layers.rows.len() {
            let index = if round % 2 == 0 { index } else { layers.rows.len() - 1 - index };
            let row = &layers.rows[index];
            let wanted: Vec<f64> = row
                .iter()
                .map(|spot| {
                    let both = layers.neighbours(spot, true).chain(layers.neighbours(spot, false));
                    let near: Vec<f64> = both.map(|spot| x[spot]).collect();
                    if near.is_empty() {
                        x[spot]
                    } else {
                        near.iter().sum::<f64>() / near.len() as f64
                    }
                })
                .collect();
            x.extend(apart(row, &wanted));
        }
    }
    x
}

/// The places of a row, near where they are wanted, but not over each other.
fn apart<'a>(row: &'a [Spot], wanted: &[f64]) -> Vec<(&'a Spot, f64)> {
    let gap = |a: &Spot, b: &Spot| (width(a) + width(b)) / 2.0 + 12.0;
    let mut right = wanted.to_vec();
    let mut left = wanted.to_vec();
    for at in 1..row.len() {
        right[at] = right[at].max(right[at - 1] + gap(&row[at - 1], &row[at]));
        let at = row.len() - 1 - at;
        left[at] = left[at].min(left[at + 1] - gap(&row[at], &row[at + 1]));
    }
    row.iter().zip(right.iter().zip(left)).map(|(spot, (a, b))| (spot, (a + b) / 2.0)).collect()
}
