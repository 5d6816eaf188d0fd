//! Finds the calls in scripts that make a client the authority of a node.
//!
//! The receiver of a call is found if it is `self`, a path, or a variable whose only value is a path.

use super::tokens::{Token, Tokens};
use crate::game::project::ids::{ClassId, Interner, NameId};
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The nodes of which scripts make a client the authority.
#[derive(Debug, Default)]
pub(crate) struct Grants {
    /// Whether a script does it to a node that is not known.
    pub(crate) is_any: bool,
    /// Those of each script.
    pub(crate) of_scripts: Vec<Box<[Grant]>>,
    /// The indexes of the scripts that declare a class. A partial class of C# may have several.
    pub(crate) of_classes: BTreeMap<ClassId, Vec<usize>>,
}

/// A node of which a script makes a client the authority.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Grant {
    /// The path from the node that has the script; empty for that node itself.
    pub(crate) path: NameId,
    /// Whether the children of the node get the authority, too.
    pub(crate) is_recursive: bool,
}

/// The method in GDScript and in C#.
const GDSCRIPT: &str = "set_multiplayer_authority";
const CSHARP: &str = "SetMultiplayerAuthority";

impl Grants {
    /// Looks through a script that declares some classes.
    pub(super) fn read(
        &mut self,
        mut tokens: Tokens<'_>,
        classes: impl Iterator<Item = ClassId>,
        names: &mut Interner,
    ) {
        if ![GDSCRIPT, CSHARP].iter().any(|method| tokens.text.contains(method)) {
            return;
        }
        let mut reader = GrantReader::default();
        while let Some(token) = tokens.take() {
            reader.look(token);
        }
        reader.end_call();
        reader.variables.end_value();
        let mut grants = BTreeSet::new();
        for (receiver, is_recursive) in reader.calls {
            match reader.variables.path(receiver) {
                Some(path) => {
                    let path = names.add(&path);
                    grants.insert(Grant { path, is_recursive });
                }
                None => self.is_any = true,
            }
        }
        if !grants.is_empty() {
            let script = self.of_scripts.len();
            self.of_scripts.push(grants.into_iter().collect());
            classes.for_each(|class| self.of_classes.entry(class).or_default().push(script));
        }
    }
}

/// The object on which a method is called.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Receiver<'a> {
    /// The node at a path from the node that has the script.
    Path(String),
    /// The node at a path from the one in a variable.
    Variable(&'a str, String),
    Unknown,
}

/// Finds the calls in the tokens of a script.
#[derive(Default)]
struct GrantReader<'a> {
    before: Before<'a>,
    /// The receivers, and whether their children get the authority, too.
    calls: BTreeSet<(Receiver<'a>, bool)>,
    /// The call whose arguments are being read.
    call: Option<GrantCall<'a>>,
    variables: Variables<'a>,
}

/// A call, and what was read of its arguments.
struct GrantCall<'a> {
    receiver: Receiver<'a>,
    /// The number of open brackets.
    depth: usize,
    current: usize,
    arguments: [GrantArgument<'a>; 2],
}

/// An argument of a call.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum GrantArgument<'a> {
    #[default]
    Empty,
    Single(Token<'a>),
    Longer,
}

impl<'a> GrantReader<'a> {
    fn look(&mut self, token: Token<'a>) {
        self.argument(token);
        self.variables.look(self.before.tokens(), token);
        let before = self.before.tokens();
        match (token, before) {
            (Token::Name(GDSCRIPT), [.., Token::Name("func")]) => {}
            (Token::Text(GDSCRIPT), before)
            | (Token::Name(CSHARP), [before @ .., Token::Name("nameof"), Token::Mark('(')])
            | (
                Token::Name(CSHARP),
                [
                    before @ ..,
                    Token::Name(_),
                    Token::Mark('.'),
                    Token::Name("MethodName"),
                    Token::Mark('.'),
                ]
                | [before @ .., Token::Name("MethodName"), Token::Mark('.')],
            ) => drop(self.calls.insert((receiver_of_name(before), true))),
            (Token::Name(GDSCRIPT | CSHARP), before) => {
                let receiver = receiver(before);
                self.end_call();
                let arguments = [GrantArgument::Empty; 2];
                self.call = Some(GrantCall { receiver, depth: 0, current: 0, arguments });
            }
            _ => {}
        }
        self.before.push(token);
    }

