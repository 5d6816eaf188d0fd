//! The MD5 digests of the lists of methods. A game sends the digest of a node's list to announce it.
//! A list that a script has in another version of the game is found by its digest, too.

use super::ids::{DigestMatch, Interner, ListId, NameId, index, number};
use super::lists::{Lists, sort};
use super::script::{ClassId, RemoteMethod, Scripts};
use super::{Project, limits};
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use md5::{Digest, Md5};

/// A list of methods, with those that were made remote at run time.
#[derive(Clone, Debug)]
pub(super) struct DigestedList {
    pub(super) digest: u128,
    /// The script. None if several scripts have lists with the same names, or if no script is
    /// known.
    pub(super) class: Option<ClassId>,
    /// An index into the lists of methods.
    pub(super) methods: u32,
    pub(super) own: Box<[NameId]>,
}

/// The digest of a list of methods, as the engine sends it: the MD5 of all names, first those that
/// `Node.rpc_config()` made remote, then those of the script, each sorted.
pub(crate) fn digest<'n>(names: impl Iterator<Item = &'n str>) -> String {
    format!("{:032x}", md5_of(names))
}

fn md5_of<'n>(names: impl Iterator<Item = &'n str>) -> u128 {
    let mut md5 = Md5::new();
    names.for_each(|name| md5.update(name.as_bytes()));
    u128::from_be_bytes(md5.finalize().into())
}

/// The lists by their digests.
#[derive(Debug)]
pub(super) struct Digests {
    pub(super) lists: Vec<DigestedList>,
    /// For each class, the list without methods that were made remote at run time; none if the list
    /// may be incomplete.
    pub(super) by_class: Vec<Option<u32>>,
    /// The digest, the class and the index of each list, sorted.
    entries: Vec<(u128, Option<ClassId>, u32)>,
    /// One list for each digest, sorted by digest; none if lists with different names have the
    /// digest.
    answers: Vec<(u128, Option<u32>)>,
    /// How many bytes may still be hashed, and how many digests may still be computed.
    bytes: usize,
    left: usize,
}

/// The number of the list without any methods.
pub(super) const EMPTY: u32 = 0;

impl Digests {
    /// Computes the digests of the list of each script, and then of lists with methods that scripts
    /// make remote at run time, beginning with the likeliest, until a limit is reached.
    pub(super) fn new(lists: &mut Lists, scripts: &Scripts, names: &Interner) -> Digests {
        let mut digests = Digests {
            lists: Vec::new(),
            by_class: Vec::new(),
            entries: Vec::new(),
            answers: Vec::new(),
            bytes: limits::HASHED_BYTES,
            left: usize::MAX,
        };
        digests.plain(lists, names);
        digests.left = limits::DIGESTS / 2;
        digests.of_chains(lists, names);
        digests.left += limits::DIGESTS / 2;
        digests.of_all(lists, scripts, names);
        digests.entries.sort_unstable();
        digests.answer(lists);
        digests
    }

    /// Adds the list of each script without methods that were made remote at run time.
    fn plain(&mut self, lists: &Lists, names: &Interner) {
        self.add(lists, names, None, EMPTY, &[]);
        let digest_of_empty = self.entries.first().map(|(digest, ..)| *digest);
        for (class, list) in (0..).zip(&lists.classes) {
            let id = number(self.lists.len());
            let is_added = list.is_some_and(|list| match (list.methods, digest_of_empty) {
                // Many scripts may have no remote methods, so their digest is computed only once.
                (EMPTY, Some(digest)) => {
                    self.push(digest, Some(class), EMPTY, &[]);
                    true
                }
                _ => self.add(lists, names, Some(class), list.methods, &[]),
            });
            let is_certain = is_added && list.is_some_and(|list| list.is_certain);
            self.by_class.push(is_certain.then_some(id));
        }
    }

    /// For each script, adds its list with subsets of the methods that calls in any script may make
    /// remote and that the script or one that it extends defines: first all of them, then one, then
    /// two and so on.
    fn of_chains(&mut self, lists: &Lists, names: &Interner) {
        let of_class = |(class, list): (ClassId, &Option<super::lists::ClassList>)| {
            let list = (*list)?;
            let runtime = lists.runtime.get(index(list.runtime))?;
            (!runtime.is_empty()).then_some((class, list.methods, &**runtime))
        };
        let of_classes: Vec<_> = (0..).zip(&lists.classes).filter_map(of_class).collect();
        let most = of_classes.iter().map(|(_, _, runtime)| runtime.len()).max().unwrap_or(0);
        for (class, methods, runtime) in &of_classes {
            self.add(lists, names, Some(*class), *methods, runtime);
        }
        for size in 1..=most {
            for (class, methods, runtime) in
                of_classes.iter().filter(|(.., runtime)| runtime.len() > size)
            {
                let add = |own: &[NameId]| self.add(lists, names, Some(*class), *methods, own);
                if !subsets(runtime, size, add) {
                    return;
                }
            }
        }
    }

