//! The files of a project: reads each, and finds the ones that others refer to.

use super::limits;
use super::names::{NameId, Names};
use super::path;
use super::problems::{ProblemKind, Problems, short};
use super::resource::scene::{self, Content, FileReference, Resources, SceneFile};
use super::resource::settings::{self, Settings};
use super::script::{self, ClassId, csharp, gdscript};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// What the reader found in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Script(ClassId),
    /// An index into the scenes.
    Scene(u32),
    /// An index into the configurations.
    Config(u32),
    /// An imported 3D scene, which contains no scripts.
    Model,
    /// Something that could not be read.
    Unknown,
}

/// All that was read of a project.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) names: Names,
    pub(super) problems: Problems,
    pub(super) resources: Resources,
    pub(super) scenes: Vec<SceneFile>,
    pub(super) settings: Settings,
    /// Whether there is a script, a native library or a binary resource that is not read.
    pub(super) has_unread: bool,
    by_path: BTreeMap<Box<str>, Target>,
    by_uid: BTreeMap<Box<str>, Box<str>>,
}

impl Files {
    /// Reads a file. Its content is not kept.
    pub(super) fn add(&mut self, path: &str, bytes: &[u8]) {
        let Some(path) = path::resolve("", path.trim_start_matches('/')) else {
            return self.problems.add(path, None, ProblemKind::Outside(short(path)));
        };
        if self.by_path.contains_key(path.as_str()) {
            return self.problems.add(&path, None, ProblemKind::Twice);
        }
        if self.by_path.len() >= limits::NAMES {
            return self.problems.add(&path, None, ProblemKind::Limit("4,194,304 files"));
        }
        let target = self.read(&path, bytes);
        self.by_path.insert(path.into(), target);
    }

    fn read(&mut self, path: &str, bytes: &[u8]) -> Target {
        let extension = path::extension(path);
        if !is_read(&extension) {
            self.has_unread |= matches!(extension.as_str(), "res" | "gdextension" | "gdc");
            return target_of(&extension);
        }
        let is_script = matches!(extension.as_str(), "gd" | "cs");
        let text = match core::str::from_utf8(bytes) {
            Ok(_) if is_script && bytes.len() > limits::SCRIPT_BYTES => {
                self.has_unread = true;
                self.problems.add(path, None, ProblemKind::Limit("16 MiB of a script"));
                return Target::Unknown;
            }
            Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
            Err(_) => {
                self.has_unread = true;
                self.problems.add(path, None, ProblemKind::NotUtf8);
                return Target::Unknown;
            }
        };
        let (names, problems) = (&mut self.names, &mut self.problems);
        let scripts = &mut self.resources.scripts;
        scripts.changes_synchronizers |= is_script && script::changes_synchronizers(text);
        match extension.as_str() {
            "gd" => Target::Script(gdscript::read(text, path, scripts, names, problems)),
            "cs" => csharp::read(text, path, scripts, names, problems)
                .map_or(Target::Unknown, Target::Script),
            "uid" => {
                let (uid, owner) = (text.trim(), path.get(..path.len() - ".uid".len()));
                if let (true, Some(owner)) = (uid.starts_with("uid://"), owner) {
                    self.by_uid.insert(uid.into(), owner.into());
                }
                Target::Unknown
            }
            "godot" => {
                if path == "project.godot" {
                    self.settings = settings::read(text, path, names, problems);
                }
                Target::Unknown
            }
            _ => self.resource(text, path),
        }
    }

    fn resource(&mut self, text: &str, path: &str) -> Target {
        let (content, uid) =
            scene::read(text, path, &mut self.resources, &mut self.names, &mut self.problems);
        if let Some(uid) = uid {
            self.by_uid.insert(uid.into(), path.into());
        }
        match content {
            Content::Scene(scene) => {
                let id = u32::try_from(self.scenes.len()).unwrap_or(u32::MAX);
                self.scenes.push(scene);
                Target::Scene(id)
            }
            Content::Config(config) => Target::Config(config),
            Content::Other => Target::Unknown,
        }
    }

    /// Finds the file at a path or uid to which another file refers. Reports missing files.
    pub(super) fn locate(&mut self, file: &str, line: u32, reference: &str) -> Target {
        self.find(file, reference).unwrap_or_else(|problem| {
            self.problems.add(file, line, problem);
            Target::Unknown
        })
    }

    /// Finds the file at a path or uid to which another file refers.
    pub(super) fn find(&self, file: &str, reference: &str) -> Result<Target, ProblemKind> {
        if reference.starts_with("uid://") {
            match self.by_uid.get(reference) {
                Some(path) => self.at(path),
                None => Err(ProblemKind::Missing(short(reference))),
            }
        } else {
            match path::resolve(file, reference) {
                Some(path) => self.at(&path),
                None => Err(ProblemKind::Outside(short(reference))),
            }
        }
    }

    /// Finds the target of a reference in a scene. If its uid is known, the uid decides.
    pub(super) fn follow(&mut self, file: NameId, reference: FileReference) -> Target {
        let known = |uid: &NameId| self.by_uid.contains_key(self.names.text(*uid));
        let target = reference.uid.filter(known).or(reference.path).or(reference.uid);
        let Some(target) = target else { return Target::Unknown };
        let (file, target) =
            (String::from(self.names.text(file)), String::from(self.names.text(target)));
        self.locate(&file, reference.line, &target)
    }

    /// The scenes, scripts and models by path and by uid.
    pub(super) fn targets(&self) -> BTreeMap<Box<str>, Target> {
        let is_known = |target: &Target| !matches!(target, Target::Config(_));
        let by_path = self.by_path.iter().filter(|(_, target)| is_known(target));
        let by_path =
            by_path.map(|(path, target)| (alloc::format!("res://{path}").into(), *target));
        let by_uid = self.by_uid.iter();
        let by_uid = by_uid.filter_map(|(uid, path)| Some((uid.clone(), self.at(path).ok()?)));
        by_path.chain(by_uid).collect()
    }

    /// The paths of the files whose contents were read.
    pub(super) fn take_paths(&mut self) -> Vec<Box<str>> {
        let paths = core::mem::take(&mut self.by_path).into_keys();
        paths.filter(|path| is_read(&path::extension(path))).collect()
    }

    fn at(&self, path: &str) -> Result<Target, ProblemKind> {
        if let Some(target) = self.by_path.get(path) {
            return Ok(*target);
        }
        let extension = path::extension(path);
        match target_of(&extension) {
            Target::Model => Ok(Target::Model),
            _ if matches!(extension.as_str(), "scn" | "res") => {
                Err(ProblemKind::Binary(short(path)))
            }
            _ => Err(ProblemKind::Missing(short(path))),
        }
    }
}

/// Whether files with this extension are read. Of others only the paths are needed.
pub(super) fn is_read(extension: &str) -> bool {
    matches!(extension, "gd" | "cs" | "tscn" | "tres" | "uid" | "godot")
}

/// The kind of a file that is not read.
fn target_of(extension: &str) -> Target {
    match extension {
        "glb" | "gltf" | "blend" | "fbx" | "dae" | "obj" | "escn" => Target::Model,
        _ => Target::Unknown,
    }
}
