//! Follows functions to the scenes that they return.

use super::assigned::Assigned;
use super::listed::ListChanges;
use super::operators::{int, operate, or};
use super::value::{Closure, Traced};
use super::{Classes, Code, ReadMembers, relative};
use crate::game::project::files::FileTarget;
use crate::game::project::ids::{NameId, SceneId};
use crate::game::project::script::syntax::{Arm, ArmPattern, Expr, ScriptFunction, Statement};
use crate::game::project::script::{ClassId, changes_container, has_word};
use crate::game::project::tree::NodeId;
use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::string::ToString;
use alloc::vec::Vec;

/// How deeply calls and expressions may be nested.
const DEPTH: usize = 150;

/// How many local variables are searched in about the time of a step.
const AT_ONCE: usize = 64;

/// The functions of the engine that change no container among their arguments.
const READING: &str = "assert float int is_instance_valid len load max min preload print print_debug \
    print_rich printerr prints printt push_error push_warning range str typeof \
    var_to_str";

/// Follows functions of scripts to the values that they return, in a limited number of steps.
pub(super) struct Evaluator<'c> {
    program: &'c ReadMembers,
    classes: Classes<'c>,
    /// The node whose script is followed, and its class, if scenes set variables of it.
    pub(super) object: Option<(ClassId, NodeId)>,
    /// If changes of lists are followed: those that were found.
    pub(super) lists: Option<ListChanges<'c>>,
    /// How many more steps may be taken.
    pub(super) steps: usize,
    depth: usize,
    /// The members that are needed, but were not read.
    pub(super) missing: Vec<(ClassId, NameId)>,
    /// The parameters of the function that is followed first.
    parameters: Vec<NameId>,
    /// Whether the values of these parameters may matter.
    pub(super) uses_arguments: bool,
}

/// A function that is being followed.
struct Scope<'c> {
    own: ClassId,
    declared: ClassId,
    locals: Vec<(NameId, Traced<'c>)>,
    returned: Vec<Traced<'c>>,
}

/// Whether the statements after a block are reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Goes,
    May,
    Ends,
}

