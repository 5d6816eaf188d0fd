//! The parsed form of an expression.

use regex::Regex;

/// A part of an expression. It turns a value into any number of values.
#[derive(Clone, Debug)]
pub struct Term {
    pub kind: TermKind,
    /// Whether it gives exactly one value, or fails. Such a term is evaluated without callbacks.
    pub is_single: bool,
}

#[derive(Clone, Debug)]
pub enum TermKind {
    Identity,
    Recurse,
    Literal(Constant),
    Path(Box<Term>, Vec<Step>),
    Collect(Option<Box<Term>>),
    Negate(Box<Term>),
    /// `?` after a term that is not a path.
    Try(Box<Term>),
    Pipe(Vec<Term>),
    Comma(Vec<Term>),
    Alternative(Box<Term>, Box<Term>),
    And(Vec<Term>),
    Or(Vec<Term>),
    Compare(Box<Term>, CompareOperator, Box<Term>),
    Calculate(Box<Term>, Operation, Box<Term>),
    If(Vec<(Term, Term)>, Option<Box<Term>>),
    Call(Function, Vec<Term>),
    Test(Box<Regex>),
}

#[derive(Clone, Debug)]
pub enum Constant {
    Null,
    Bool(bool),
    Int(i128),
    Real(f64),
    Text(Box<str>),
}

/// A step of a path.
#[derive(Clone, Debug)]
pub struct Step {
    pub kind: StepKind,
    /// Whether a `?` follows: the step gives no value instead of failing.
    pub is_optional: bool,
}

#[derive(Clone, Debug)]
pub enum StepKind {
    Field(Box<str>),
    Index(Term),
    Each,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompareOperator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

macro_rules! functions {
    ($($function:ident $name:literal $arity:literal;)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Function { $($function),* }

        /// The names of all functions, each with its number of arguments.
        pub(super) const FUNCTIONS: &[(&str, usize, Function)] =
            &[$(($name, $arity, Function::$function)),*];
    };
}

functions! {
    Abs "abs" 0;
    Add "add" 0;
    All "all" 0;
    AllOf "all" 1;
    AllIn "all" 2;
    Any "any" 0;
    AnyOf "any" 1;
    AnyIn "any" 2;
    Downcase "ascii_downcase" 0;
    Upcase "ascii_upcase" 0;
    Ceil "ceil" 0;
    Contains "contains" 1;
    Empty "empty" 0;
    EndsWith "endswith" 1;
    First "first" 0;
    FirstOf "first" 1;
    Floor "floor" 0;
    Has "has" 1;
    In "IN" 1;
    IsEmpty "isempty" 1;
    IsInfinite "isinfinite" 0;
    IsNan "isnan" 0;
    Keys "keys" 0;
    Last "last" 0;
    Length "length" 0;
    Map "map" 1;
    Max "max" 0;
    Min "min" 0;
    Not "not" 0;
    Round "round" 0;
    Select "select" 1;
    Sqrt "sqrt" 0;
    StartsWith "startswith" 1;
    Test "test" 1;
    TestWith "test" 2;
    ToNumber "tonumber" 0;
    ToString "tostring" 0;
    Type "type" 0;
    Values "values" 0;
}

impl Function {
    /// Whether a call gives exactly one value, or fails, if its arguments do.
    const fn is_single(self) -> bool {
        !matches!(self, Function::Empty | Function::Select | Function::Values | Function::FirstOf)
    }

    /// Whether a call gives one value, no matter how many values its arguments give.
    const fn is_summary(self) -> bool {
        matches!(
            self,
            Function::Map
                | Function::AllOf
                | Function::AllIn
                | Function::AnyOf
                | Function::AnyIn
                | Function::In
                | Function::IsEmpty
        )
    }
}

impl Term {
    /// Passes this term and all terms in it to a function, each with whether its input is that of
    /// this term.
    pub fn each<'t>(&'t self, has_input: bool, take: &mut dyn FnMut(&'t Term, bool)) {
        take(self, has_input);
        match &self.kind {
            TermKind::Identity
            | TermKind::Recurse
            | TermKind::Literal(_)
            | TermKind::Collect(None)
            | TermKind::Test(_) => {}
            TermKind::Path(start, steps) => {
                start.each(has_input, take);
                for step in steps {
                    if let StepKind::Index(index) = &step.kind {
                        index.each(has_input, take);
                    }
                }
            }
            TermKind::Collect(Some(term)) | TermKind::Negate(term) | TermKind::Try(term) => {
                term.each(has_input, take);
            }
            TermKind::Pipe(terms) => {
                for (place, term) in terms.iter().enumerate() {
                    term.each(has_input && place == 0, take);
                }
            }
            TermKind::Comma(terms) | TermKind::And(terms) | TermKind::Or(terms) => {
                terms.iter().for_each(|term| term.each(has_input, take));
            }
            TermKind::Alternative(left, right)
            | TermKind::Compare(left, _, right)
            | TermKind::Calculate(left, _, right) => {
                left.each(has_input, take);
                right.each(has_input, take);
            }
            TermKind::If(branches, otherwise) => {
                for (condition, then) in branches {
                    condition.each(has_input, take);
                    then.each(has_input, take);
                }
                if let Some(otherwise) = otherwise {
                    otherwise.each(has_input, take);
                }
            }
            TermKind::Call(function, arguments) => {
                for (place, argument) in arguments.iter().enumerate() {
                    let of_elements = match function {
                        Function::Map | Function::AnyOf | Function::AllOf => true,
                        Function::AnyIn | Function::AllIn => place == 1,
                        _ => false,
                    };
                    argument.each(has_input && !of_elements, take);
                }
            }
        }
    }

    pub fn new(kind: TermKind) -> Term {
        let are_single = |terms: &[Term]| terms.iter().all(|term| term.is_single);
        let is_single = match &kind {
            TermKind::Identity
            | TermKind::Literal(_)
            | TermKind::Collect(_)
            | TermKind::Test(_) => true,
            TermKind::Recurse => false,
            TermKind::Path(start, steps) => {
                start.is_single
                    && steps.iter().all(|step| match &step.kind {
                        _ if step.is_optional => false,
                        StepKind::Field(_) => true,
                        StepKind::Index(index) => index.is_single,
                        StepKind::Each => false,
                    })
            }
            TermKind::Negate(term) => term.is_single,
            TermKind::Pipe(terms) | TermKind::And(terms) | TermKind::Or(terms) => are_single(terms),
            TermKind::Comma(_) | TermKind::Try(_) => false,
            TermKind::Alternative(left, right)
            | TermKind::Compare(left, _, right)
            | TermKind::Calculate(left, _, right) => left.is_single && right.is_single,
            TermKind::If(branches, otherwise) => {
                branches.iter().all(|(condition, then)| condition.is_single && then.is_single)
                    && otherwise.as_ref().is_none_or(|term| term.is_single)
            }
            TermKind::Call(function, arguments) => {
                function.is_summary() || function.is_single() && are_single(arguments)
            }
        };
        Term { kind, is_single }
    }
}
