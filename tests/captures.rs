//! Capture files, and what their messages add up to.

mod capture;
mod common;
mod diagnose;
mod explain;
mod expression;
