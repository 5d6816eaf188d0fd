//! Reads the classes and remote methods of a script in C#.

use super::cs_effects::{CsRpcCalls, CsWatch};
use super::tokens::{ReadTokens, Token, Tokens};
use super::{
    ClassId, ClassMember, Extends, Language, MemberKind, RpcConfig, ScriptClass, Scripts,
    Signature, TransferMode, has_word,
};
use crate::game::project::files::stem;
use crate::game::project::ids::{Interner, NameId};
use crate::game::project::limits;
use crate::game::project::problems::{ProblemKind, Problems};
use crate::value::Kind;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Reads a script, and returns the class in it that has the name of the file.
pub(crate) fn read(
    text: &str,
    file: &str,
    scripts: &mut Scripts,
    names: &mut Interner,
    problems: &mut Problems,
) -> Option<ClassId> {
    let file_id = (names.add(file), names.add(&format!("res://{file}")));
    let mut reader = CsharpReader {
        tokens: Tokens::new(text, Tokens::csharp),
        scripts,
        names,
        file: file_id,
        namespace: String::new(),
        open: Vec::new(),
        found: Vec::new(),
        runtime: CsRpcCalls::default(),
        watch: CsWatch::default(),
        function: None,
    };
    let limit = reader.script();
    reader.note_loose();
    reader.note_effects();
    if !reader.open.is_empty() {
        reader.tokens.problem.get_or_insert((reader.tokens.line, "the closing brace"));
    }
    let (broken, line) = (reader.tokens.problem, reader.tokens.line);
    let found = reader.found;
    if let Some((line, what)) = broken {
        problems.add(file, line, ProblemKind::Syntax(what));
    }
    let is_damaged = broken.is_some() || limit.is_some();
    if let Some(limit) = limit {
        problems.add(file, line, limit);
    }
    for id in &found {
        if let Some(class) = scripts.class_mut(*id) {
            class.is_damaged |= is_damaged;
        }
    }
    let tokens = Tokens::new(text, Tokens::csharp);
    scripts.grants.read(tokens, found.iter().copied(), names);
    let stem = names.add(stem(file));
    found.into_iter().find(|id| scripts.class(*id).is_some_and(|class| class.name == Some(stem)))
}

/// Whether a type is an interface by the custom of C#: `INode`. A class may have such a name, too.
pub(crate) fn looks_like_interface(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next() == Some('I') && letters.next().is_some_and(char::is_uppercase)
}

struct CsharpReader<'a, 's> {
    tokens: Tokens<'a>,
    scripts: &'s mut Scripts,
    names: &'s mut Interner,
    /// The path of the file, and that path with `res://`.
    file: (NameId, NameId),
    /// The namespace of the next class.
    namespace: String,
    open: Vec<BraceOwner>,
    /// The classes of the file that are not nested.
    found: Vec<ClassId>,
    runtime: CsRpcCalls<'a>,
    watch: CsWatch<'a>,
    /// The method whose body is being read, if it belongs to a class that is not nested.
    function: Option<(ClassId, NameId)>,
}

/// The owner of an open brace.
enum BraceOwner {
    Namespace {
        /// The length of the enclosing namespace's name, in bytes.
        outer: usize,
    },
    Class(ClassId),
    /// The body of a method, a nested class and so on.
    Other,
}

impl<'a> ReadTokens<'a> for CsharpReader<'a, '_> {
    fn peek(&mut self) -> Option<Token<'a>> {
        self.tokens.peek()
    }

    fn take(&mut self) -> Option<Token<'a>> {
        let token = self.tokens.take()?;
        let assigns = self.watch.note(token, self.tokens.byte());
        let changes_list = self.scripts.sources.note(token, assigns, self.function);
        self.watch.effects.changes_spawners |= changes_list;
        if let Some(name) = self.runtime.note(token) {
            let name = self.names.add(name);
            self.scripts.candidates.insert(name);
        }
        Some(token)
    }
}