impl<'c> Evaluator<'c> {
    pub(super) const fn new(
        program: &'c ReadMembers,
        classes: Classes<'c>,
        steps: usize,
    ) -> Evaluator<'c> {
        Evaluator {
            program,
            classes,
            object: None,
            lists: None,
            steps,
            depth: 0,
            missing: Vec::new(),
            parameters: Vec::new(),
            uses_arguments: false,
        }
    }

    /// The value of an expression that is assigned to a spawner, around which there are these local
    /// variables of unknown values.
    pub(super) fn value_in(
        &mut self,
        assigned: &Assigned,
        locals: &[NameId],
        expression: &'c Expr,
    ) -> Traced<'c> {
        let (own, declared) = assigned.classes;
        // A class also stands for its autoload, which is another node.
        let is_autoload = self.program.of_autoloads.contains(&own);
        self.object = assigned.node.filter(|_| !is_autoload).map(|node| (own, node));
        let locals = locals.iter().map(|name| (*name, Traced::Unknown)).collect();
        let mut scope = Scope { own, declared, locals, returned: Vec::new() };
        self.value(&mut scope, expression)
    }

    /// The result of a call.
    pub(super) fn call(&mut self, function: &Traced<'c>, arguments: &[Traced<'c>]) -> Traced<'c> {
        match function {
            Traced::Function(closure) => self.run(closure, arguments),
            Traced::OneOf(values) => {
                let values: Vec<_> = values.iter().cloned().collect();
                Traced::any(values.iter().map(|function| self.call(function, arguments)))
            }
            _ => Traced::Unknown,
        }
    }

    fn run(&mut self, closure: &Closure<'c>, arguments: &[Traced<'c>]) -> Traced<'c> {
        if self.depth >= DEPTH {
            return Traced::Unknown;
        }
        if self.depth == 0 {
            self.parameters.extend(&closure.function.parameters);
        }
        self.depth += 4;
        self.spend(closure.len() / AT_ONCE);
        let mut given = arguments.iter().chain(&closure.bound);
        let mut locals = closure.around.clone();
        for name in &closure.function.parameters {
            // A default value is not followed.
            locals.push((*name, given.next().cloned().unwrap_or(Traced::Unknown)));
        }
        let (own, declared) = (closure.own, closure.declared);
        let mut scope = Scope { own, declared, locals, returned: Vec::new() };
        let flow = self.block(&mut scope, &closure.function.body);
        if flow != Reach::Ends {
            scope.returned.push(Traced::Nothing);
        }
        self.depth -= 4;
        if self.steps == 0 { Traced::Unknown } else { Traced::any(scope.returned) }
    }

    fn block(&mut self, scope: &mut Scope<'c>, block: &'c [Statement]) -> Reach {
        let count = scope.locals.len();
        let mut flow = Reach::Goes;
        for statement in block {
            let Some(steps) = self.steps.checked_sub(1) else { break };
            self.steps = steps;
            match self.statement(scope, statement) {
                Reach::Goes => {}
                Reach::May => {
                    flow = Reach::May;
                    self.lists.iter_mut().for_each(ListChanges::may_end);
                }
                Reach::Ends => {
                    flow = Reach::Ends;
                    break;
                }
            }
        }
        scope.locals.truncate(count);
        flow
    }

    fn statement(&mut self, scope: &mut Scope<'c>, statement: &'c Statement) -> Reach {
        match statement {
            Statement::Declare(name, value) => {
                let value = self.value(scope, value);
                scope.locals.push((*name, value));
            }
            Statement::Assign(target, value) => self.assign(scope, target, value),
            Statement::If(branches, otherwise) => return self.branches(scope, branches, otherwise),
            Statement::Match(value, arms) => {
                let value = self.value(scope, value);
                return self.arms(scope, &value, arms);
            }
            Statement::Loop(Some((name, through)), body)
                if self.lists.is_some()
                    && let Some(items) = self.value(scope, through).items() =>
            {
                return self.each(scope, *name, items, body);
            }
            Statement::Loop(variable, body) => {
                self.forget_assigned(scope, body);
                self.spend(scope.locals.len());
                let before = scope.locals.clone();
                scope.locals.extend(variable.iter().map(|(name, _)| (*name, Traced::Unknown)));
                let doubts = self.doubt(1);
                let flow = self.block(scope, body);
                self.end_doubt(doubts);
                scope.locals.truncate(before.len());
                join(&mut scope.locals, before);
                // The loop may have ended anywhere.
                self.forget_assigned(scope, body);
                return if flow == Reach::Goes { Reach::Goes } else { Reach::May };
            }
            Statement::Return(value) => {
                let value = self.value(scope, value);
                scope.returned.push(value);
                return Reach::Ends;
            }
            // It may skip the rest of the loop.
            Statement::Leave => {
                self.doubt(1);
            }
            Statement::Do(value) if self.lists.is_some() => drop(self.value(scope, value)),
            Statement::Do(value) => self.ignore(scope, value),
        }
        Reach::Goes
    }

    /// Follows a loop through these values.
    fn each(
        &mut self,
        scope: &mut Scope<'c>,
        name: NameId,
        items: Vec<Traced<'c>>,
        body: &'c [Statement],
    ) -> Reach {
        let mut reach = Reach::Goes;
        self.spend(items.len());
        let doubts = self.doubt(0);
        for item in items {
            scope.locals.push((name, item));
            let this = self.block(scope, body);
            scope.locals.pop();
            match this {
                Reach::Goes => {}
                Reach::May => reach = Reach::May,
                Reach::Ends => return Reach::Ends,
            }
        }
        if self.end_doubt(doubts) {
            self.forget_assigned(scope, body);
        }
        reach
    }

    /// Begins a part that may not run. Returns how many there were before.
    fn doubt(&mut self, more: usize) -> usize {
        let Some(lists) = &mut self.lists else { return 0 };
        lists.doubts += more;
        lists.doubts - more
    }

    /// Ends all parts that may not run but for the first `count`. Returns whether there were others.
    fn end_doubt(&mut self, count: usize) -> bool {
        let doubts = self.lists.as_mut().map(|lists| core::mem::replace(&mut lists.doubts, count));
        doubts.is_some_and(|doubts| doubts != count)
    }

    fn assign(&mut self, scope: &mut Scope<'c>, target: &'c Expr, value: &'c Expr) {
        let Expr::Name(name) = target else {
            match target {
                Expr::Member(of, property) if self.lists.is_some() => {
                    let (of, value) = (self.value(scope, of), self.value(scope, value));
                    self.set(&of, *property, &value);
                }
                _ => self.ignore(scope, value),
            }
            return forget_containers(scope, target);
        };
        let value = self.value(scope, value);
        self.spend(scope.locals.len() / AT_ONCE);
        if let Some((_, local)) = scope.locals.iter_mut().rev().find(|(it, _)| it == name) {
            *local = value;
        } else if let Some(lists) = &mut self.lists {
            let value = if lists.doubts == 0 { value } else { Traced::Unknown };
            lists.members.insert((scope.own, *name), value);
        }
    }

    /// Notes that a property of a node is set.
    fn set(&mut self, of: &Traced<'c>, property: NameId, value: &Traced<'c>) {
        let property = self.text(property);
        if let (Traced::Node(node), Some(lists)) = (of, &mut self.lists) {
            lists.set(*node, property, value);
        }
    }

    /// Notes that a node becomes the child of another.
    fn add_child(&mut self, parent: &Traced<'c>, child: &Traced<'c>) -> Traced<'c> {
        let nodes = self.node_of(parent).zip(self.node_of(child));
        if let (Some((parent, child)), Some(lists)) = (nodes, &mut self.lists) {
            lists.add_child(parent, child);
        }
        Traced::Unknown
    }

    /// Passes arguments to a function, which may change the containers among them.
    fn pass(&self, scope: &mut Scope<'c>, function: &Expr, arguments: &[Expr]) {
        let keeps = match function {
            Expr::Name(name) => {
                let is_local = scope.locals.iter().any(|(local, _)| local == name);
                let only_reads = has_word(READING, self.text(*name));
                only_reads && !is_local && self.classes.declaring(scope.own, *name).is_none()
            }
            _ => false,
        };
        if !keeps {
            arguments.iter().for_each(|argument| forget_containers(scope, argument));
        }
    }

    /// Forgets containers if a method of one of them changes it.
    fn note_change(&self, scope: &mut Scope<'c>, of: &Expr, method: NameId) {
        if changes_container(self.text(method)) {
            forget_containers(scope, of);
        }
    }

    /// Passes over an expression whose value nobody needs. The functions that it calls may change
    /// containers, but no other local variables.
    fn ignore(&mut self, scope: &mut Scope<'c>, expression: &'c Expr) {
        if !self.enter() {
            return;
        }
        expression.parts().into_iter().for_each(|part| self.ignore(scope, part));
        match expression {
            Expr::Call(function, arguments) => self.pass(scope, function, arguments),
            Expr::Member(of, name) => self.note_change(scope, of, *name),
            // It may be called later, and change what it refers to.
            Expr::Function(_) => forget_all_containers(scope),
            _ => {}
        }
        self.depth -= 1;
    }

    fn branches(
        &mut self,
        scope: &mut Scope<'c>,
        branches: &'c [(Expr, Vec<Statement>)],
        otherwise: &'c [Statement],
    ) -> Reach {
        let mut rest = branches;
        while let [(condition, body), others @ ..] = rest {
            rest = others;
            match self.value(scope, condition).is_true() {
                Some(true) => return self.block(scope, body),
                Some(false) => {}
                None => {
                    return self.either(
                        scope,
                        |all, scope| all.block(scope, body),
                        |all, scope| all.branches(scope, rest, otherwise),
                    );
                }
            }
        }
        self.block(scope, otherwise)
    }

    fn arms(&mut self, scope: &mut Scope<'c>, value: &Traced<'c>, arms: &'c [Arm]) -> Reach {
        let mut rest = arms;
        while let [arm, others @ ..] = rest {
            rest = others;
            let mut matches = Some(false);
            let mut names: &[NameId] = &[];
            for pattern in &arm.patterns {
                let this = match pattern {
                    ArmPattern::Any => Some(true),
                    ArmPattern::Value(pattern) => self.value(scope, pattern).same_as(value),
                    ArmPattern::Other(declared) => {
                        names = declared;
                        None
                    }
                };
                matches = or(matches, this);
            }
            let body = |all: &mut Self, scope: &mut Scope<'c>| {
                let count = scope.locals.len();
                scope.locals.extend(names.iter().map(|name| (*name, Traced::Unknown)));
                let flow = all.block(scope, &arm.body);
                scope.locals.truncate(count);
                flow
            };
            match matches {
                Some(true) => return body(self, scope),
                Some(false) => {}
                None => {
                    return self.either(scope, body, |all, scope| all.arms(scope, value, rest));
                }
            }
        }
        Reach::Goes
    }

    /// Follows both ways, of which one is taken.
    fn either(
        &mut self,
        scope: &mut Scope<'c>,
        one: impl FnOnce(&mut Self, &mut Scope<'c>) -> Reach,
        other: impl FnOnce(&mut Self, &mut Scope<'c>) -> Reach,
    ) -> Reach {
        if self.depth >= DEPTH {
            self.steps = 0;
            return Reach::May;
        }
        self.depth += 1;
        self.spend(scope.locals.len());
        let before = scope.locals.clone();
        self.doubt(1);
        let first = one(self, scope);
        let after = core::mem::replace(&mut scope.locals, before);
        let second = other(self, scope);
        self.lists.iter_mut().for_each(|lists| lists.doubts -= 1);
        self.depth -= 1;
        match (first, second) {
            (Reach::Ends, Reach::Ends) => Reach::Ends,
            (Reach::Ends, _) => Reach::May,
            (_, Reach::Ends) => {
                scope.locals = after;
                Reach::May
            }
            _ => {
                join(&mut scope.locals, after);
                if first == second { first } else { Reach::May }
            }
        }
    }

    fn value(&mut self, scope: &mut Scope<'c>, expression: &'c Expr) -> Traced<'c> {
        if !self.enter() {
            return Traced::Unknown;
        }
        let value = self.value_of(scope, expression);
        if let Traced::Text(_) | Traced::OneOf(_) = value {
            self.pay(&value);
        }
        self.depth -= 1;
        value
    }

    /// Takes a step into an expression. Returns false if it may not be followed.
    const fn enter(&mut self) -> bool {
        if self.steps == 0 || self.depth >= DEPTH {
            self.steps = 0;
            return false;
        }
        self.steps -= 1;
        self.depth += 1;
        true
    }

    const fn spend(&mut self, steps: usize) {
        self.steps = self.steps.saturating_sub(steps);
    }

    /// Counts the elements of a value as steps, and the bytes that are passed over to find one or to
    /// compare texts.
    fn pay(&mut self, value: &Traced<'c>) {
        /// How many bytes take about as long as a step.
        const BYTES: usize = 256;
        if let Traced::OneOf(values) = value {
            return values.iter().for_each(|value| self.pay(value));
        }
        let bytes = match value {
            Traced::Given(value) => value.as_bytes().len(),
            Traced::Text(text) => text.len(),
            _ => 0,
        };
        self.spend(value.size().unwrap_or(0) + bytes / BYTES);
    }

    /// Forgets the values of variables to which a loop assigns.
    fn forget_assigned(&mut self, scope: &mut Scope<'c>, block: &[Statement]) {
        for statement in block {
            self.spend(1 + scope.locals.len() / AT_ONCE);
            if self.steps == 0 {
                return;
            }
            if let Statement::Assign(Expr::Name(name), _) = statement {
                for (_, value) in scope.locals.iter_mut().filter(|(local, _)| local == name) {
                    *value = Traced::Unknown;
                }
            }
            statement.blocks().into_iter().for_each(|block| self.forget_assigned(scope, block));
        }
    }

    fn values(&mut self, scope: &mut Scope<'c>, all: &'c [Expr]) -> Vec<Traced<'c>> {
        all.iter().map(|expression| self.value(scope, expression)).collect()
    }

    fn value_of(&mut self, scope: &mut Scope<'c>, expression: &'c Expr) -> Traced<'c> {
        match expression {
            Expr::Nothing => Traced::Nothing,
            Expr::Bool(value) => Traced::Bool(*value),
            Expr::Int(value) => Traced::Int(*value),
            Expr::Text(text) => Traced::Text(Cow::Borrowed(text)),
            Expr::Name(name) => self.named(scope, *name),
            Expr::File { uid, path } => {
                let names = self.classes.names;
                let known = |name: &NameId| self.program.file(names.text(*name));
                let found = uid.as_ref().and_then(known).or(path.as_ref().and_then(known));
                found.map_or(Traced::Unknown, target)
            }
            Expr::List(items) => Traced::List(self.values(scope, items).into()),
            Expr::Map(entries) => {
                let both = |(key, value): &'c (Expr, Expr)| {
                    (self.value(scope, key), self.value(scope, value))
                };
                Traced::Map(entries.iter().map(both).collect())
            }
            Expr::Member(of, name) => self.member(scope, of, *name),
            Expr::Index(parts) => {
                let [of, key] = &**parts;
                let (of, key) = (self.value(scope, of), self.value(scope, key));
                self.pay(&of);
                of.element(&key).unwrap_or(Traced::Unknown)
            }
            Expr::Call(function, arguments) => self.call_of(scope, function, arguments),
            Expr::Not(value) => {
                self.value(scope, value).is_true().map_or(Traced::Unknown, |it| Traced::Bool(!it))
            }
            Expr::Binary(operator, parts) => {
                let [left, right] = &**parts;
                let (left, right) = (self.value(scope, left), self.value(scope, right));
                self.pay(&right);
                operate(*operator, &left, &right)
            }
            Expr::Choice(parts) => {
                let [condition, value, other] = &**parts;
                match self.value(scope, condition).is_true() {
                    Some(true) => self.value(scope, value),
                    Some(false) => self.value(scope, other),
                    None => {
                        let value = self.value(scope, value);
                        Traced::any([value, self.value(scope, other)])
                    }
                }
            }
            Expr::Function(function) => {
                forget_all_containers(scope);
                self.closure(scope, function)
            }
            Expr::OneOf(all) => Traced::any(self.values(scope, all)),
            Expr::Node(path) => self.node_at(scope, path),
            Expr::Other => Traced::Unknown,
        }
    }

    fn closure(&mut self, scope: &Scope<'c>, function: &'c ScriptFunction) -> Traced<'c> {
        self.spend(scope.locals.len());
        Traced::Function(Rc::new(Closure {
            function,
            own: scope.own,
            declared: scope.declared,
            bound: Vec::new(),
            // They may change before the function is called.
            around: scope.locals.iter().map(|(name, _)| (*name, Traced::Unknown)).collect(),
        }))
    }

    fn text(&self, name: NameId) -> &'c str {
        self.classes.names.text(name)
    }

    fn named(&mut self, scope: &Scope<'c>, name: NameId) -> Traced<'c> {
        self.spend(scope.locals.len() / AT_ONCE);
        if let Some((_, value)) = scope.locals.iter().rev().find(|(local, _)| *local == name) {
            self.uses_arguments |= self.parameters.contains(&name);
            return value.clone();
        }
        let assigned = self.lists.as_ref().and_then(|it| it.members.get(&(scope.own, name)));
        if let Some(value) = assigned {
            return value.clone();
        }
        if let Some(value) = self.member_of(scope.own, name) {
            return value;
        }
        // The class may be nested in another one, whose constants it uses.
        let mut outer = Some(scope.declared);
        while let Some(class) = outer {
            if let Some(inner) = self.classes.scripts.inner.get(&(class, name)) {
                return Traced::Class(*inner);
            }
            outer = self.classes.scripts.class(class).and_then(|class| class.outer);
            if let Some(value) = outer.and_then(|outer| self.member_of(outer, name)) {
                return value;
            }
        }
        if let Some(autoload) = self.program.autoloads.get(&name) {
            return autoload.map_or(Traced::Unknown, Traced::Class);
        }
        match (self.classes.scripts.global.get(&name), self.text(name)) {
            (Some(class), _) => class.map_or(Traced::Unknown, Traced::Class),
            (None, "self") => Traced::Class(scope.own),
            _ => Traced::Unknown,
        }
    }

    /// A member of a class; none if the class has no such member.
    fn member_of(&mut self, own: ClassId, name: NameId) -> Option<Traced<'c>> {
        let (declared, _) = self.classes.declaring(own, name)?;
        Some(match self.program.members.get(&(declared, name)) {
            Some(Code::Function(function)) => Traced::Function(Rc::new(Closure {
                function,
                own,
                declared,
                bound: Vec::new(),
                around: Vec::new(),
            })),
            Some(Code::Value(value)) => {
                let mut scope = Scope { own, declared, locals: Vec::new(), returned: Vec::new() };
                self.value(&mut scope, value)
            }
            Some(Code::Exported(exported)) => {
                let mut scope = Scope { own, declared, locals: Vec::new(), returned: Vec::new() };
                let node = self.object.filter(|(class, _)| *class == own).map(|(_, node)| node);
                Traced::any(self.values(&mut scope, exported.of(node)))
            }
            Some(Code::Unknown) => Traced::Unknown,
            None => {
                self.missing.push((declared, name));
                Traced::Unknown
            }
        })
    }

    fn member(&mut self, scope: &mut Scope<'c>, of: &'c Expr, name: NameId) -> Traced<'c> {
        let text = self.text(name);
        let container = of;
        let of = self.value(scope, of);
        self.pay(&of);
        self.note_change(scope, container, name);
        of.each(|of| match of {
            Traced::Class(class) => self.member_of(*class, name).unwrap_or_else(|| {
                let inner = self.classes.scripts.inner.get(&(*class, name));
                inner.map_or(Traced::Unknown, |inner| Traced::Class(*inner))
            }),
            Traced::Map(_) | Traced::Given(_) => {
                of.element(&Traced::Text(Cow::Borrowed(text))).unwrap_or(Traced::Unknown)
            }
            Traced::Scene(scene) if matches!(text, "resource_path" | "ResourcePath") => {
                let tree = self.lists.as_ref().map(|lists| lists.tree);
                let scene = tree.and_then(|tree| tree.scene(*scene));
                let path = scene.map(|scene| Cow::Borrowed(self.text(scene.path)));
                path.map_or(Traced::Unknown, Traced::Text)
            }
            _ => Traced::Unknown,
        })
    }

    /// The node of a scene at a path from the node whose script is followed.
    fn node_at(&mut self, scope: &Scope<'c>, path: &str) -> Traced<'c> {
        let object = self.object.filter(|(class, _)| *class == scope.own);
        let (Some(lists), Some((_, from))) = (&self.lists, object) else { return Traced::Unknown };
        let found = lists.tree.resolve(from, path, self.classes.names, &mut self.steps);
        found.map_or(Traced::Unknown, Traced::Node)
    }

    /// The node of a scene that a value is, if that is known.
    fn node_of(&self, value: &Traced<'c>) -> Option<NodeId> {
        match value {
            Traced::Class(class) => self.object.filter(|it| it.0 == *class).map(|(_, node)| node),
            Traced::Node(node) => Some(*node),
            _ => None,
        }
    }

    /// Notes a call that changes the list of a spawner. Returns whether it is one.
    fn change_list(
        &mut self,
        scope: &mut Scope<'c>,
        function: &'c Expr,
        given: &[Traced<'c>],
    ) -> bool {
        let (Expr::Name(name) | Expr::Member(_, name)) = function else { return false };
        let method = self.text(*name);
        let is_change = has_word(ListChanges::METHODS, method);
        if !is_change || self.lists.is_none() {
            return false;
        }
        let receiver = match function {
            Expr::Member(of, _) => self.value(scope, of),
            _ => Traced::Class(scope.own),
        };
        if let Traced::Class(class) = receiver
            && self.classes.declaring(class, *name).is_some()
        {
            return false;
        }
        let spawner = match &receiver {
            Traced::Text(path) => match self.node_at(scope, path) {
                Traced::Node(node) => Some(node),
                _ => None,
            },
            receiver => self.node_of(receiver),
        };
        let scene = given.first().map(|path| self.load(scope, path, false));
        let is_made = matches!(receiver, Traced::Object);
        if let Some(lists) = &mut self.lists {
            lists.note(function, spawner, is_made, scene);
        }
        true
    }

    fn call_of(
        &mut self,
        scope: &mut Scope<'c>,
        function: &'c Expr,
        arguments: &'c [Expr],
    ) -> Traced<'c> {
        let given = self.values(scope, arguments);
        self.pass(scope, function, arguments);
        if self.change_list(scope, function, &given) {
            return Traced::Nothing;
        }
        match function {
            Expr::Name(name) => self.call_name(scope, *name, &given),
            Expr::Member(of, name) => self.call_method(scope, of, *name, &given),
            other => {
                let function = self.value(scope, other);
                self.call(&function, &given)
            }
        }
    }

    fn call_name(&mut self, scope: &Scope<'c>, name: NameId, given: &[Traced<'c>]) -> Traced<'c> {
        let text = self.text(name);
        if text == "super" {
            return Traced::Unknown;
        }
        let is_local = scope.locals.iter().any(|(local, _)| *local == name);
        if is_local || self.classes.declaring(scope.own, name).is_some() {
            let function = self.named(scope, name);
            return self.call(&function, given);
        }
        match (text, given) {
            ("preload", [path]) => path.each(|path| self.load(scope, path, true)),
            ("load", [path, ..]) => path.each(|path| self.load(scope, path, false)),
            ("get_node" | "get_node_or_null", [Traced::Text(path)]) => self.node_at(scope, path),
            ("get_path", []) => self.node_at(scope, "."),
            ("NodePath", [path]) => path.clone(),
            ("add_child" | "AddChild", [child, ..]) => {
                self.add_child(&Traced::Class(scope.own), child)
            }
            ("int", [value]) => value.each(|value| match value {
                Traced::Int(value) => Traced::Int(*value),
                Traced::Real(value) => Traced::Int(*value as i64),
                Traced::Text(text) => int(text.parse().ok()),
                _ => Traced::Unknown,
            }),
            ("str" | "String" | "StringName", [value]) => value.each(|value| match value {
                Traced::Text(text) => Traced::Text(text.clone()),
                Traced::Int(value) => Traced::Text(Cow::Owned(value.to_string())),
                _ => Traced::Unknown,
            }),
            ("Callable", [of, Traced::Text(name)]) => match (of, self.classes.names.get(name)) {
                (Traced::Class(class), Some(name)) => {
                    self.member_of(*class, name).unwrap_or(Traced::Unknown)
                }
                _ => Traced::Unknown,
            },
            _ => Traced::Unknown,
        }
    }

    fn load(&self, scope: &Scope<'c>, path: &Traced<'c>, is_relative: bool) -> Traced<'c> {
        let Traced::Text(path) = path else { return Traced::Unknown };
        if let Some(found) = self.program.file(path) {
            return target(found);
        }
        let file = self.classes.file_of(scope.declared).filter(|_| is_relative);
        let path = file.and_then(|file| relative(self.text(file), path));
        path.and_then(|path| self.program.file(&path)).map_or(Traced::Unknown, target)
    }

    fn call_method(
        &mut self,
        scope: &mut Scope<'c>,
        of: &'c Expr,
        name: NameId,
        given: &[Traced<'c>],
    ) -> Traced<'c> {
        let method = self.text(name);
        if let Expr::Name(class) = of {
            match (self.text(*class), method, given) {
                ("super", ..) => return self.call_base(scope, name, given),
                ("ResourceLoader", "load", [path, ..]) => {
                    return path.each(|path| self.load(scope, path, false));
                }
                _ => {}
            }
        }
        if method == "new" {
            let is_spawner =
                matches!(of, Expr::Name(name) if self.text(*name) == "MultiplayerSpawner");
            let lists = self.lists.as_mut().filter(|_| is_spawner);
            return lists.and_then(ListChanges::make).map_or(Traced::Object, Traced::Node);
        }
        let value = self.value(scope, of);
        self.pay(&value);
        self.note_change(scope, of, name);
        if let [argument, ..] = given {
            self.set(&value, name, argument);
        }
        match (method, given) {
            ("add_child" | "AddChild", [child, ..]) => self.add_child(&value, child),
            // The path to a node stands for the node.
            ("get_path" | "GetPath", []) => {
                self.node_of(&value).map_or(Traced::Unknown, Traced::Node)
            }
            ("get_path_to" | "GetPathTo", [Traced::Node(node)]) => Traced::Node(*node),
            ("instantiate" | "instance", _) => value.each(|value| match value {
                Traced::Scene(scene) => Traced::Scene(*scene),
                // An imported model.
                Traced::Object => Traced::Object,
                // The function fails.
                Traced::Nothing => Traced::Nothing,
                _ => Traced::Unknown,
            }),
            ("get", [key, default @ ..]) => {
                let default = default.first().cloned().unwrap_or(Traced::Nothing);
                match &value {
                    Traced::Map(_) | Traced::Given(_) | Traced::OneOf(_) => {
                        match value.element(key) {
                            None => default,
                            Some(found) if key.is_true().is_none() => Traced::any([found, default]),
                            Some(found) => found,
                        }
                    }
                    _ => Traced::Unknown,
                }
            }
            ("pick_random" | "front" | "back" | "pop_front" | "pop_back" | "values", _) => value
                .each(|value| match value {
                    Traced::List(items) if method != "values" => Traced::any(items.iter().cloned()),
                    Traced::Map(entries) if method == "values" => {
                        Traced::List(entries.iter().map(|(_, value)| value.clone()).collect())
                    }
                    _ => Traced::Unknown,
                }),
            ("size", []) => int(value.size().and_then(|size| i64::try_from(size).ok())),
            ("has", [key]) => match &value {
                Traced::Map(_) | Traced::Given(_) if value.has_keys() => {
                    match (value.element(key), key.is_true()) {
                        (None, Some(_)) => Traced::Bool(false),
                        (Some(Traced::OneOf(_) | Traced::Unknown), _) => Traced::Unknown,
                        (Some(_), Some(_)) => Traced::Bool(true),
                        _ => Traced::Unknown,
                    }
                }
                _ => Traced::Unknown,
            },
            ("bind", _) => value.each(|value| match value {
                Traced::Function(closure) => {
                    self.spend(closure.len());
                    let mut closure = Closure::clone(closure);
                    let mut bound = given.to_vec();
                    bound.append(&mut closure.bound);
                    closure.bound = bound;
                    Traced::Function(Rc::new(closure))
                }
                _ => Traced::Unknown,
            }),
            ("call", _) if matches!(value, Traced::Function(_)) => self.call(&value, given),
            _ => {
                let found = match &value {
                    Traced::Class(class) => self.member_of(*class, name),
                    _ => None,
                };
                found.map_or(Traced::Unknown, |function| self.call(&function, given))
            }
        }
    }

    /// Calls a function of the class that the current one extends.
    fn call_base(&mut self, scope: &Scope<'c>, name: NameId, given: &[Traced<'c>]) -> Traced<'c> {
        let Some(base) = self.classes.lists.base_of(scope.declared) else { return Traced::Unknown };
        let Some(Traced::Function(closure)) = self.member_of(base, name) else {
            return Traced::Unknown;
        };
        let closure = Closure { own: scope.own, ..Closure::clone(&closure) };
        self.run(&closure, given)
    }
}

