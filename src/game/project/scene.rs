//! Scenes (`.tscn`) and resources (`.tres`): the nodes in the file itself, without those of the
//! scenes that it instances, and which properties a synchronizer sends.

use super::ids::{Interner, NameId, number};
use super::limits;
use super::problems::{ProblemKind, Problems};
use super::resource::{
    Attributes, FilePart, FileParts, Reference, boolean_of, integer_of, interval_of, node_path_of,
    reference_of, string_of, strings_of,
};
use super::script::syntax::Expr;
use super::script::{ClassId, Scripts, gd_parser, gdscript};
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

/// A scene as it is in its file.
#[derive(Debug)]
pub(crate) struct SceneFile {
    pub(crate) file: NameId,
    pub(crate) nodes: Vec<FileNode>,
    /// The files that it refers to.
    pub(crate) references: Vec<FileReference>,
    /// Whether the end is missing.
    pub(crate) is_damaged: bool,
}

/// A reference to another file, by its uid, its path, or both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileReference {
    pub(crate) uid: Option<NameId>,
    pub(crate) path: Option<NameId>,
    pub(crate) line: u32,
}

/// A node in the file of a scene.
#[derive(Debug)]
pub(crate) struct FileNode {
    pub(crate) line: u32,
    /// The name; empty if it cannot be in a path.
    pub(crate) name: NameId,
    /// The path of its parent; none for the root.
    pub(crate) parent: Option<NameId>,
    pub(crate) kind: FileNodeKind,
    /// The engine's class of a new node.
    pub(crate) class: Option<NameId>,
    /// Its place among its siblings, if that is not the last one.
    pub(crate) index: Option<usize>,
    pub(crate) script: Option<ResourceRef>,
    pub(crate) is_unique: Option<bool>,
    pub(crate) spawnable: Option<Box<[NameId]>>,
    pub(crate) spawn_path: Option<NameId>,
    pub(crate) root_path: Option<NameId>,
    pub(crate) config: Option<ResourceRef>,
    /// `replication_interval` and `delta_interval`.
    pub(crate) intervals: [Option<Duration>; 2],
    /// The values of variables of its script, as far as they may name scenes or nodes.
    pub(crate) values: Vec<(NameId, Expr)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FileNodeKind {
    /// A new node of any other class.
    Other,
    Spawner,
    Synchronizer,
    /// A node of the instanced scene, with changes.
    Changed,
    /// A new instance of a scene.
    Instance(ResourceRef),
}

/// A resource that a property refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ResourceRef {
    Null,
    /// An index into the references of the scene.
    File(usize),
    Class(ClassId),
    /// An index into the list of all configurations.
    Config(u32),
    Unknown,
}

/// The content of all files of a project.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    pub(crate) scripts: Scripts,
    pub(crate) configs: Vec<ReplicationConfig>,
    /// The number of nodes in all files.
    nodes: usize,
}

impl Resources {
    fn add_config(&mut self, config: ReplicationConfig) -> u32 {
        let id = number(self.configs.len());
        self.configs.push(config);
        id
    }
}

/// A file that was read.
#[derive(Debug)]
pub(crate) enum FileContent {
    Scene(SceneFile),
    /// A replication configuration.
    Config(u32),
    /// Any other resource, or a damaged one.
    Other,
}

/// Reads a `.tscn` or `.tres` file. Returns its content and its uid.
pub(crate) fn read_scene_file(
    text: &str,
    path: &str,
    resources: &mut Resources,
    names: &mut Interner,
    problems: &mut Problems,
) -> (FileContent, Option<String>) {
    let file = names.add(path);
    let mut items = FileParts::new(text);
    let mut reader = SceneReader {
        resources,
        names,
        problems,
        path,
        scene: SceneFile { file, nodes: Vec::new(), references: Vec::new(), is_damaged: false },
        external: BTreeMap::new(),
        internal: BTreeMap::new(),
        current: Current::Nothing,
        is_scene: false,
        has_scenes: false,
        resource_type: None,
        resource: None,
        uid: None,
    };
    let mut limit = None;
    while let Some(item) = items.next() {
        limit = reader.limit();
        if limit.is_some() {
            break;
        }
        match item {
            FilePart::Section { tag, attributes } => {
                reader.finish_section();
                reader.section(tag, &attributes, items.line);
            }
            FilePart::Property { name, value } => reader.property(name, value, items.line),
        }
    }
    let problem = limit.or(items.problem.map(ProblemKind::Syntax));
    if let Some(problem) = problem {
        // The current node or resource may lack its last lines.
        reader.current = Current::Nothing;
        reader.scene.is_damaged = true;
        reader.problems.add(path, items.line, problem);
    }
    reader.finish_section();
    let content = match reader.resource {
        _ if reader.is_scene => FileContent::Scene(reader.scene),
        Some(config) => FileContent::Config(config),
        None => FileContent::Other,
    };
    (content, reader.uid)
}