    /// Looks for an argument of the last call.
    fn argument(&mut self, token: Token<'a>) {
        let Some(call) = &mut self.call else { return };
        match token {
            Token::Mark('(' | '[' | '{') => call.depth += 1,
            Token::Mark(')' | ']' | '}') => call.depth = call.depth.saturating_sub(1),
            _ => {}
        }
        match (call.depth, token) {
            // The end, or the method is not called here but passed on.
            (0, _) => self.end_call(),
            (1, Token::Mark(',')) => call.current = call.current.saturating_add(1),
            (1, Token::Mark('('))
                if call.current == 0 && call.arguments[0] == GrantArgument::Empty => {}
            _ => {
                if let Some(argument) = call.arguments.get_mut(call.current) {
                    *argument = match argument {
                        GrantArgument::Empty => GrantArgument::Single(token),
                        _ => GrantArgument::Longer,
                    };
                }
            }
        }
    }

    fn end_call(&mut self) {
        let Some(GrantCall { receiver, arguments: [peer, recursive], .. }) = self.call.take()
        else {
            return;
        };
        // The server has the authority anyway.
        if peer != GrantArgument::Single(Token::Number("1")) {
            let is_recursive = recursive != GrantArgument::Single(Token::Name("false"));
            self.calls.insert((receiver, is_recursive));
        }
    }
}

/// The last tokens, from which receivers are found.
#[derive(Default)]
struct Before<'a>(Vec<Token<'a>>);

/// How many tokens are looked at for a receiver or the value of a variable.
const KEPT: usize = 32;

impl<'a> Before<'a> {
    fn push(&mut self, token: Token<'a>) {
        if self.0.len() >= KEPT * 8 {
            self.0.drain(..self.0.len() - KEPT);
        }
        self.0.push(token);
    }

    fn tokens(&self) -> &[Token<'a>] {
        self.0.get(self.0.len().saturating_sub(KEPT)..).unwrap_or_default()
    }
}

/// The receiver of a call of the method that is named after these tokens.
fn receiver<'a>(before: &[Token<'a>]) -> Receiver<'a> {
    match before {
        [before @ .., Token::Mark('?'), Token::Mark('.')] | [before @ .., Token::Mark('.')] => {
            chain(before).map_or(Receiver::Unknown, |(receiver, _)| receiver)
        }
        _ => Receiver::Path(String::new()),
    }
}

/// The receiver of a call in which the method is named by a string or the like after these tokens:
/// `call_deferred("…")`, `Callable(self, "…")`.
fn receiver_of_name<'a>(before: &[Token<'a>]) -> Receiver<'a> {
    let before = match before {
        [before @ .., Token::Mark('&')] => before,
        before => before,
    };
    match before {
        [
            before @ ..,
            Token::Name(
                "call" | "call_deferred" | "callv" | "propagate_call" | "rpc" | "Call"
                | "CallDeferred" | "Callv" | "PropagateCall" | "Rpc",
            ),
            Token::Mark('('),
        ] => receiver(before),
        [
            ..,
            Token::Name("Callable"),
            Token::Mark('('),
            Token::Name("self" | "this"),
            Token::Mark(','),
        ] => Receiver::Path(String::new()),
        _ => Receiver::Unknown,
    }
}