impl<'a> CsharpReader<'a, '_> {
    /// Reads the whole script. If a limit stops it, returns that limit.
    fn script(&mut self) -> Option<ProblemKind> {
        while self.peek().is_some() {
            if let Some(limit) = self.scripts.limit(self.names) {
                return Some(limit);
            }
            match self.open.last() {
                Some(BraceOwner::Other) => self.skip_body(),
                Some(BraceOwner::Class(class)) => {
                    let class = *class;
                    self.member(Some(class));
                }
                None | Some(BraceOwner::Namespace { .. }) => self.member(None),
            }
        }
        None
    }

    /// Skips to the next brace in the body of something.
    fn skip_body(&mut self) {
        while let Some(token) = self.take() {
            match token {
                Token::Mark('{') => self.open.push(BraceOwner::Other),
                Token::Mark('}') => return self.close(),
                _ => {}
            }
        }
    }

    fn close(&mut self) {
        match self.open.pop() {
            Some(BraceOwner::Namespace { outer }) => self.namespace.truncate(outer),
            Some(_) => {}
            None => {
                self.tokens.problem.get_or_insert((self.tokens.line, "an opening brace"));
            }
        }
    }

    /// Reads a declaration in a namespace or a class, up to its body or its end.
    fn member(&mut self, class: Option<ClassId>) {
        let (mut rpc, mut kind) = (None, MemberKind::Variable);
        let mut is_conditional = false;
        self.function = None;
        while self.peek() == Some(Token::Mark('[')) {
            self.take();
            if self.attributes(&mut rpc) {
                kind = MemberKind::Exported;
            }
            is_conditional |= self.tokens.is_conditional();
        }
        let (mut name, mut is_static, mut is_value) = (None, false, false);
        // The end of the name.
        let mut end = 0;
        while let Some(token) = self.take() {
            match token {
                Token::Name("const") => kind = MemberKind::Constant,
                Token::Name("namespace") if class.is_none() => return self.open_namespace(),
                Token::Name("class" | "record") if class.is_none() => return self.open_class(),
                Token::Name("static") => is_static = true,
                Token::Name(word) => {
                    name = Some(word).filter(|word| !is_modifier(word));
                    end = self.tokens.at;
                }
                Token::Mark('<') if name.is_some() && !is_value => self.skip_generics(),
                Token::Mark('(') => match (class, name.take()) {
                    (Some(class), Some(name)) if !is_value => {
                        let name = self.names.add(name);
                        self.function_begins(class, name);
                        is_value = true;
                        let parameters = self.parameters();
                        let rpc = rpc.take().filter(|_| !is_static);
                        let is_conditional = is_conditional || self.tokens.is_conditional();
                        if let Some(class) = self.scripts.class_mut(class) {
                            class.is_damaged |= rpc.is_some() && is_conditional;
                        }
                        self.scripts.method(class, name, rpc, Some(parameters));
                    }
                    _ => drop(self.skip_brackets()),
                },
                Token::Mark('}') => return self.close(),
                Token::Mark(mark @ ('=' | '{' | ';')) => {
                    if let (Some(class), Some(name), false) = (class, name, is_value) {
                        self.variable(class, name, ClassMember { at: end, kind });
                    }
                    match mark {
                        '=' => is_value = true,
                        '{' => return self.open.push(BraceOwner::Other),
                        _ => return,
                    }
                }
                _ => {}
            }
        }
    }

    /// Notes a method, whose opening parenthesis was just taken. One that the class has twice is not
    /// followed.
    fn function_begins(&mut self, class: ClassId, name: NameId) {
        if !self.is_own(class) {
            return;
        }
        self.function = Some((class, name));
        let members = &mut self.scripts.sources.members;
        let at = if members.contains_key(&(class, name)) { usize::MAX } else { self.tokens.at };
        members.insert((class, name), ClassMember { at, kind: MemberKind::Function });
    }

    /// Notes a field or property.
    fn variable(&mut self, class: ClassId, name: &str, member: ClassMember) {
        if self.is_own(class) {
            let name = self.names.add(name);
            self.scripts.sources.members.insert((class, name), member);
        }
    }

    /// Whether the text of a class is that of the file. A partial class has several files, of which
    /// only the members in the first are followed.
    fn is_own(&self, class: ClassId) -> bool {
        self.scripts.class(class).is_some_and(|class| class.file == self.file.0)
    }

    /// Reads the parameters of a method, up to the closing parenthesis.
    fn parameters(&mut self) -> Signature {
        let mut kinds = Vec::new();
        // The type of the current parameter, and whether that is an array.
        let (mut class, mut is_array) = (None, false);
        loop {
            match self.take() {
                None => break,
                Some(Token::Mark(end @ (',' | ')'))) => {
                    kinds.extend(class.take().map(|class| kind(class, is_array)));
                    is_array = false;
                    if end == ')' {
                        break;
                    }
                }
                Some(Token::Name("params" | "ref" | "out" | "in" | "this")) => {}
                Some(Token::Name(name)) if class.is_none() => class = Some(name),
                // A part of the type's name after a dot, unless it is that of the parameter.
                Some(Token::Mark('.' | ':')) => class = None,
                Some(Token::Mark('<')) => self.skip_generics(),
                Some(Token::Mark('[')) => {
                    is_array |= class.is_some();
                    self.skip_brackets();
                }
                Some(Token::Mark('(' | '{')) => {
                    self.skip_brackets();
                    class = class.or(Some(""));
                }
                Some(Token::Mark('=')) => self.skip_default(),
                Some(_) => {}
            }
        }
        // The engine uses no default values of C#.
        Signature { required: kinds.len(), kinds: kinds.into(), is_variadic: false }
    }

    /// Skips the default value of a parameter.
    fn skip_default(&mut self) {
        while !matches!(self.peek(), None | Some(Token::Mark(',' | ')'))) {
            if let Some(Token::Mark('(' | '[' | '{')) = self.take() {
                self.skip_brackets();
            }
        }
    }

    /// Skips the rest of `<…>`.
    fn skip_generics(&mut self) {
        let mut depth = 1_usize;
        while depth > 0 && !matches!(self.peek(), None | Some(Token::Mark(';' | '{' | '}'))) {
            match self.take() {
                Some(Token::Mark('<')) => depth += 1,
                Some(Token::Mark('>')) => depth -= 1,
                _ => {}
            }
        }
    }

    fn open_namespace(&mut self) {
        let outer = self.namespace.len();
        while let Some(token) = self.take() {
            match token {
                // The length is limited, because the full name is built for each class in the
                // namespace.
                Token::Name(name) if self.namespace.len() < limits::NAMESPACE_BYTES => {
                    self.namespace.push('.');
                    self.namespace.extend(name.chars().take(limits::NAMESPACE_BYTES));
                }
                Token::Name(_) => {
                    let problem = (self.tokens.line, "a shorter namespace");
                    self.tokens.problem.get_or_insert(problem);
                }
                Token::Mark('{') => return self.open.push(BraceOwner::Namespace { outer }),
                Token::Mark(';') => return,
                _ => {}
            }
        }
    }

    fn open_class(&mut self) {
        let mut name = self.take_text();
        if matches!(name, Some("class" | "struct")) {
            name = self.take_text();
        }
        let line = self.tokens.line;
        let class = name.map(|name| self.class(name, line));
        loop {
            match self.take() {
                None | Some(Token::Mark(';')) => return,
                Some(Token::Mark('{')) => {
                    return self.open.push(class.map_or(BraceOwner::Other, BraceOwner::Class));
                }
                Some(Token::Mark('<')) => self.skip_generics(),
                Some(Token::Mark('(')) => drop(self.skip_brackets()),
                Some(Token::Mark(':')) => {
                    let base = self.base();
                    let is_conditional = self.tokens.is_conditional();
                    let names = &*self.names;
                    let looks_like_interface = |name| looks_like_interface(names.text(name));
                    if let Some(class) = class.and_then(|class| self.scripts.class_mut(class)) {
                        class.is_damaged |= is_conditional;
                        // Any of the files of a partial class names the base class.
                        let is_open = match &class.extends {
                            Extends::Names(names) => {
                                names.last().is_some_and(|name| looks_like_interface(*name))
                            }
                            extends => matches!(extends, Extends::Nothing),
                        };
                        if let Some(base) = base.filter(|_| is_open) {
                            class.extends = Extends::Names(base);
                        }
                    }
                    self.skip_to_body();
                }
                Some(Token::Name("where")) => self.skip_to_body(),
                Some(_) => {}
            }
        }
    }

    /// The class with this name in the current namespace. It is partial if another file has
    /// declared it, too.
    fn class(&mut self, name: &str, line: u32) -> ClassId {
        let name = self.names.add(name);
        let namespace = self.names.add(&self.namespace);
        let id = self.scripts.csharp.get(&(name, namespace)).copied().unwrap_or_else(|| {
            self.scripts.add(ScriptClass {
                file: self.file.0,
                path: self.file.1,
                line,
                name: Some(name),
                outer: None,
                extends: Extends::Nothing,
                methods: Vec::new(),
                functions: Vec::new(),
                is_damaged: false,
                language: Language::Csharp { namespace },
            })
        });
        self.scripts.csharp.insert((name, namespace), id);
        self.found.push(id);
        id
    }

    /// Skips interfaces and constraints before the body of a class.
    fn skip_to_body(&mut self) {
        while !matches!(self.peek(), None | Some(Token::Mark('{' | ';'))) {
            self.take();
        }
    }

    /// The first type after the colon: what is before its name, with a dot before each part, if
    /// there is any, and its name.
    fn base(&mut self) -> Option<Vec<NameId>> {
        let mut name = self.take_text()?;
        let mut outer = String::new();
        loop {
            match self.peek() {
                Some(Token::Mark('<')) => {
                    self.take();
                    self.skip_generics();
                }
                Some(Token::Mark('.' | ':')) => {
                    self.take();
                    let Some(next) = self.take_text() else { continue };
                    let part = core::mem::replace(&mut name, next);
                    if part != "global" && outer.len() < limits::NAMESPACE_BYTES {
                        outer.push('.');
                        outer.extend(part.chars().take(limits::NAMESPACE_BYTES));
                    }
                }
                _ => break,
            }
        }
        let outer = (!outer.is_empty()).then(|| self.names.add(&outer));
        Some(outer.into_iter().chain([self.names.add(name)]).collect())
    }

    /// Reads attributes in one pair of brackets. Returns whether scenes may set the member.
    fn attributes(&mut self, rpc: &mut Option<RpcConfig>) -> bool {
        let (mut name, mut is_exported) = (None, false);
        while let Some(token) = self.take() {
            match token {
                Token::Name(word) => {
                    name = Some(word);
                    is_exported |= word.starts_with("Export");
                }
                Token::Mark('(') if matches!(name, Some("Rpc" | "RpcAttribute")) => {
                    *rpc = Some(self.rpc_arguments());
                    name = None;
                }
                Token::Mark('(' | '[' | '{') => drop(self.skip_brackets()),
                Token::Mark(',' | ']') => {
                    if matches!(name.take(), Some("Rpc" | "RpcAttribute")) {
                        *rpc = Some(RpcConfig::DEFAULT);
                    }
                    if token == Token::Mark(']') {
                        break;
                    }
                }
                _ => {}
            }
        }
        is_exported
    }

    /// Reads the arguments of `[Rpc]`.
    fn rpc_arguments(&mut self) -> RpcConfig {
        let mut config = RpcConfig::DEFAULT;
        let (mut depth, mut is_channel) = (1_usize, false);
        while let Some(token) = self.take() {
            match token {
                Token::Mark('(') => depth += 1,
                Token::Mark(')') => depth -= 1,
                Token::Mark(',') => is_channel = false,
                Token::Name("AnyPeer") => config.any_peer = true,
                Token::Name("CallLocal") => config.call_local = true,
                Token::Name("false") => config.call_local = false,
                Token::Name("Unreliable") => config.transfer = TransferMode::Unreliable,
                Token::Name("UnreliableOrdered") => {
                    config.transfer = TransferMode::UnreliableOrdered;
                }
                Token::Name("TransferChannel") => (is_channel, config.channel) = (true, None),
                Token::Number(number) if is_channel => config.channel = number.parse().ok(),
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        config
    }

    fn note_effects(&mut self) {
        let sources = &mut self.scripts.sources;
        sources.add(self.file.0, self.watch.effects);
        for name in core::mem::take(&mut self.watch.changed) {
            sources.changed_anywhere.insert(self.names.add(name));
        }
        for name in self.watch.end() {
            sources.changed_inside.insert(self.names.add(name));
        }
        for path in core::mem::take(&mut self.watch.paths) {
            sources.paths.insert((self.file.0, self.names.add(path)));
        }
        self.scripts.keep(self.file.0, self.tokens.text);
    }

    /// If the argument of an `RpcConfig` does not name a method, it may be any string of the
    /// script.
    fn note_loose(&mut self) {
        if self.runtime.is_loose {
            for text in core::mem::take(&mut self.runtime.texts) {
                let name = self.names.add(text);
                self.scripts.loose.insert(name);
            }
        }
    }
}

/// The kind in which values of a type are sent; none for other classes and for enumerations.
fn kind(class: &str, is_array: bool) -> Option<Kind> {
    let kind = match class {
        "sbyte" | "short" | "ushort" | "uint" | "ulong" | "char" if !is_array => Kind::Int,
        "byte" if is_array => Kind::PackedByteArray,
        "int" if is_array => Kind::PackedInt32Array,
        "long" if is_array => Kind::PackedInt64Array,
        "float" if is_array => Kind::PackedFloat32Array,
        "double" if is_array => Kind::PackedFloat64Array,
        "string" | "String" if is_array => Kind::PackedStringArray,
        "Vector2" if is_array => Kind::PackedVector2Array,
        "Vector3" if is_array => Kind::PackedVector3Array,
        "Vector4" if is_array => Kind::PackedVector4Array,
        "Color" if is_array => Kind::PackedColorArray,
        _ if is_array => return None,
        "byte" | "int" | "long" => Kind::Int,
        "float" | "double" => Kind::Float,
        // C# spells some of them in another case: `Vector2I`.
        _ => *Kind::ALL.iter().find(|kind| kind.name().eq_ignore_ascii_case(class))?,
    };
    (!matches!(kind, Kind::Nil | Kind::Object)).then_some(kind)
}

/// Whether a word before a method is a modifier, not the return type. A `(` after a modifier begins
/// a tuple type.
fn is_modifier(word: &str) -> bool {
    const MODIFIERS: &str = "public private protected internal async virtual override sealed abstract new \
        partial unsafe extern readonly";
    has_word(MODIFIERS, word)
}
