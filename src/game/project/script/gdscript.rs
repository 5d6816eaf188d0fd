//! Reads the classes and remote methods of a script in GDScript.

use super::gd_effects::{GdRpcCalls, GdWatch, Mentions};
use super::tokens::{ReadTokens, Token, Tokens};
use super::{
    ClassId, ClassMember, Extends, Language, MemberKind, RpcConfig, ScriptClass, Scripts,
    Signature, TransferMode,
};
use crate::game::project::ids::{Interner, NameId, number};
use crate::game::project::limits;
use crate::game::project::problems::{ProblemKind, Problems};
use crate::value::Kind;
use alloc::format;
use alloc::vec::Vec;

/// Reads a script, and returns its class.
pub(crate) fn read(
    text: &str,
    path: &str,
    scripts: &mut Scripts,
    names: &mut Interner,
    problems: &mut Problems,
) -> ClassId {
    let file = (names.add(path), names.add(&format!("res://{path}")));
    let first = scripts.classes.len();
    let root = scripts.add(class(file, 1, None, None));
    let mut reader = GdscriptReader {
        tokens: Tokens::new(text, Tokens::gdscript),
        scripts,
        names,
        file,
        open: Vec::from([OpenClass { class: root, indent: 0 }]),
        begun: None,
        rpc: None,
        runtime: GdRpcCalls::default(),
        mentions: Mentions::default(),
        watch: GdWatch::default(),
        function: None,
        is_exported: false,
        called: None,
    };
    let limit = reader.script();
    reader.note_loose();
    reader.note_mentions(root);
    reader.note_effects(root);
    let broken = reader.tokens.problem;
    if let Some((line, what)) = broken {
        problems.add(path, line, ProblemKind::Syntax(what));
    }
    let is_damaged = broken.is_some() || limit.is_some();
    if let Some(limit) = limit {
        problems.add(path, reader.tokens.line, limit);
    }
    for class in scripts.classes.iter_mut().skip(first) {
        class.is_damaged = is_damaged;
    }
    let tokens = Tokens::new(text, Tokens::gdscript);
    let end = number(scripts.classes.len());
    scripts.grants.read(tokens, root..end, names);
    root
}

const fn class(
    (file, path): (NameId, NameId),
    line: u32,
    name: Option<NameId>,
    outer: Option<ClassId>,
) -> ScriptClass {
    ScriptClass {
        file,
        path,
        line,
        name,
        outer,
        extends: Extends::Nothing,
        methods: Vec::new(),
        functions: Vec::new(),
        is_damaged: false,
        language: Language::Gdscript,
    }
}

struct GdscriptReader<'a, 's> {
    tokens: Tokens<'a>,
    scripts: &'s mut Scripts,
    names: &'s mut Interner,
    /// The path of the file, and that path with `res://`.
    file: (NameId, NameId),
    /// The classes around the current line, from the outermost.
    open: Vec<OpenClass>,
    /// The class whose body begins with the next line, if that is indented.
    begun: Option<ClassId>,
    /// The `@rpc` before the next function.
    rpc: Option<RpcConfig>,
    runtime: GdRpcCalls<'a>,
    mentions: Mentions<'a>,
    watch: GdWatch<'a>,
    /// The function whose lines are being read.
    function: Option<(ClassId, NameId)>,
    /// Whether scenes may set the next variable.
    is_exported: bool,
    /// The name before the current token, if only a dot is between them.
    called: Option<&'a str>,
}

/// A class and the indentation of its lines.
struct OpenClass {
    class: ClassId,
    indent: usize,
}

impl<'a> ReadTokens<'a> for GdscriptReader<'a, '_> {
    fn peek(&mut self) -> Option<Token<'a>> {
        self.tokens.peek()
    }

    fn take(&mut self) -> Option<Token<'a>> {
        let token = self.tokens.take()?;
        if let Some(name) = self.runtime.note(token) {
            let name = self.names.add(name);
            self.scripts.candidates.insert(name);
        }
        self.mentions.note(token);
        let assigns = self.watch.note(token, self.tokens.byte());
        let changes_list = self.scripts.sources.note(token, assigns, self.function);
        self.watch.effects.changes_spawners |= changes_list;
        // A remote call: `name.rpc(…)`.
        match token {
            Token::Name("rpc" | "rpc_id") => {
                if let Some(name) = self.called.take() {
                    let name = self.names.add(name);
                    self.scripts.word(name);
                }
            }
            Token::Name(name) => self.called = Some(name),
            Token::Mark('.') => {}
            _ => self.called = None,
        }
        Some(token)
    }
}

