//! `--find-version`: the commits of a project whose digests match those that each end announced.

use super::history::{COMMITS, Commit, each_version};
use crate::terminal::{number, plain, wrapped};
use gdwire::json;
use gdwire::versions::{Announced, methods_of};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;

/// The versions of a project that fit the ends of one recording.
pub struct Versions {
    commits: usize,
    ends: Vec<EndVersions>,
    /// The methods with each digest, from any version.
    methods: BTreeMap<String, Vec<String>>,
}

/// The versions that fit one end.
struct EndVersions {
    end: SocketAddr,
    nodes: BTreeMap<String, String>,
    /// The commits with the fewest contradicted nodes, the latest first.
    best: Vec<Commit>,
    /// The nodes that have other methods in the first of them.
    contradicted: Option<Vec<String>>,
}

impl Versions {
    /// Compares the versions of the project in a folder with the announcements of the ends.
    pub fn find(folder: &Path, announced: &Announced) -> Result<Versions, String> {
        let of_end = |(end, nodes): (SocketAddr, &gdwire::versions::AnnouncedNodes)| EndVersions {
            end,
            nodes: nodes
                .iter()
                .map(|(path, digest)| (path.to_owned(), digest.to_owned()))
                .collect(),
            best: Vec::new(),
            contradicted: None,
        };
        let mut ends: Vec<EndVersions> = announced.iter().map(of_end).collect();
        let mut methods = BTreeMap::new();
        let commits = each_version(folder, |commit, project| {
            for of_end in &mut ends {
                for digest in of_end.nodes.values() {
                    if !methods.contains_key(digest)
                        && let Some(names) = methods_of(project, digest)
                    {
                        let names = names.into_iter().map(str::to_owned).collect();
                        methods.insert(digest.clone(), names);
                    }
                }
                let Some(nodes) = announced.nodes(of_end.end) else { continue };
                let found = nodes.contradicted_by(project);
                let known = of_end.contradicted.as_ref().map_or(usize::MAX, Vec::len);
                if found.len() < known {
                    of_end.contradicted = Some(found.into_iter().map(str::to_owned).collect());
                    of_end.best = vec![commit.clone()];
                } else if found.len() == known {
                    of_end.best.push(commit.clone());
                }
            }
        })?;
        Ok(Versions { commits, ends, methods })
    }

    /// The nodes for which two ends have announced different methods, with both ends and digests.
    fn differences(&self) -> Vec<(&str, [(SocketAddr, &str); 2])> {
        let mut found = BTreeMap::new();
        for (place, one) in self.ends.iter().enumerate() {
            for other in self.ends.iter().skip(place.saturating_add(1)) {
                for (path, digest) in &one.nodes {
                    if let Some(another) = other.nodes.get(path).filter(|it| *it != digest) {
                        let pair = [(one.end, &**digest), (other.end, &**another)];
                        found.entry(&**path).or_insert(pair);
                    }
                }
            }
        }
        found.into_iter().collect()
    }

    /// The methods that only the first of two digests has; none if one of the lists is not known.
    fn only(&self, one: &str, other: &str) -> Option<Vec<&str>> {
        let (one, other) = (self.methods.get(one)?, self.methods.get(other)?);
        Some(one.iter().filter(|name| !other.contains(name)).map(String::as_str).collect())
    }