    /// Adds every list with subsets of all names in calls of `rpc_config`, for nodes of any script
    /// or of none.
    fn of_all(&mut self, lists: &Lists, scripts: &Scripts, names: &Interner) {
        let mut candidates: Vec<NameId> = scripts.candidates.iter().copied().collect();
        sort(&mut candidates, names);
        let certain = lists.classes.iter().flatten().map(|list| list.methods);
        let methods: BTreeSet<u32> = certain.chain([EMPTY]).collect();
        for size in 1..=candidates.len() {
            for methods in &methods {
                let add = |own: &[NameId]| self.add(lists, names, None, *methods, own);
                if !subsets(&candidates, size, add) {
                    return;
                }
            }
        }
    }

    /// Computes the digest of a list and adds it. Returns false if a limit is reached.
    fn add(
        &mut self,
        lists: &Lists,
        names: &Interner,
        class: Option<ClassId>,
        methods: u32,
        own: &[NameId],
    ) -> bool {
        let rpc = lists.methods(methods).iter().map(|method| method.name);
        let texts = own.iter().copied().chain(rpc).map(|name| names.text(name));
        let bytes = texts.clone().map(str::len).sum::<usize>().saturating_add(64);
        if self.left == 0 || self.bytes < bytes {
            return false;
        }
        self.left -= 1;
        self.bytes -= bytes;
        self.push(md5_of(texts), class, methods, own);
        true
    }

    fn push(&mut self, digest: u128, class: Option<ClassId>, methods: u32, own: &[NameId]) {
        self.entries.push((digest, class, number(self.lists.len())));
        self.lists.push(DigestedList { digest, class, methods, own: own.into() });
    }

    /// Determines the list of each digest that is found without a class.
    fn answer(&mut self, lists: &mut Lists) {
        let mut rest = self.entries.as_slice();
        while let Some(((digest, _, first), _)) = rest.split_first() {
            let count = rest.partition_point(|(other, ..)| other == digest);
            let (same, after) = rest.split_at_checked(count).unwrap_or((rest, &[]));
            rest = after;
            let answer = match same {
                [_] => Some(*first),
                _ => merge(&mut self.lists, lists, same),
            };
            self.answers.push((*digest, answer));
        }
    }

    /// The list with this digest. If the class is known and one of its lists has the digest, it is
    /// that list.
    pub(super) fn find(&self, digest: u128, class: Option<ClassId>) -> DigestMatch {
        let start = self.entries.partition_point(|(other, of, _)| (*other, *of) < (digest, class));
        let mut of_class = self.entries.get(start..).unwrap_or(&[]).iter();
        let mut next = || of_class.next().filter(|(found, of, _)| *found == digest && *of == class);
        if class.is_some()
            && let Some((_, _, first)) = next()
        {
            // The lists of a class have different names, which may be the same text together.
            return match next() {
                None => DigestMatch::Known(ListId(*first)),
                Some(_) => DigestMatch::Ambiguous,
            };
        }
        let found = self.answers.binary_search_by_key(&digest, |(digest, _)| *digest);
        match found.ok().and_then(|found| self.answers.get(found)) {
            Some((_, Some(list))) => DigestMatch::Known(ListId(*list)),
            Some((_, None)) => DigestMatch::Ambiguous,
            None => DigestMatch::Unknown,
        }
    }
}

fn has_same_names(lists: &Lists, a: &DigestedList, b: &DigestedList) -> bool {
    let rpc = |list: &DigestedList| lists.methods(list.methods).iter().map(|method| method.name);
    a.own == b.own && (a.methods == b.methods || rpc(a).eq(rpc(b)))
}

/// Merges lists with the same names into one, without the script and the configurations in which
/// they differ. None if the names differ.
fn merge(
    all: &mut Vec<DigestedList>,
    lists: &mut Lists,
    same: &[(u128, Option<ClassId>, u32)],
) -> Option<u32> {
    let found = |id: &u32| all.get(index(*id));
    let (_, _, first) = same.first()?;
    let first = found(first)?;
    let mut methods: Option<Vec<RemoteMethod>> = None;
    // Nodes without a script have the empty list, too.
    let (mut class, mut is_one_class) = (first.class, first.methods != EMPTY);
    for (_, _, other) in same.iter().skip(1) {
        let other = found(other)?;
        if !has_same_names(lists, first, other) {
            return None;
        }
        // A list whose script is not known may be that of the other list's script.
        class = class.or(other.class);
        is_one_class &= other.class.is_none() || other.class == class;
        if other.methods != first.methods {
            let merged = methods.get_or_insert_with(|| lists.methods(first.methods).to_vec());
            for (a, b) in merged.iter_mut().zip(lists.methods(other.methods)) {
                a.rpc = a.rpc.filter(|rpc| Some(*rpc) == b.rpc);
                a.parameters = a.parameters.filter(|parameters| Some(*parameters) == b.parameters);
            }
        }
    }
    let (digest, own) = (first.digest, first.own.clone());
    let methods = match methods {
        Some(methods) => {
            lists.methods.push(methods.into());
            number(lists.methods.len() - 1)
        }
        None => first.methods,
    };
    all.push(DigestedList { digest, class: class.filter(|_| is_one_class), methods, own });
    Some(number(all.len() - 1))
}