impl<'a> GdscriptReader<'a, '_> {
    /// Reads the whole script. If a limit stops it, returns that limit.
    fn script(&mut self) -> Option<ProblemKind> {
        while let Some(token) = self.take() {
            let Token::Line { indent } = token else { continue };
            if let Some(limit) = self.scripts.limit(self.names) {
                return Some(limit);
            }
            if let Some(class) = self.class_of(indent) {
                self.statements(class);
            }
        }
        None
    }

    /// The class whose body has a line with this indentation. None for a line in a function.
    fn class_of(&mut self, indent: usize) -> Option<ClassId> {
        let begun = self.begun.take();
        let innermost = self.open.last()?;
        if let Some(class) = begun.filter(|_| indent > innermost.indent) {
            self.open.push(OpenClass { class, indent });
            return Some(class);
        }
        while self.open.len() > 1 && self.open.last().is_some_and(|open| open.indent > indent) {
            self.open.pop();
        }
        self.open.last().filter(|open| open.indent == indent).map(|open| open.class)
    }

    /// Reads a line in the body of a class.
    fn statements(&mut self, class: ClassId) {
        loop {
            match self.peek() {
                None | Some(Token::Line { .. }) => return,
                Some(Token::Mark(';')) => drop(self.take()),
                Some(Token::Mark('@')) => self.annotation(),
                Some(Token::Name(word)) => {
                    self.take();
                    self.statement(class, word);
                }
                Some(_) => self.skip(),
            }
        }
    }

    fn statement(&mut self, class: ClassId, word: &str) {
        match word {
            "static" => {}
            "func" => {
                let rpc = self.rpc.take();
                if let Some(name) = self.take_text() {
                    let name = self.names.add(name);
                    self.member(class, name, MemberKind::Function);
                    self.function = Some((class, name));
                    let parameters = self.parameters();
                    self.scripts.method(class, name, rpc, parameters);
                }
                while !matches!(self.peek(), None | Some(Token::Line { .. })) {
                    self.take();
                }
            }
            "var" => self.variable(class),
            "const" => {
                self.function = None;
                if let Some(name) = self.take_text() {
                    let name = self.names.add(name);
                    self.member(class, name, MemberKind::Constant);
                }
                self.skip();
            }
            "class_name" => {
                if let Some(name) = self.take_text() {
                    self.class_name(class, name);
                }
            }
            "extends" => {
                let extends = self.extends();
                if let Some(class) = self.scripts.class_mut(class) {
                    class.extends = extends;
                }
            }
            "class" => self.inner_class(class),
            _ => {
                self.rpc = None;
                self.skip();
            }
        }
    }

    /// Reads the parameters of a function, up to the closing parenthesis. None if they are not what
    /// a function can have.
    fn parameters(&mut self) -> Option<Signature> {
        let mut kinds = Vec::new();
        let (mut required, mut has_default) = (0, false);
        if !self.take_mark('(') {
            return None;
        }
        while !self.take_mark(')') {
            if self.take_mark('.') {
                // `...rest`, which is the last parameter.
                self.skip_brackets();
                return Some(Signature { required, kinds: kinds.into(), is_variadic: true });
            }
            self.take_text()?;
            let (mut kind, mut is_inferred) = (None, false);
            if self.take_mark(':') {
                is_inferred = self.take_mark('=');
                kind = if is_inferred { self.inferred() } else { self.declared() };
            }
            has_default |= is_inferred || self.skip_parameter()?;
            if is_inferred {
                self.skip_parameter()?;
            }
            kinds.push(kind);
            required += usize::from(!has_default);
        }
        Some(Signature { required, kinds: kinds.into(), is_variadic: false })
    }

    /// Skips the rest of a parameter with the comma after it. Returns whether it has a default
    /// value.
    fn skip_parameter(&mut self) -> Option<bool> {
        let mut has_default = false;
        loop {
            match self.peek()? {
                Token::Mark(')') => return Some(has_default),
                Token::Mark(',') => {
                    self.take();
                    return Some(has_default);
                }
                Token::Mark('(' | '[' | '{') => {
                    self.take();
                    self.skip_brackets();
                }
                // The commas in a function are not those between parameters.
                Token::Name("func") => return None,
                token => {
                    has_default |= token == Token::Mark('=');
                    self.take();
                }
            }
        }
    }

    /// Skips a statement.
    fn skip(&mut self) {
        let mut depth = 0_usize;
        while let Some(token) = self.peek() {
            match token {
                Token::Line { .. } => return,
                Token::Mark(';') if depth == 0 => return,
                Token::Mark('(' | '[' | '{') => depth += 1,
                Token::Mark(')' | ']' | '}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.take();
        }
    }

    /// Reads the name of a variable, and its type if it has one: `var a: int`, `var b := 0.5`.
    fn variable(&mut self, class: ClassId) {
        self.rpc = None;
        self.function = None;
        let is_exported = core::mem::take(&mut self.is_exported);
        let Some(name) = self.take_text() else { return };
        let id = self.names.add(name);
        let member = if is_exported { MemberKind::Exported } else { MemberKind::Variable };
        self.member(class, id, member);
        let mut kind = None;
        if self.take_mark(':') {
            kind = if self.take_mark('=') { self.inferred() } else { self.declared() };
        }
        self.scripts.variable(class, id, kind);
        self.skip();
    }

    /// The kind of a declared type; none if it is a class, or any type.
    fn declared(&mut self) -> Option<Kind> {
        let kind = builtin(self.take_text()?)?;
        let is_nested = self.peek() == Some(Token::Mark('.'));
        (!is_nested).then_some(kind)
    }

    /// The kind of the variable whose initial value follows; none unless that is a single literal
    /// or constructor.
    fn inferred(&mut self) -> Option<Kind> {
        let kind = match self.take()? {
            Token::Mark('-' | '+') => {
                let Some(Token::Number(number)) = self.peek() else { return None };
                self.take();
                self.number(number)
            }
            Token::Number(number) => self.number(number),
            Token::Mark('.') => {
                let Some(Token::Number(_)) = self.take() else { return None };
                Kind::Float
            }
            Token::Text(_) => Kind::String,
            Token::Mark('&') => {
                let Some(Token::Text(_)) = self.take() else { return None };
                Kind::StringName
            }
            Token::Mark('^') => {
                let Some(Token::Text(_)) = self.take() else { return None };
                Kind::NodePath
            }
            Token::Mark('[') => {
                self.skip_brackets();
                Kind::Array
            }
            Token::Mark('{') => {
                self.skip_brackets();
                Kind::Dictionary
            }
            Token::Name("true" | "false") => Kind::Bool,
            Token::Name(name) => {
                let kind = builtin(name)?;
                match self.take()? {
                    Token::Mark('(') => drop(self.skip_brackets()),
                    Token::Mark('.') => {
                        let Some(Token::Name(constant)) = self.take() else { return None };
                        // Constants of another type than their class, such as `Vector2.AXIS_X`.
                        if constant.contains('_') && kind != Kind::Color
                            || !constant
                                .bytes()
                                .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
                        {
                            return None;
                        }
                    }
                    _ => return None,
                }
                kind
            }
            _ => return None,
        };
        let end = self.peek();
        matches!(end, None | Some(Token::Line { .. } | Token::Mark(';' | ':' | ',' | ')')))
            .then_some(kind)
    }

    /// Reads the rest of a number whose first part was read. A fraction and a sign of the exponent
    /// are tokens of their own.
    fn number(&mut self, first: &str) -> Kind {
        let is_other_base = matches!(first.as_bytes(), [b'0', b'x' | b'X' | b'b' | b'B', ..]);
        let (mut last, mut is_float) = (first, false);
        if !is_other_base && self.take_mark('.') {
            is_float = true;
            last = "";
            if let Some(Token::Number(fraction)) = self.peek() {
                self.take();
                last = fraction;
            }
        }
        if !is_other_base && last.contains(['e', 'E']) {
            is_float = true;
            if last.ends_with(['e', 'E']) && (self.take_mark('-') || self.take_mark('+')) {
                self.take();
            }
        }
        if is_float { Kind::Float } else { Kind::Int }
    }

    fn class_name(&mut self, class: ClassId, name: &str) {
        let name = self.names.add(name);
        if let Some(class) = self.scripts.class_mut(class) {
            class.name = Some(name);
        }
        let named = self.scripts.global.entry(name).or_insert(Some(class));
        *named = named.filter(|first| *first == class);
    }

    fn inner_class(&mut self, outer: ClassId) {
        let Some(name) = self.take_text() else { return };
        let name = self.names.add(name);
        let mut inner = class(self.file, self.tokens.line, Some(name), Some(outer));
        if self.peek() == Some(Token::Name("extends")) {
            self.take();
            inner.extends = self.extends();
        }
        let inner = self.scripts.add(inner);
        self.scripts.inner.insert((outer, name), inner);
        if self.take_mark(':') && matches!(self.peek(), Some(Token::Line { .. })) {
            self.begun = Some(inner);
        } else {
            while !matches!(self.peek(), None | Some(Token::Line { .. })) {
                self.take();
            }
        }
    }

    /// Reads what a class extends.
    fn extends(&mut self) -> Extends {
        let mut classes = Vec::new();
        let path = match self.peek() {
            Some(Token::Text(path)) => {
                self.take();
                Some(self.names.add(path))
            }
            _ => {
                classes.extend(self.take_text().map(|name| self.names.add(name)));
                None
            }
        };
        while self.take_mark('.') {
            classes.extend(self.take_text().map(|name| self.names.add(name)));
        }
        match path {
            Some(path) => Extends::Path(path, classes),
            None if classes.is_empty() => Extends::Nothing,
            None => Extends::Names(classes),
        }
    }

    fn annotation(&mut self) {
        self.take();
        let name = self.take_text();
        let is_rpc = name == Some("rpc");
        self.is_exported |= name.is_some_and(|name| name.starts_with("export"));
        let mut config = RpcConfig::DEFAULT;
        if self.take_mark('(') {
            self.arguments(&mut config);
        }
        if is_rpc {
            self.rpc = Some(config);
        }
    }

    /// Reads the arguments of an annotation, of which the fourth is the channel.
    fn arguments(&mut self, config: &mut RpcConfig) {
        let (mut depth, mut argument) = (1_usize, 0_u8);
        while let Some(token) = self.take() {
            if depth == 1 && argument == 3 && !matches!(token, Token::Mark(_)) {
                config.channel = match token {
                    Token::Number(number) => number.parse().ok(),
                    _ => None,
                };
            }
            match token {
                Token::Mark('(' | '[' | '{') => depth += 1,
                Token::Mark(')' | ']' | '}') => {
                    depth -= 1;
                    if depth == 0 {
                        return;
                    }
                }
                Token::Mark(',') if depth == 1 => argument = argument.saturating_add(1),
                Token::Text("any_peer") => config.any_peer = true,
                Token::Text("call_local") => config.call_local = true,
                Token::Text("unreliable") => config.transfer = TransferMode::Unreliable,
                Token::Text("unreliable_ordered") => {
                    config.transfer = TransferMode::UnreliableOrdered;
                }
                _ => {}
            }
        }
    }

    /// Notes the member whose name was read last.
    fn member(&mut self, class: ClassId, name: NameId, kind: MemberKind) {
        let member = ClassMember { at: self.tokens.at, kind };
        self.scripts.sources.members.insert((class, name), member);
    }

    fn note_effects(&mut self, root: ClassId) {
        self.watch.end();
        let sources = &mut self.scripts.sources;
        for name in core::mem::take(&mut self.watch.own) {
            sources.changed.insert((self.names.add(name), root));
        }
        for name in core::mem::take(&mut self.watch.others) {
            sources.changed_anywhere.insert(self.names.add(name));
        }
        for name in core::mem::take(&mut self.watch.inside) {
            sources.changed_inside.insert(self.names.add(name));
        }
        for path in core::mem::take(&mut self.watch.paths) {
            sources.paths.insert((self.file.0, self.names.add(path)));
        }
        let mut effects = self.watch.effects;
        // Tools for tests and editors make nodes of any class, but not those of the game.
        if self.watch.makes_any && !self.names.text(self.file.0).starts_with("addons/") {
            (effects.makes_synchronizers, effects.changes_spawners) = (true, true);
        }
        sources.add(self.file.0, effects);
        self.scripts.keep(self.file.0, self.tokens.text);
    }

    fn note_mentions(&mut self, root: ClassId) {
        // A name at the end is followed by nothing.
        self.mentions.note(Token::Line { indent: 0 });
        let all = &mut self.scripts.mentions;
        for name in core::mem::take(&mut self.mentions.names) {
            all.names.entry(self.names.add(name)).or_insert(self.file.0);
        }
        for path in core::mem::take(&mut self.mentions.paths) {
            all.paths.insert((self.file.0, self.names.add(path)));
        }
        all.selves.extend(self.mentions.is_self.then_some(root));
        all.loads_any |= self.mentions.loads_any;
        all.gives_any |= self.mentions.gives_any;
    }

    /// If the argument of an `rpc_config` is not a literal, it may be any string of the script.
    fn note_loose(&mut self) {
        for text in core::mem::take(&mut self.runtime.texts) {
            if self.runtime.is_loose || self.scripts.words.len() < limits::WORDS {
                let name = self.names.add(text);
                self.scripts.word(name);
                if self.runtime.is_loose {
                    self.scripts.loose.insert(name);
                }
            }
        }
    }
}

/// The kind of a built-in type with this name. Objects have classes.
fn builtin(name: &str) -> Option<Kind> {
    let is_name = |kind: &Kind| !matches!(kind, Kind::Nil | Kind::Object) && kind.name() == name;
    Kind::ALL.iter().copied().find(is_name)
}