fn target<'c>(target: FileTarget) -> Traced<'c> {
    match target {
        FileTarget::Scene(scene) => Traced::Scene(SceneId(scene)),
        FileTarget::Script(class) => Traced::Class(class),
        FileTarget::Model => Traced::Object,
        FileTarget::Config(_) | FileTarget::Unknown => Traced::Unknown,
    }
}

/// After two ways, a variable has the value of either.
fn join<'c>(locals: &mut [(NameId, Traced<'c>)], others: Vec<(NameId, Traced<'c>)>) {
    for ((_, value), (_, other)) in locals.iter_mut().zip(others) {
        let is_same = value.same_as(&other) == Some(true);
        if !is_same {
            let before = core::mem::replace(value, Traced::Unknown);
            *value = Traced::any([before, other]);
        }
    }
}

/// If a container may be changed, forgets all containers in variables, as several may be the same.
fn forget_containers(scope: &mut Scope<'_>, of: &Expr) {
    match of {
        Expr::Name(name) => {
            let is_changed =
                |(local, value): &(NameId, Traced<'_>)| local == name && may_be_container(value);
            if scope.locals.iter().any(is_changed) {
                forget_all_containers(scope);
            }
        }
        // A part of a container, or what its methods return.
        Expr::Member(of, _) | Expr::Call(of, _) => forget_containers(scope, of),
        Expr::Index(parts) => {
            let [of, _] = &**parts;
            forget_containers(scope, of);
        }
        Expr::List(items) => items.iter().for_each(|item| forget_containers(scope, item)),
        Expr::Map(entries) => {
            entries.iter().for_each(|(_, value)| forget_containers(scope, value));
        }
        Expr::Choice(parts) => {
            parts.iter().for_each(|part| forget_containers(scope, part));
        }
        _ => {}
    }
}

fn forget_all_containers(scope: &mut Scope<'_>) {
    for (_, value) in scope.locals.iter_mut().filter(|(_, value)| may_be_container(value)) {
        *value = Traced::Unknown;
    }
}

fn may_be_container(value: &Traced<'_>) -> bool {
    match value {
        Traced::List(_) | Traced::Map(_) | Traced::Given(_) => true,
        Traced::OneOf(values) => values.iter().any(may_be_container),
        _ => false,
    }
}