    /// Writes the versions as sentences.
    pub fn write_text(&self, width: Option<u16>, out: &mut dyn Write) -> io::Result<()> {
        let mut line = |text: &str, indent| writeln!(out, "{}", wrapped(text, width, indent));
        let most = if self.commits >= COMMITS { ", the latest" } else { "" };
        let commits = number(self.commits as u64, "commit");
        line(&format!("\nversions: {commits} of the project compared{most}"), 2)?;
        for EndVersions { end, nodes, best, contradicted } in &self.ends {
            let nodes = number(nodes.len() as u64, "node");
            let (Some(latest), Some(contradicted)) = (best.first(), contradicted) else {
                line(
                    &format!("  {end} ({nodes}): there are no commits with scripts or scenes"),
                    4,
                )?;
                continue;
            };
            let latest = shown(latest);
            let fit = match best.last().filter(|_| best.len() > 1) {
                Some(first) => format!("{latest} and earlier, since {}", shown(first)),
                None => latest,
            };
            if contradicted.is_empty() {
                line(&format!("  {end} ({nodes}): {fit}"), 4)?;
            } else {
                let paths: Vec<_> = contradicted.iter().take(10).map(|path| plain(path)).collect();
                let paths = paths.join(", ");
                let text = format!(
                    "  {end} ({nodes}): no commit fits; the closest is {fit}, where these nodes have other methods: {paths}"
                );
                line(&text, 4)?;
            }
        }
        for (path, [(one, digest), (other, another)]) in self.differences() {
            let text = match (self.only(digest, another), self.only(another, digest)) {
                (Some(of_one), Some(of_other)) => {
                    let only = |end, names: Vec<&str>| match names.is_empty() {
                        true => String::new(),
                        false => format!("; only {end} has {}", plain(&names.join(", "))),
                    };
                    format!("{}{}", only(one, of_one), only(other, of_other))
                }
                _ => "; no commit has the methods of both".to_owned(),
            };
            line(&format!("  {} differs between {one} and {other}{text}", plain(path)), 4)?;
        }
        Ok(())
    }

    /// Writes the versions as the fields of a JSON object, after a comma.
    pub fn write_json(&self, out: &mut Vec<u8>) -> io::Result<()> {
        write!(out, ",\"commits_compared\":{},\"versions\":[", self.commits)?;
        for (place, of_end) in self.ends.iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            write!(out, "{comma}{{\"end\":\"{}\",\"nodes\":{}", of_end.end, of_end.nodes.len())?;
            out.extend_from_slice(b",\"commits\":[");
            for (place, commit) in of_end.best.iter().enumerate() {
                out.extend_from_slice(if place > 0 { b"," } else { b"" });
                write!(
                    out,
                    "{{\"commit\":\"{}\",\"date\":\"{}\",\"subject\":",
                    commit.hash, commit.date
                )?;
                json::write_string(&commit.subject, &mut *out)?;
                out.push(b'}');
            }
            out.extend_from_slice(b"],\"contradicted\":");
            texts(of_end.contradicted.iter().flatten().map(String::as_str), out)?;
            out.push(b'}');
        }
        out.extend_from_slice(b"],\"differences\":[");
        for (place, (path, ends)) in self.differences().into_iter().enumerate() {
            out.extend_from_slice(if place > 0 { b",{\"path\":" } else { b"{\"path\":" });
            json::write_string(path, &mut *out)?;
            out.extend_from_slice(b",\"ends\":[");
            let [(one, digest), (other, another)] = ends;
            for (place, (end, own, others)) in
                [(one, digest, another), (other, another, digest)].into_iter().enumerate()
            {
                let comma = if place > 0 { "," } else { "" };
                write!(out, "{comma}{{\"end\":\"{end}\",\"md5\":")?;
                json::write_string(own, &mut *out)?;
                out.extend_from_slice(b",\"only\":");
                match self.only(own, others) {
                    Some(names) => texts(names.into_iter(), out)?,
                    None => out.extend_from_slice(b"null"),
                }
                out.push(b'}');
            }
            out.extend_from_slice(b"]}");
        }
        out.push(b']');
        Ok(())
    }
}

fn texts<'t>(texts: impl Iterator<Item = &'t str>, out: &mut Vec<u8>) -> io::Result<()> {
    out.push(b'[');
    for (place, text) in texts.enumerate() {
        if place > 0 {
            out.push(b',');
        }
        json::write_string(text, &mut *out)?;
    }
    out.push(b']');
    Ok(())
}

/// A commit as people know it: `1a2b3c4d5e (2026-11-21, "Add chat")`.
fn shown(commit: &Commit) -> String {
    let hash = commit.hash.get(..10).unwrap_or(&commit.hash);
    format!("{hash} ({}, \"{}\")", commit.date, plain(&commit.subject))
}