/// Passes all subsets of this size to `take`, in lexicographic order, until it returns false.
/// Returns false in that case.
fn subsets(all: &[NameId], size: usize, mut take: impl FnMut(&[NameId]) -> bool) -> bool {
    let mut picked: Vec<usize> = (0..size).collect();
    let mut subset = Vec::new();
    loop {
        subset.clear();
        subset.extend(picked.iter().filter_map(|index| all.get(*index)));
        if subset.len() < size {
            return true;
        }
        if !take(&subset) {
            return false;
        }
        // The last index that can be increased is increased, and the ones after it are set to the
        // indexes that follow.
        let free = |(place, index): (usize, &usize)| index + size < all.len() + place;
        let Some(place) = picked.iter().enumerate().rposition(free) else { return true };
        let Some(from) = picked.get(place).map(|index| index + 1) else { return true };
        for (index, next) in picked.iter_mut().skip(place).zip(from..) {
            *index = next;
        }
    }
}

impl Project {
    /// The names of the methods of the script with this list, in the version of the game that has
    /// this digest. It is found if that version lacks one or two of the methods, or has one that
    /// the project mentions elsewhere, in addition to the others or in place of one of them. The
    /// digest proves the names. `left` is how many digests of short lists may still be computed.
    pub(crate) fn list_near(
        &self,
        md5: &str,
        list: ListId,
        left: &mut usize,
    ) -> Option<Box<[Box<str>]>> {
        let digest = u128::from_str_radix(md5, 16).ok()?;
        let list = self.digests.lists.get(index(list.0))?;
        let methods = self.lists.methods(list.methods).iter();
        let names: Vec<&str> = methods.map(|method| self.names.text(method.name)).collect();
        // Digests of longer lists count as several.
        let cost = 1 + names.iter().map(|name| name.len()).sum::<usize>() / 256;
        let places = 0..names.len();
        let one = places.clone().map(|gone| without(&names, gone, gone));
        let two = places.flat_map(|gone| (0..gone).map(move |other| (gone, other)));
        let two = two.map(|(gone, other)| without(&names, gone, other));
        let words = self.scripts.words.iter().map(|word| self.names.text(*word));
        let more = words.flat_map(|word| with_another(&names, word));
        let mut tried = one.chain(two).chain(more).map_while(|names| {
            *left = left.checked_sub(cost)?;
            Some(names)
        });
        let found = tried.find(|names| md5_of(names.iter().copied()) == digest)?;
        Some(found.into_iter().map(Box::from).collect())
    }
}

/// The names with another one, and these without one of the others; nothing if the names have it.
fn with_another<'n>(names: &[&'n str], word: &'n str) -> impl Iterator<Item = Vec<&'n str>> {
    let place = names.binary_search(&word).err();
    let longer = place.map(|place| {
        let (before, after) = names.split_at_checked(place).unwrap_or((names, &[]));
        (place, [before, &[word], after].concat())
    });
    longer.into_iter().flat_map(|(place, longer)| {
        // No place is as large, so this is the whole list.
        let gone = core::iter::once(longer.len()).chain(0..longer.len());
        let gone = gone.filter(move |gone| *gone != place);
        gone.map(move |gone| without(&longer, gone, gone))
    })
}

/// All names except the ones at two places.
fn without<'n>(names: &[&'n str], one: usize, other: usize) -> Vec<&'n str> {
    let places = names.iter().enumerate();
    places.filter(|(place, _)| *place != one && *place != other).map(|(_, name)| *name).collect()
}

#[cfg(test)]
mod tests {
    use super::{Interner, subsets};
    use alloc::vec::Vec;

    #[test]
    fn subsets_are_complete_and_each_once() {
        let mut names = Interner::default();
        let all: Vec<_> = ["a", "b", "c", "d", "e"].iter().map(|name| names.add(name)).collect();
        for (size, count) in [(1, 5), (2, 10), (3, 10), (4, 5), (5, 1), (6, 0)] {
            let mut found = Vec::new();
            assert!(subsets(&all, size, |subset| {
                found.push(subset.to_vec());
                true
            }));
            assert_eq!(found.len(), count);
            assert!(found.is_sorted_by(|a, b| a < b), "{found:?}");
        }
        let mut left = 3;
        assert!(!subsets(&all, 2, |_| {
            left -= 1;
            left > 0
        }));
    }
}