struct SceneReader<'s> {
    resources: &'s mut Resources,
    names: &'s mut Interner,
    problems: &'s mut Problems,
    path: &'s str,
    scene: SceneFile,
    /// The resources of other files, as indices into the references.
    external: BTreeMap<String, usize>,
    /// The resources of this file.
    internal: BTreeMap<String, ResourceRef>,
    current: Current,
    is_scene: bool,
    /// Whether it refers to other scenes.
    has_scenes: bool,
    /// The type of the resource in a `.tres` file.
    resource_type: Option<String>,
    resource: Option<u32>,
    uid: Option<String>,
}

/// The section that the following properties belong to.
enum Current {
    /// A section whose properties are skipped.
    Nothing,
    /// The last node.
    Node,
    Script {
        id: String,
        source: Option<String>,
    },
    /// A configuration with its id, or the resource of the file.
    Config {
        id: Option<String>,
        reader: ConfigReader,
    },
}

const CONFIG: &str = "SceneReplicationConfig";

impl SceneReader<'_> {
    fn limit(&self) -> Option<ProblemKind> {
        if self.names.is_full() {
            Some(ProblemKind::Limit("64 MiB of names"))
        } else if self.resources.nodes >= limits::NODES {
            Some(ProblemKind::Limit("1,048,576 nodes and resources"))
        } else {
            None
        }
    }

    fn section(&mut self, tag: &str, attributes: &Attributes<'_>, line: u32) {
        let text = |name| attributes.get(name).and_then(string_of);
        // In older files, ids are numbers without quotes.
        let id = || attributes.get("id").map(|id| string_of(id).unwrap_or_else(|| id.into()));
        match tag {
            "gd_scene" => (self.is_scene, self.uid) = (true, text("uid")),
            "gd_resource" => (self.resource_type, self.uid) = (text("type"), text("uid")),
            "ext_resource" => {
                let (uid, path) = (text("uid"), text("path"));
                if let Some(id) = id() {
                    self.resources.nodes += 1;
                    self.external.insert(id, self.scene.references.len());
                    let uid = uid.map(|uid| self.names.add(&uid));
                    let path = path.map(|path| self.names.add(&path));
                    self.scene.references.push(FileReference { uid, path, line });
                    self.has_scenes |= text("type").as_deref() == Some("PackedScene");
                    // A node may get the file if it is a script.
                    let names = [uid, path].into_iter().flatten();
                    let file = self.scene.file;
                    self.resources.scripts.mentions.paths.extend(names.map(|name| (file, name)));
                }
            }
            "sub_resource" => {
                self.current = match (text("type").as_deref(), id()) {
                    (Some(CONFIG), id @ Some(_)) => {
                        Current::Config { id, reader: ConfigReader::default() }
                    }
                    (Some("GDScript"), Some(id)) => Current::Script { id, source: None },
                    _ => Current::Nothing,
                };
            }
            "resource" if self.resource_type.as_deref() == Some(CONFIG) => {
                self.current = Current::Config { id: None, reader: ConfigReader::default() };
            }
            "node" if self.is_scene => self.node(attributes, line),
            _ => {}
        }
    }

    /// Notes the scenes that a value refers to: a script may create instances of them.
    fn note_scenes(&mut self, value: &str) {
        let file = self.scene.file;
        let paths = &mut self.resources.scripts.sources.paths;
        if self.has_scenes {
            for part in value.split("ExtResource(").skip(1) {
                let id = part.split(')').next().map(|id| id.trim_matches(['"', ' ']));
                let place = id.and_then(|id| self.external.get(id));
                if let Some(reference) = place.and_then(|at| self.scene.references.get(*at)) {
                    let names = [reference.uid, reference.path].into_iter().flatten();
                    paths.extend(names.map(|name| (file, name)));
                }
            }
        }
        if value.contains("res://") || value.contains("uid://") {
            for text in value.split('"') {
                if text.starts_with("res://") || text.starts_with("uid://") {
                    paths.insert((file, self.names.add(text)));
                }
            }
        }
    }

    fn node(&mut self, attributes: &Attributes<'_>, line: u32) {
        let text = |name| attributes.get(name).and_then(string_of);
        let class = text("type");
        let kind = match (attributes.get("instance"), class.as_deref()) {
            (Some(instance), _) => FileNodeKind::Instance(self.source(instance, line)),
            (None, Some("MultiplayerSpawner")) => FileNodeKind::Spawner,
            (None, Some("MultiplayerSynchronizer")) => FileNodeKind::Synchronizer,
            (None, Some(_)) => FileNodeKind::Other,
            (None, None) if attributes.get("instance_placeholder").is_some() => FileNodeKind::Other,
            (None, None) => FileNodeKind::Changed,
        };
        if let Some(placeholder) = attributes.get("instance_placeholder") {
            self.note_scenes(placeholder);
        }
        let index = attributes.get("index").and_then(integer_of);
        let is_valid = |name: &String| !name.contains('/') && !matches!(name.as_str(), "." | "..");
        let name = text("name").filter(is_valid).unwrap_or_default();
        if name.is_empty() {
            self.problems.add(self.path, line, ProblemKind::Syntax("the name of the node"));
        }
        self.resources.nodes += 1;
        self.current = Current::Node;
        self.scene.nodes.push(FileNode {
            line,
            name: self.names.add(&name),
            parent: text("parent").map(|parent| self.names.add(&parent)),
            kind,
            class: class.map(|class| self.names.add(&class)),
            index: index.and_then(|index| usize::try_from(index).ok()),
            script: None,
            is_unique: None,
            spawnable: None,
            spawn_path: None,
            root_path: None,
            config: None,
            intervals: [None; 2],
            values: Vec::new(),
        });
    }

    fn property(&mut self, name: &str, value: &str, line: u32) {
        self.note_scenes(value);
        match &mut self.current {
            Current::Nothing => {}
            Current::Node => self.node_property(name, value, line),
            Current::Script { source, .. } => {
                if name == "script/source" {
                    *source = string_of(value);
                }
            }
            Current::Config { reader, .. } => reader.property(name, value, self.names),
        }
    }

    fn node_property(&mut self, name: &str, value: &str, line: u32) {
        fn set<T>(property: &mut Option<T>, value: Option<T>) -> bool {
            *property = value;
            property.is_some()
        }
        let is_resource = matches!(name, "script" | "replication_config");
        let source = is_resource.then(|| self.source(value, line));
        let Some(node) = self.scene.nodes.last_mut() else { return };
        let mut path = || node_path_of(value).map(|path| self.names.add(&path));
        let is_read = match name {
            "script" => set(&mut node.script, source),
            "replication_config" => set(&mut node.config, source),
            "spawn_path" => set(&mut node.spawn_path, path()),
            "root_path" => set(&mut node.root_path, path()),
            "_spawnable_scenes" => {
                let scenes = strings_of(value);
                let scenes = scenes.map(|all| all.iter().map(|it| self.names.add(it)).collect());
                set(&mut node.spawnable, scenes)
            }
            "replication_interval" => set(&mut node.intervals[0], interval_of(value)),
            "delta_interval" => set(&mut node.intervals[1], interval_of(value)),
            "unique_name_in_owner" => {
                node.is_unique = boolean_of(value);
                true
            }
            _ => return self.variable(name, value),
        };
        if !is_read {
            let problem = ProblemKind::Syntax("a value of this property's type");
            self.problems.add(self.path, line, problem);
        }
    }

    /// Reads the value of a variable of a script, if it may name a scene or a node.
    fn variable(&mut self, name: &str, value: &str) {
        let begins = |c: char| c.is_ascii_alphabetic() || matches!(c, '"' | '[' | '{' | '&' | '^');
        let is_plain = matches!(value, "true" | "false") || value.starts_with("Vector");
        if is_plain || !value.starts_with(begins) || name.contains('/') {
            return;
        }
        let file = |id: &str| {
            let reference = self.scene.references.get(*self.external.get(id)?)?;
            Some(Expr::File { uid: reference.uid, path: reference.path })
        };
        let value = exported_value(value, file, self.names);
        let name = self.names.add(name);
        if let Some(node) = self.scene.nodes.last_mut() {
            node.values.push((name, value));
        }
    }

    fn source(&mut self, value: &str, line: u32) -> ResourceRef {
        let source = match reference_of(value) {
            Some(Reference::Null) => Some(ResourceRef::Null),
            Some(Reference::External(id)) => self.external.get(&id).copied().map(ResourceRef::File),
            Some(Reference::Internal(id)) => self.internal.get(&id).copied(),
            None => None,
        };
        source.unwrap_or_else(|| {
            self.problems.add(self.path, line, ProblemKind::Syntax("a resource of this file"));
            ResourceRef::Unknown
        })
    }

    fn finish_section(&mut self) {
        match core::mem::replace(&mut self.current, Current::Nothing) {
            Current::Nothing => {}
            Current::Node => {
                // A node of the engine's class has no such variables without a script.
                if let Some(node) = self.scene.nodes.last_mut()
                    && node.script.is_none()
                    && !matches!(node.kind, FileNodeKind::Changed | FileNodeKind::Instance(_))
                {
                    node.values = Vec::new();
                }
            }
            Current::Script { id, source } => {
                self.resources.nodes += 1;
                let path = format!("{}::{id}", self.path);
                let scripts = &mut self.resources.scripts;
                let class = source
                    .map(|text| gdscript::read(&text, &path, scripts, self.names, self.problems));
                self.internal.insert(id, class.map_or(ResourceRef::Unknown, ResourceRef::Class));
            }
            Current::Config { id, reader } => {
                self.resources.nodes += 1;
                let file = self.names.add(&format!("res://{}", self.path));
                let config = reader.finish(file).map(|config| self.resources.add_config(config));
                match id {
                    Some(id) => {
                        self.internal
                            .insert(id, config.map_or(ResourceRef::Unknown, ResourceRef::Config));
                    }
                    None => self.resource = config,
                }
            }
        }
    }
}