/// The node to which the expression at the end of some tokens leads, and how many tokens are before
/// it: `$Path/To.get_parent()`.
fn chain<'a>(tokens: &[Token<'a>]) -> Option<(Receiver<'a>, usize)> {
    let mut rest = tokens;
    let mut steps = Vec::new();
    loop {
        let (first, before) = match rest {
            [before @ .., Token::Name("self" | "this")] => (Receiver::Path(String::new()), before),
            [before @ .., Token::Mark('$'), Token::Text(path)] => {
                (Receiver::Path((*path).into()), before)
            }
            [before @ .., Token::Mark('%'), Token::Text(path)] => {
                (Receiver::Path(format!("%{path}")), before)
            }
            [before @ .., Token::Mark(')')] => {
                let open = opening(before)?;
                let (callee, arguments) = (rest.get(..open)?, before.get(open + 1..)?);
                match step(callee, arguments) {
                    Some((step, before)) => {
                        steps.push(step);
                        match before {
                            [before @ .., Token::Mark('?'), Token::Mark('.')]
                            | [before @ .., Token::Mark('.')] => {
                                rest = before;
                                continue;
                            }
                            before => (Receiver::Path(String::new()), before),
                        }
                    }
                    None if matches!(
                        callee,
                        [.., Token::Name(_) | Token::Mark('>' | ']' | ')')]
                    ) =>
                    {
                        return None;
                    }
                    None => (whole(arguments)?, callee),
                }
            }
            [.., Token::Mark('$' | '%' | '/'), Token::Name(_)] => {
                let (path, before) = short_path(rest)?;
                (Receiver::Path(path), before)
            }
            [before @ .., Token::Name("self" | "this"), Token::Mark('.'), Token::Name(name)] => {
                (Receiver::Variable(name, String::new()), before)
            }
            [before @ .., Token::Name(name)] => (Receiver::Variable(name, String::new()), before),
            _ => return None,
        };
        // The expression may have begun before the tokens that were kept.
        let is_cut = before.is_empty() && tokens.len() + 2 >= KEPT;
        if is_cut || matches!(before, [.., Token::Mark('.')]) {
            return None;
        }
        steps.reverse();
        return Some((first.below(&steps), before.len()));
    }
}

impl Receiver<'_> {
    /// The node at a path of these steps from this node.
    fn below(self, steps: &[&str]) -> Self {
        let join = |mut path: String| {
            for step in steps.iter().filter(|step| !step.is_empty()) {
                if !path.is_empty() {
                    path.push('/');
                }
                path.push_str(step);
            }
            path
        };
        match self {
            Receiver::Path(path) => Receiver::Path(join(path)),
            Receiver::Variable(name, path) => Receiver::Variable(name, join(path)),
            Receiver::Unknown => Receiver::Unknown,
        }
    }
}

