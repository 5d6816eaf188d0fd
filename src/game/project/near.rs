//! Finds the list of methods that a script has in another version of the game, by its digest.

use super::ids::ListId;
use super::lookup::Project;
use super::names::NameId;
use alloc::boxed::Box;
use alloc::vec::Vec;
use md5::{Digest, Md5};

impl Project {
    /// The names of the methods of the script with this list, in the version of the game that has
    /// this digest. It is found if that version lacks one or two of the methods, or has one that
    /// the project mentions elsewhere, in addition to the others or in place of one of them. The
    /// digest proves the names. `left` is how many digests may still be computed.
    pub(crate) fn list_near(
        &self,
        md5: &str,
        list: ListId,
        left: &mut usize,
    ) -> Option<Box<[Box<str>]>> {
        let digest = u128::from_str_radix(md5, 16).ok()?;
        let names = self.names_of(list)?;
        let mut search = Search { project: self, digest, left };
        let found = search.shorter(&names).or_else(|| search.with_another(&names))?;
        Some(found.into_iter().map(|name| Box::from(self.text(name))).collect())
    }
}

struct Search<'s> {
    project: &'s Project,
    digest: u128,
    left: &'s mut usize,
}

impl Search<'_> {
    /// The names without one or two of them.
    fn shorter(&mut self, names: &[NameId]) -> Option<Vec<NameId>> {
        let one = (0..names.len()).find_map(|gone| self.try_out(without(names, gone, gone)));
        one.or_else(|| {
            let pairs = (0..names.len()).flat_map(|gone| (0..gone).map(move |other| (gone, other)));
            let mut pairs = pairs;
            pairs.find_map(|(gone, other)| self.try_out(without(names, gone, other)))
        })
    }

    /// The names with another one, also in place of one of them.
    fn with_another(&mut self, names: &[NameId]) -> Option<Vec<NameId>> {
        for word in self.project.words() {
            if *self.left == 0 {
                return None;
            }
            let text = self.project.text(word);
            let place = names.partition_point(|name| self.project.text(*name) < text);
            if names.get(place) == Some(&word) {
                continue;
            }
            let mut longer = names.to_vec();
            longer.insert(place.min(names.len()), word);
            let others = (0..longer.len()).filter(|gone| *gone != place);
            let mut shorter = others.map(|gone| without(&longer, gone, gone));
            let found =
                self.try_out(longer.clone()).or_else(|| shorter.find_map(|it| self.try_out(it)));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The names, if they have the digest.
    fn try_out(&mut self, names: Vec<NameId>) -> Option<Vec<NameId>> {
        *self.left = self.left.checked_sub(1)?;
        let mut md5 = Md5::new();
        names.iter().for_each(|name| md5.update(self.project.text(*name).as_bytes()));
        (u128::from_be_bytes(md5.finalize().into()) == self.digest).then_some(names)
    }
}

/// All names except the ones at two places.
fn without(names: &[NameId], one: usize, other: usize) -> Vec<NameId> {
    let places = names.iter().enumerate();
    places.filter(|(place, _)| *place != one && *place != other).map(|(_, name)| *name).collect()
}