/// Reads a value; `file` gives the file that has an id. A value that is not a string, a reference
/// or a container of these is [`Expr::Other`].
pub(super) fn exported_value(
    text: &str,
    file: impl Fn(&str) -> Option<Expr>,
    names: &mut Interner,
) -> Expr {
    let may_name = ["ExtResource", "res://", "uid://", "NodePath", ".tscn"];
    if text == "null" {
        return Expr::Nothing;
    }
    if text.len() > limits::VALUE_BYTES || !may_name.iter().any(|word| text.contains(word)) {
        return Expr::Other;
    }
    let Some(read) = gd_parser::scene_value(text, names) else { return Expr::Other };
    simple(read, names, &file)
}

fn simple(value: Expr, names: &Interner, file: &impl Fn(&str) -> Option<Expr>) -> Expr {
    match value {
        Expr::Text(_) | Expr::Nothing => value,
        Expr::List(items) => simple_list(items, names, file),
        Expr::Map(entries) => {
            let both = |(key, value)| (key_of(key), simple(value, names, file));
            Expr::Map(entries.into_iter().map(both).collect())
        }
        Expr::Call(function, mut arguments) => {
            let name = match *function {
                Expr::Name(name) => names.text(name),
                // A typed container.
                Expr::Index(_) | Expr::Other => "Array",
                _ => "",
            };
            match (name, arguments.as_slice()) {
                ("ExtResource", [Expr::Text(id)]) => file(id).unwrap_or(Expr::Other),
                ("ExtResource", [Expr::Int(id)]) => {
                    file(&alloc::format!("{id}")).unwrap_or(Expr::Other)
                }
                ("NodePath", [Expr::Text(_)]) | ("Array", [_]) => {
                    let inside = arguments.pop().unwrap_or(Expr::Other);
                    simple(inside, names, file)
                }
                ("PackedStringArray", _) => simple_list(arguments, names, file),
                _ => Expr::Other,
            }
        }
        _ => Expr::Other,
    }
}

