//! The parameters of methods as scripts declare them.

use crate::value::Kind;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The number of a signature in [`Signatures`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SignatureId(u32);

/// The parameters of a method.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Signature {
    /// How many arguments a call must have.
    pub(crate) required: usize,
    /// The kind of each parameter, if that is declared.
    pub(crate) kinds: Box<[Option<Kind>]>,
    /// Whether a call may have any further arguments.
    pub(crate) is_variadic: bool,
}

/// The signatures of all methods, each once.
#[derive(Debug, Default)]
pub(crate) struct Signatures {
    ids: BTreeMap<Signature, SignatureId>,
    all: Vec<Signature>,
}

impl Signatures {
    pub(super) fn add(&mut self, signature: Signature) -> SignatureId {
        if let Some(id) = self.ids.get(&signature) {
            return *id;
        }
        let id = SignatureId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.all.push(signature.clone());
        self.ids.insert(signature, id);
        id
    }

    pub(crate) fn get(&self, id: SignatureId) -> Option<&Signature> {
        self.all.get(usize::try_from(id.0).ok()?)
    }
}
