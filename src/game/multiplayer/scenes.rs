//! The scenes of which a node may be an instance.

use super::known::SceneId;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// The scenes of which a node may be an instance. If the project is that of the game, the scene of
/// the node is among them. Packets and scripts exclude the others.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) enum Scenes {
    /// Any scene, or too many to list them.
    #[default]
    Any,
    /// One of these, which are sorted. Without any, packets contradict the project.
    Among(Box<[SceneId]>),
}

/// The number of scenes that are listed.
const MOST: usize = 16;

impl Scenes {
    /// No scene, because packets contradict those of the project.
    pub(super) fn none() -> Scenes {
        Scenes::Among(Box::default())
    }

    /// One of these scenes.
    pub(super) fn among(scenes: impl Iterator<Item = SceneId>) -> Scenes {
        let mut found = Vec::new();
        for scene in scenes {
            if let Err(place) = found.binary_search(&scene) {
                if found.len() == MOST {
                    return Scenes::Any;
                }
                found.insert(place, scene);
            }
        }
        Scenes::Among(found.into())
    }

    /// Those of these scenes that fit, and that are among `others`.
    pub(super) fn narrowed(&self, others: &Scenes, fits: impl Fn(SceneId) -> bool) -> Scenes {
        match (self, others) {
            (Scenes::Any, others) => others.clone(),
            (one, Scenes::Any) => one.filtered(fits),
            (one, Scenes::Among(others)) => {
                one.filtered(|scene| others.binary_search(&scene).is_ok() && fits(scene))
            }
        }
    }

    /// Those of these scenes that fit.
    pub(super) fn filtered(&self, fits: impl Fn(SceneId) -> bool) -> Scenes {
        match self {
            Scenes::Any => Scenes::Any,
            Scenes::Among(all) => {
                Scenes::Among(all.iter().copied().filter(|scene| fits(*scene)).collect())
            }
        }
    }

    /// Whether a scene is among them.
    pub(super) fn has(&self, scene: SceneId) -> bool {
        match self {
            Scenes::Any => true,
            Scenes::Among(all) => all.binary_search(&scene).is_ok(),
        }
    }

    /// The scene, if only one is left.
    pub(super) fn only(&self) -> Option<SceneId> {
        match self {
            Scenes::Among(all) if all.len() == 1 => all.first().copied(),
            _ => None,
        }
    }

    /// The scenes that are listed.
    pub(super) fn list(&self) -> &[SceneId] {
        match self {
            Scenes::Any => &[],
            Scenes::Among(all) => all,
        }
    }
}