/// A key of a dictionary, which may be a number, too.
fn key_of(key: Expr) -> Expr {
    match key {
        Expr::Text(_) | Expr::Int(_) => key,
        _ => Expr::Other,
    }
}

fn simple_list(items: Vec<Expr>, names: &Interner, file: &impl Fn(&str) -> Option<Expr>) -> Expr {
    Expr::List(items.into_iter().map(|item| simple(item, names, file)).collect())
}

/// The properties that a synchronizer sends, in the order of the file.
#[derive(Clone, Debug)]
pub(crate) struct ReplicationConfig {
    /// The path of the file, `res://…`.
    pub(crate) file: NameId,
    pub(crate) properties: Box<[ReplicatedProperty]>,
}

/// A configuration that is being read.
#[derive(Debug, Default)]
pub(super) struct ConfigReader {
    properties: Vec<ReplicatedProperty>,
    paths: BTreeSet<NameId>,
    is_damaged: bool,
}

/// A property that a synchronizer sends.
#[derive(Clone, Debug)]
pub(crate) struct ReplicatedProperty {
    /// The path as in the file, such as `.:position`.
    pub(crate) path: NameId,
    /// The path as it is displayed, such as `position`.
    pub(crate) name: NameId,
    pub(crate) is_spawned: bool,
    pub(crate) mode: ReplicationMode,
}

