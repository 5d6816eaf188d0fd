//! Reads expressions of C#.

use super::cs_parser::CsParser;
use super::syntax::{Expr, Operator, ReadCode};
use super::tokens::{ReadTokens, Token};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// How many operators, members or branches may follow each other in an expression.
const CHAIN: usize = 64;
/// How many parts the value before `switch` may have.
const SWITCHED: usize = 16;
/// How strongly the operators bind.
const RELATION: u8 = 7;

impl<'a> CsParser<'a, '_> {
    /// Reads operands and operators that bind at least as strongly as `least`.
    pub(super) fn binary(&mut self, least: u8) -> Option<Expr> {
        let mut left = self.nested(Self::unary)?;
        for _ in 0..CHAIN {
            if least <= RELATION && self.take_word("as") {
                self.at += self.type_at(0)?;
            } else if least <= RELATION && self.take_word("is") {
                self.pattern_of_is()?;
                left = Expr::Other;
            } else if self.is_word("switch") {
                left = self.nested(|parser| parser.switch(&left))?;
            } else {
                let Some((operator, strength)) = self.operator(least) else { return Some(left) };
                let right = self.nested(|parser| parser.binary(strength + 1))?;
                left = Expr::Binary(operator, Box::new([left, right]));
            }
        }
        None
    }

    /// Takes the next operator if it binds at least as strongly as `least`.
    fn operator(&mut self, least: u8) -> Option<(Operator, u8)> {
        let Token::Mark(mark) = self.peek()? else { return None };
        let second = match self.ahead(1) {
            Some(Token::Mark(mark)) => mark,
            _ => ' ',
        };
        let (operator, strength, length) = match (mark, second) {
            ('|', '|') => (Operator::Or, 1, 2),
            ('&', '&') => (Operator::And, 2, 2),
            ('=', '=') => (Operator::Equal, 6, 2),
            ('!', '=') => (Operator::Unequal, 6, 2),
            ('<', '=') => (Operator::LessEqual, RELATION, 2),
            ('>', '=') => (Operator::GreaterEqual, RELATION, 2),
            // An assignment such as `+=`, or `++`.
            ('|' | '&' | '^' | '+' | '-' | '*' | '/' | '%', '=') | ('+', '+') | ('-', '-') => {
                return None;
            }
            ('<', '<') | ('>', '>') if self.ahead(2) == Some(Token::Mark('=')) => return None,
            ('<', '<') | ('>', '>') => (Operator::Other, 8, 2),
            ('<', _) => (Operator::Less, RELATION, 1),
            ('>', _) => (Operator::Greater, RELATION, 1),
            ('|', _) => (Operator::Other, 3, 1),
            ('^', _) => (Operator::Other, 4, 1),
            ('&', _) => (Operator::Other, 5, 1),
            ('+', _) => (Operator::Add, 9, 1),
            ('-', _) => (Operator::Other, 9, 1),
            ('%', _) => (Operator::Remainder, 10, 1),
            ('*' | '/', _) => (Operator::Other, 10, 1),
            _ => return None,
        };
        if strength < least {
            return None;
        }
        self.at += length;
        Some((operator, strength))
    }

    /// Reads the pattern after `is`, which may declare a variable.
    fn pattern_of_is(&mut self) -> Option<()> {
        self.take_word("not");
        if self.take_word("null") {
            return Some(());
        }
        self.at += self.type_at(0)?;
        if let Some(Token::Name(name)) = self.peek()
            && !matches!(name, "and" | "or" | "as" | "is" | "switch")
        {
            let name = self.take_name()?;
            self.set.push(name);
        }
        let ends = matches!(self.peek()?, Token::Mark(')' | '&' | '|' | ';' | '?' | ',' | ':'));
        ends.then_some(())
    }

    /// Reads the arms after a value and `switch`.
    fn switch(&mut self, value: &Expr) -> Option<Expr> {
        self.take();
        if !self.take_mark('{') || size(value, SWITCHED).is_none() {
            return None;
        }
        let mut arms = Vec::new();
        let mut last = Expr::Nothing;
        while !self.take_mark('}') {
            if arms.len() > CHAIN {
                return None;
            }
            let is_any = self.is_word("_") && self.ahead(1) == Some(Token::Mark('='));
            let condition = match is_any {
                true => self.take().map(|_| Expr::Bool(true))?,
                false => self.condition(value)?,
            };
            self.take_marks("=>").then_some(())?;
            let result = self.expression()?;
            match is_any {
                true => last = result,
                false => arms.push((condition, result)),
            }
            self.expect_comma('}')?;
        }
        let arms = arms.into_iter().rev();
        Some(arms.fold(last, |other, (condition, result)| {
            Expr::Choice(Box::new([condition, result, other]))
        }))
    }

    /// Reads the pattern of an arm as a condition.
    fn condition(&mut self, value: &Expr) -> Option<Expr> {
        let is_constant = matches!(self.peek()?, Token::Text(_) | Token::Number(_))
            && matches!(self.ahead(1)?, Token::Mark('='));
        if is_constant {
            let pattern = self.nested(Self::unary)?;
            return Some(Expr::Binary(Operator::Equal, Box::new([value.clone(), pattern])));
        }
        // Any other pattern may match.
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                Token::Mark('=') if depth == 0 && self.ahead(1) == Some(Token::Mark('>')) => {
                    return Some(Expr::Other);
                }
                Token::Mark('(' | '[' | '{') => depth += 1,
                Token::Mark(')' | ']' | '}') => depth = depth.checked_sub(1)?,
                _ => {}
            }
            self.at += 1;
        }
    }

    fn unary(&mut self) -> Option<Expr> {
        match self.peek()? {
            Token::Mark('!') => {
                self.take();
                Some(Expr::Not(Box::new(self.nested(Self::unary)?)))
            }
            Token::Mark(sign @ ('-' | '+' | '~')) => {
                if self.ahead(1) == Some(Token::Mark(sign)) {
                    return None;
                }
                self.take();
                Some(match self.nested(Self::unary)? {
                    Expr::Int(number) if sign == '-' => Expr::Int(number.checked_neg()?),
                    _ => Expr::Other,
                })
            }
            Token::Mark('(') if !self.is_lambda() => self.parenthesis(),
            _ => {
                let first = self.primary()?;
                self.postfix(first)
            }
        }
    }

    /// Reads a cast, or an expression in parentheses.
    fn parenthesis(&mut self) -> Option<Expr> {
        if let Some(length) = self.type_at(1)
            && self.ahead(length + 1) == Some(Token::Mark(')'))
        {
            let is_cast = match self.ahead(length + 2) {
                Some(Token::Name(word)) => !matches!(word, "is" | "as" | "switch"),
                Some(Token::Text(_) | Token::Number(_) | Token::Mark('(')) => true,
                _ => false,
            };
            if is_cast {
                let Some(Token::Name(class)) = self.ahead(1) else { return None };
                self.at += length + 2;
                let value = self.nested(Self::unary)?;
                return Some(self.converted(value, Some(class).filter(|_| length == 1)));
            }
        }
        self.take();
        let inside = self.expression()?;
        self.expect(')')?;
        self.postfix(inside)
    }

    /// A value that is converted to a type.
    fn converted(&mut self, value: Expr, class: Option<&str>) -> Expr {
        let function = match class {
            Some("int" | "long" | "uint" | "byte" | "short" | "ushort") => "int",
            Some("string" | "StringName" | "NodePath") => "str",
            Some("float" | "double" | "bool" | "sbyte" | "ulong" | "char" | "decimal") => {
                return Expr::Other;
            }
            _ => return value,
        };
        Expr::Call(self.named(function), Vec::from([value]))
    }

    /// Reads the members, indexes and calls after an expression.
    fn postfix(&mut self, first: Expr) -> Option<Expr> {
        let mut found = first;
        for _ in 0..CHAIN {
            let is_next = |at, mark| self.ahead(at) == Some(Token::Mark(mark));
            if is_next(0, '.') || is_next(0, '?') && is_next(1, '.') {
                self.at += if self.is_mark('?') { 2 } else { 1 };
                found = self.member(found)?;
            } else if is_next(0, '?') && is_next(1, '[') {
                // A choice between lists begins alike.
                return None;
            } else if is_next(0, '[') {
                self.take();
                let index = self.expression()?;
                self.expect(']')?;
                found = Expr::Index(Box::new([found, index]));
            } else if is_next(0, '(') {
                self.take();
                found = Expr::Call(Box::new(found), self.arguments()?);
            } else if is_next(0, '!') && !is_next(1, '=') {
                self.take();
            } else {
                return Some(found);
            }
        }
        None
    }

    /// Reads the name of a member, its type arguments, and the arguments if it is a method.
    fn member(&mut self, of: Expr) -> Option<Expr> {
        let Token::Name(name) = self.take()? else { return None };
        let mut class = None;
        if self.is_mark('<')
            && let Some(length) = self.generics_at(0)
            && self.ahead(length) == Some(Token::Mark('('))
        {
            if let (3, Some(Token::Name(only))) = (length, self.ahead(1)) {
                class = Some(only);
            }
            self.at += length;
        }
        if !self.take_mark('(') {
            return Some(self.property(of, name));
        }
        let arguments = self.arguments()?;
        let of_class = match &of {
            Expr::Name(class) => self.names.text(*class),
            _ => "",
        };
        let function = match (of_class, name) {
            ("GD", "Load") | ("ResourceLoader", "Load") => "load",
            ("GD", _) if name.starts_with("Print") || name.starts_with("Push") => "print",
            ("Callable", "From") => return arguments.into_iter().next(),
            _ => "",
        };
        if !function.is_empty() {
            return Some(Expr::Call(self.named(function), arguments));
        }
        let converted = match name {
            "AsInt32" | "AsInt64" | "AsByte" | "AsUInt32" | "AsInt16" => Some("int"),
            "AsString" | "AsStringName" | "ToString" => Some("string"),
            "AsBool" | "AsSingle" | "AsDouble" => Some("bool"),
            "As" => Some(class.unwrap_or("")),
            _ if name.starts_with("As") => Some(""),
            _ => None,
        };
        if let Some(class) = converted.filter(|_| arguments.is_empty()) {
            return Some(self.converted(of, Some(class)));
        }
        let name = match name {
            "Instantiate" | "InstantiateOrNull" => "instantiate",
            "PickRandom" => "pick_random",
            "ContainsKey" => "has",
            "Bind" => "bind",
            // Not the methods of GDScript.
            "get" | "has" | "call" | "values" | "size" | "front" | "back" | "new" | "instance"
            | "instantiate" => return None,
            _ => name,
        };
        let name = self.names.add(name);
        Some(Expr::Call(Box::new(Expr::Member(Box::new(of), name)), arguments))
    }

    fn property(&mut self, of: Expr, name: &str) -> Expr {
        match (name, &of) {
            ("Count" | "Length", _) => {
                let size = self.names.add("size");
                let size = Expr::Member(Box::new(of), size);
                Expr::Call(Box::new(size), Vec::new())
            }
            ("Obj", _) => of,
            (_, Expr::Name(class))
                if matches!(self.names.text(*class), "MethodName" | "PropertyName") =>
            {
                Expr::Text(name.into())
            }
            _ => {
                let name = match name {
                    "SpawnFunction" => "spawn_function",
                    _ => name,
                };
                let name = self.names.add(name);
                Expr::Member(Box::new(of), name)
            }
        }
    }

    /// Reads arguments after their opening parenthesis.
    pub(super) fn arguments(&mut self) -> Option<Vec<Expr>> {
        let mut found = Vec::new();
        while !self.take_mark(')') {
            if self.is_word("ref") || self.is_word("in") {
                return None;
            }
            // With a name, an argument may have any place.
            let is_named =
                matches!(self.peek()?, Token::Name(_)) && self.ahead(1) == Some(Token::Mark(':'));
            if is_named {
                return None;
            }
            found.push(if self.take_word("out") { self.out()? } else { self.expression()? });
            self.expect_comma(')')?;
        }
        Some(found)
    }

    /// Reads the variable after `out`.
    fn out(&mut self) -> Option<Expr> {
        let length = self.type_at(0)?;
        if let Some(Token::Name(_)) = self.ahead(length) {
            self.at += length;
        }
        let name = self.take_name()?;
        self.set.push(name);
        matches!(self.peek()?, Token::Mark(',' | ')')).then_some(Expr::Other)
    }

    fn primary(&mut self) -> Option<Expr> {
        if self.is_mark('(') {
            return self.lambda();
        }
        Some(match self.take()? {
            Token::Name(name) => match name {
                "null" => Expr::Nothing,
                "true" => Expr::Bool(true),
                "false" => Expr::Bool(false),
                "this" => *self.named("self"),
                "base" => *self.named("super"),
                "new" => return self.new_object(),
                "nameof" => return self.name_of(),
                // The function fails.
                "throw" => {
                    self.expression()?;
                    Expr::Nothing
                }
                "typeof" | "default" | "sizeof" => {
                    if self.take_mark('(') {
                        self.at += self.type_at(0)?;
                        self.expect(')')?;
                    }
                    Expr::Other
                }
                "await" | "async" | "delegate" | "stackalloc" | "checked" | "from" | "static"
                | "is" | "as" | "in" | "out" | "ref" | "return" | "switch" | "with" => return None,
                _ => return self.name_or_call(name),
            },
            Token::Text(text) => self.literal(text)?,
            Token::Number(number) => match (self.peek(), self.ahead(1)) {
                (Some(Token::Mark('.')), Some(Token::Number(_))) => {
                    self.at += 2;
                    Expr::Other
                }
                _ => number.parse().map_or(Expr::Other, Expr::Int),
            },
            Token::Mark('[') => Expr::List(self.items(']')?),
            _ => return None,
        })
    }

    /// Reads what may follow a name: `=>` of a lambda, or type arguments and the arguments of a call.
    fn name_or_call(&mut self, name: &str) -> Option<Expr> {
        if self.is_mark('=') && self.ahead(1) == Some(Token::Mark('>')) {
            self.at -= 1;
            return self.lambda();
        }
        let name = match name {
            "SpawnFunction" => "spawn_function",
            "GetNode" | "GetNodeOrNull" => "get_node",
            // Names that mean something else in GDScript.
            "self" | "super" | "load" | "preload" | "str" | "int" | "String" | "StringName"
            | "print" | "get_node" | "get_node_or_null" | "spawn_function"
            | "set_spawn_function" => return None,
            _ => name,
        };
        if self.is_mark('<')
            && let Some(length) = self.generics_at(0)
            && self.ahead(length) == Some(Token::Mark('('))
        {
            self.at += length;
        }
        Some(*self.named(name))
    }

    fn name_of(&mut self) -> Option<Expr> {
        self.expect('(')?;
        let mut last = None;
        loop {
            match self.take()? {
                Token::Name(name) => last = Some(name),
                Token::Mark('.') => {}
                Token::Mark(')') => return last.map(|name| Expr::Text(name.into())),
                _ => return None,
            }
        }
    }

    /// Reads what follows `new`.
    fn new_object(&mut self) -> Option<Expr> {
        let mut class = None;
        if !self.is_mark('(') && !self.is_mark('[') {
            let length = self.type_at(0)?;
            if let Some(Token::Name(name)) = self.peek() {
                class = Some(name);
            }
            self.at += length;
        }
        if self.take_mark('[') {
            // A list with its length, or `new[]`.
            if !self.is_mark(']') {
                self.expression()?;
            }
            self.expect(']')?;
        }
        let arguments = match self.take_mark('(') {
            true => self.arguments()?,
            false => Vec::new(),
        };
        if self.take_mark('{') {
            return self.initializer();
        }
        if class == Some("Callable") {
            return Some(Expr::Call(self.named("Callable"), arguments));
        }
        if class == Some("NodePath") || class == Some("StringName") {
            return arguments.into_iter().next();
        }
        let new = self.names.add("new");
        let of = self.named(class.unwrap_or("Object"));
        let is_container = class.is_none_or(|class| {
            ["Array", "List", "Dictionary", "HashSet", "Stack", "Queue"].contains(&class)
        });
        let call = Expr::Call(Box::new(Expr::Member(of, new)), arguments);
        Some(if is_container { Expr::Other } else { call })
    }

    /// Reads the content of a new container, or the properties of a new object.
    pub(super) fn initializer(&mut self) -> Option<Expr> {
        let is_property = matches!(self.peek()?, Token::Name(_))
            && self.ahead(1) == Some(Token::Mark('='))
            && self.ahead(2) != Some(Token::Mark('>'));
        if is_property {
            return None;
        }
        if !matches!(self.peek()?, Token::Mark('{' | '[')) {
            return Some(Expr::List(self.items('}')?));
        }
        let mut entries = Vec::new();
        while !self.take_mark('}') {
            let end = match self.take()? {
                Token::Mark('{') => '}',
                Token::Mark('[') => ']',
                _ => return None,
            };
            let key = self.expression()?;
            let value = match end {
                '}' => self.take_mark(',').then(|| self.expression()).flatten()?,
                _ => self.take_marks("]=").then(|| self.expression()).flatten()?,
            };
            if end == '}' && !self.take_mark('}') {
                return None;
            }
            entries.push((key, value));
            self.expect_comma('}')?;
        }
        Some(Expr::Map(entries))
    }

    /// A string, with the variables in braces if it is interpolated.
    fn literal(&mut self, text: &'a str) -> Option<Expr> {
        if text.contains(['\\', '"']) {
            return Some(Expr::Other);
        }
        let mut parts = text.split('{');
        let mut found = Expr::Text(parts.next().unwrap_or("").into());
        for part in parts.by_ref().take(CHAIN) {
            let Some((hole, rest)) = part.split_once('}') else { return Some(Expr::Other) };
            let is_name = |c: char| c == '_' || c.is_alphanumeric();
            if !hole.starts_with(|c| is_name(c) && !c.is_numeric()) || !hole.chars().all(is_name) {
                return Some(Expr::Other);
            }
            let value = *self.named(hole);
            let value = self.converted(value, Some("string"));
            let rest = Expr::Text(String::from(rest).into());
            for next in [value, rest] {
                found = Expr::Binary(Operator::Add, Box::new([found, next]));
            }
        }
        Some(if parts.next().is_some() { Expr::Other } else { found })
    }
}

/// The rest of a number of parts after subtracting those of a simple expression; none if it has
/// more.
fn size(expression: &Expr, left: usize) -> Option<usize> {
    let left = left.checked_sub(1)?;
    match expression {
        Expr::Name(_)
        | Expr::Text(_)
        | Expr::Int(_)
        | Expr::Member(..)
        | Expr::Index(_)
        | Expr::Call(..) => {
            expression.parts().into_iter().try_fold(left, |left, part| size(part, left))
        }
        _ => None,
    }
}
