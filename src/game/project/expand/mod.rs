//! Puts scenes together with the scenes that they instance or inherit.
//!
//! The scenes come in as they are in their files. One tree of nodes comes out for each. [`builder`] adds the
//! nodes of one scene, [`roles`] their scripts, spawners and synchronizers.

mod builder;
mod roles;
mod scenes;

pub(super) use scenes::expand;