/// When a property is sent, apart from spawns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReplicationMode {
    Never,
    Always,
    OnChange,
}

impl ConfigReader {
    /// Reads a line such as `properties/0/path = NodePath(".:position")`, as the engine does: the
    /// line with the path adds a property, and the lines after it change that property.
    pub(super) fn property(&mut self, name: &str, value: &str, names: &mut Interner) {
        let Some((index, what)) = name.strip_prefix("properties/").and_then(|n| n.split_once('/'))
        else {
            return;
        };
        let Ok(index) = index.parse::<usize>() else { return };
        if what == "path" {
            match node_path_of(value) {
                Some(path) if index == self.properties.len() => {
                    let id = names.add(&path);
                    // The name of the property alone, by which its kind is found.
                    path.split(':').nth(1).map(|property| names.add(property));
                    if self.paths.insert(id) {
                        let name = names.add(shown(&path));
                        self.properties.push(ReplicatedProperty {
                            path: id,
                            name,
                            is_spawned: true,
                            mode: ReplicationMode::Always,
                        });
                    }
                }
                Some(_) => {}
                None => self.is_damaged = true,
            }
        } else if let Some(property) = self.properties.get_mut(index) {
            self.is_damaged |= property.set(what, value).is_none();
        }
    }

    /// The properties; none if a line could not be read.
    pub(super) fn finish(self, file: NameId) -> Option<ReplicationConfig> {
        (!self.is_damaged).then(|| ReplicationConfig { file, properties: self.properties.into() })
    }
}

impl ReplicatedProperty {
    fn set(&mut self, what: &str, value: &str) -> Option<()> {
        match what {
            "spawn" => self.is_spawned = boolean_of(value)?,
            "replication_mode" => {
                self.mode = match integer_of(value)? {
                    1 => ReplicationMode::Always,
                    2 => ReplicationMode::OnChange,
                    _ => ReplicationMode::Never,
                }
            }
            // The first versions of Godot 4 have two booleans in place of the mode.
            "sync" => self.switch(boolean_of(value)?, ReplicationMode::Always),
            "watch" => self.switch(boolean_of(value)?, ReplicationMode::OnChange),
            _ => {}
        }
        Some(())
    }

    fn switch(&mut self, is_on: bool, mode: ReplicationMode) {
        if is_on {
            self.mode = mode;
        } else if self.mode == mode {
            self.mode = ReplicationMode::Never;
        }
    }
}

/// The path of a property as it is displayed: `.:position` is `position`.
fn shown(path: &str) -> &str {
    path.strip_prefix(".:").or_else(|| path.strip_prefix(':')).unwrap_or(path)
}
