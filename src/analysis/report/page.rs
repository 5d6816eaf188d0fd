//! Writes reports as one file of HTML.
//!
//! The file loads nothing else. Its content security policy lets the browser run only the page's
//! own scripts. The data are JSON in elements that a browser does not run as scripts, with escapes
//! for the characters that could end the elements.

use super::Report;
use crate::analysis::compare::Comparison;
use data_encoding::BASE64;
use sha2::{Digest, Sha256};
use std::io::{self, Write};

const BODY: &str = include_str!("page/body.html");
const STYLE: &str =
    concat!(include_str!("page/uplot/uPlot.min.css"), include_str!("page/style.css"));
// The licence of uPlot requires its text in every copy.
const UPLOT: &str = concat!(
    "/*\n",
    include_str!("page/uplot/LICENSE"),
    "*/\n",
    include_str!("page/uplot/uPlot.iife.min.js"),
);
const SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("page/format.js"),
    include_str!("page/elements.js"),
    include_str!("page/plot.js"),
    include_str!("page/plots.js"),
    include_str!("page/bars.js"),
    include_str!("page/timeline.js"),
    include_str!("page/matrix.js"),
    include_str!("page/numbers.js"),
    include_str!("page/messages.js"),
    include_str!("page/glance.js"),
    include_str!("page/comparison.js"),
    include_str!("page/main.js"),
    "})();\n",
);

/// How many rows of each kind the comparison of two captures has.
const ROWS: usize = 40;

/// A file of HTML with reports.
#[derive(Debug)]
pub struct Page<W> {
    out: W,
}

impl<W: Write> Page<W> {
    /// Begins a page. The writes are few and large, so `out` need not be buffered.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn new(mut out: W) -> io::Result<Page<W>> {
        let [style, uplot, script] = [STYLE, UPLOT, SCRIPT].map(hash);
        write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             script-src {uplot} {script}; style-src {style}; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"generator\" content=\"gdwire {}\">\n\
             <title>gdwire report</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{BODY}",
            env!("CARGO_PKG_VERSION")
        )?;
        Ok(Page { out })
    }

    /// Adds the report of a capture, with a name to show. `arguments` are the arguments for `gdwire
    /// decode` to show the messages of the capture, quoted for a shell. If they are empty, the page
    /// shows no command.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn add(&mut self, name: &str, arguments: &str, report: &Report) -> io::Result<()> {
        let mut json = Vec::new();
        report.write_json(name, arguments, &mut json)?;
        self.out.write_all(b"<script type=\"application/json\" class=\"capture\">")?;
        self.out.write_all(&escaped(&json))?;
        self.out.write_all(b"</script>\n")
    }

    /// Adds the comparison of the two captures of the page, with their names.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn compare(&mut self, names: [&str; 2], comparison: &Comparison) -> io::Result<()> {
        let mut json = Vec::new();
        comparison.write_rows(names, ROWS, &mut json)?;
        self.out.write_all(b"<script type=\"application/json\" id=\"comparison\">")?;
        self.out.write_all(&escaped(&json))?;
        self.out.write_all(b"</script>\n")
    }

    /// Ends the page, and returns the output.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<W> {
        write!(
            self.out,
            "<script>{UPLOT}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
        )?;
        Ok(self.out)
    }
}

/// The hash that allows a script or style in a content security policy.
fn hash(content: &str) -> String {
    format!("'sha256-{}'", BASE64.encode(&Sha256::digest(content)))
}

/// JSON with escapes for the characters that have a meaning in HTML, which occur only in its
/// strings.
fn escaped(json: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(json.len());
    for byte in json {
        match byte {
            b'<' => escaped.extend_from_slice(b"\\u003c"),
            b'>' => escaped.extend_from_slice(b"\\u003e"),
            b'&' => escaped.extend_from_slice(b"\\u0026"),
            byte => escaped.push(*byte),
        }
    }
    escaped
}