/// The place of the bracket that the bracket after these tokens closes.
fn opening(tokens: &[Token<'_>]) -> Option<usize> {
    let mut depth = 1_usize;
    tokens.iter().rposition(|token| {
        match token {
            Token::Mark(')' | ']' | '}') => depth += 1,
            Token::Mark('(' | '[' | '{') => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

/// The path that a call such as `get_node("Path")` follows, and the tokens before the call.
fn step<'t, 'a>(
    callee: &'t [Token<'a>],
    arguments: &[Token<'a>],
) -> Option<(&'a str, &'t [Token<'a>])> {
    // `GetNode<Type>("Path")`
    let callee = match callee {
        [callee @ .., Token::Mark('<'), Token::Name(_), Token::Mark('>')] => callee,
        callee => callee,
    };
    match (callee, arguments) {
        ([before @ .., Token::Name("get_parent" | "GetParent")], []) => Some(("..", before)),
        (
            [
                before @ ..,
                Token::Name("get_node" | "get_node_or_null" | "GetNode" | "GetNodeOrNull"),
            ],
            [Token::Text(path)] | [Token::Mark('^' | '&'), Token::Text(path)],
        ) => (!path.starts_with('/')).then_some((*path, before)),
        _ => None,
    }
}

/// The path at the end of some tokens, and the tokens before it: `$Path/To`, `%Name`.
fn short_path<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<(String, &'t [Token<'a>])> {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = tokens;
    let before = loop {
        let (part, before) = match rest {
            [before @ .., Token::Mark('%'), Token::Name(name)] => (format!("%{name}"), before),
            [before @ .., Token::Name(name)] => (String::from(*name), before),
            _ => return None,
        };
        let is_unique = part.starts_with('%');
        parts.push(part);
        match before {
            [before @ .., Token::Mark('$')] => break before,
            [before @ .., Token::Mark('/')] => rest = before,
            before if is_unique => break before,
            _ => return None,
        }
    };
    parts.reverse();
    Some((parts.join("/"), before))
}

/// The node to which a whole expression leads.
fn whole<'a>(tokens: &[Token<'a>]) -> Option<Receiver<'a>> {
    // `… as Type`
    let tokens = match tokens {
        [tokens @ .., Token::Name("as"), Token::Name(_)] => tokens,
        tokens => tokens,
    };
    let (receiver, before) = chain(tokens)?;
    (before == 0).then_some(receiver)
}

/// The variables of a script, and the values that it assigns to them.
#[derive(Default)]
struct Variables<'a> {
    by_name: BTreeMap<&'a str, Variable>,
    /// The variable that this line declares, if it has no value so far.
    declared: Option<&'a str>,
    /// The variable whose value is being read, and the value's tokens.
    value: Option<(&'a str, Vec<Token<'a>>)>,
    /// The number of open brackets in the parameters of a function of GDScript.
    parameters: Option<usize>,
}

#[derive(Default)]
struct Variable {
    declarations: u32,
    values: u32,
    /// The path of its last value, if it is one.
    path: Option<String>,
    /// Whether it may also be a parameter, or the variable of a loop.
    is_unclear: bool,
}

impl<'a> Variables<'a> {
    fn of(&mut self, name: &'a str) -> &mut Variable {
        self.by_name.entry(name).or_default()
    }

    fn look(&mut self, before: &[Token<'a>], token: Token<'a>) {
        self.more_of_value(token);
        self.parameter(before, token);
        match (before, token) {
            (_, Token::Line { .. } | Token::Mark(';')) => self.declared = None,
            ([.., Token::Name("var")], Token::Name(name)) => {
                let variable = self.of(name);
                variable.declarations = variable.declarations.saturating_add(1);
                self.declared = Some(name);
            }
            ([.., Token::Name(name)], Token::Mark('=')) => {
                let name = self.declared.take().unwrap_or(name);
                self.begin_value(name);
            }
            (_, Token::Mark('=')) => {
                if let Some(name) = self.declared.take() {
                    self.begin_value(name);
                }
            }
            _ => {}
        }
    }

    fn begin_value(&mut self, name: &'a str) {
        self.end_value();
        self.value = Some((name, Vec::new()));
    }

    fn more_of_value(&mut self, token: Token<'a>) {
        let Some((_, value)) = &mut self.value else { return };
        match token {
            Token::Line { .. } | Token::Mark(';') => self.end_value(),
            // `==` compares, and `=>` begins the body of a function.
            Token::Mark('=' | '>') if value.is_empty() => self.value = None,
            _ if value.len() <= KEPT => value.push(token),
            _ => {}
        }
    }

    fn end_value(&mut self) {
        let Some((name, value)) = self.value.take() else { return };
        let path = match whole(&value) {
            Some(Receiver::Path(path)) => Some(path),
            _ => None,
        };
        let variable = self.of(name);
        (variable.values, variable.path) = (variable.values.saturating_add(1), path);
    }

    /// Looks for a parameter or the variable of a loop, which hides a variable of the same name.
    fn parameter(&mut self, before: &[Token<'a>], token: Token<'a>) {
        self.parameters = match (self.parameters, token) {
            (_, Token::Name("func")) => Some(0),
            (_, Token::Line { .. }) => None,
            (Some(depth), Token::Mark('(' | '[' | '{')) => Some(depth.saturating_add(1)),
            (Some(0 | 1), Token::Mark(')' | ']' | '}')) => None,
            (Some(depth), Token::Mark(')' | ']' | '}')) => Some(depth - 1),
            (parameters, _) => parameters,
        };
        match (before, token) {
            ([.., Token::Mark('(' | ',')], Token::Name(name)) if self.parameters == Some(1) => {
                self.of(name).is_unclear = true;
            }
            // `for x in …`, and `Type x` among parameters of C#.
            ([.., Token::Name(name)], Token::Name("in"))
            | (
                [.., Token::Name(_) | Token::Mark('>' | ']' | '?'), Token::Name(name)],
                Token::Mark(',' | ')'),
            ) => self.of(name).is_unclear = true,
            _ => {}
        }
    }

    /// The path of a receiver.
    fn path(&self, receiver: Receiver<'_>) -> Option<String> {
        match receiver {
            Receiver::Path(path) => Some(path),
            Receiver::Variable(name, rest) => {
                let variable = self.by_name.get(name)?;
                let is_only = variable.values == 1 && variable.declarations <= 1;
                let path = variable.path.clone().filter(|_| is_only && !variable.is_unclear)?;
                match Receiver::Path(path).below(&[&rest]) {
                    Receiver::Path(path) => Some(path),
                    _ => None,
                }
            }
            Receiver::Unknown => None,
        }
    }
}
