//! Reads the versions of a project from its git repository. Runs git, which only reads what is there: the
//! settings of a repository may name programs that git would run, to check signatures, to look for changed
//! files, or to get files that a partial clone lacks.

use crate::interrupt;
use gdwire::project::Project;
use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::thread;

/// The most commits that are read.
pub const COMMITS: usize = 500;

/// The most bytes of files that are kept in memory, and the longest file that is read.
const KEPT: usize = 256 << 20;
const LONGEST: u64 = 16 << 20;

/// The most bytes that are read of a list of commits or files. A small repository may list very many files,
/// because git stores equal folders only once.
const LISTED: u64 = 64 << 20;

/// The error for a partial clone, which says how to get the rest.
const MISSING: &str = "the repository lacks files of its commits, as after 'git clone --filter'; 'git fetch \
                       --refetch --no-filter' gets them";

/// The files that say which methods and nodes a project has.
const FILES: [&str; 5] = ["*.gd", "*.cs", "*.tscn", "*.tres", "*project.godot"];

/// A commit that changes scripts, scenes or resources.
#[derive(Clone)]
pub struct Commit {
    pub hash: String,
    /// The date, such as `2026-11-21`.
    pub date: String,
    pub subject: String,
}

/// Passes the versions of a project to a function, the latest first. Returns how many there are.
pub fn each_version(
    folder: &Path,
    mut each: impl FnMut(&Commit, &Project),
) -> Result<usize, String> {
    let most = format!("--max-count={COMMITS}");
    let format = "--format=%H%x00%cs%x00%s";
    let utf8 = "--encoding=UTF-8";
    let log = ["log", "--all", &most, "--no-show-signature", utf8, format, "--"];
    let log = git(folder, &[&log[..], &FILES].concat())?;
    let mut blobs = Blobs::start(folder)?;
    let mut count = 0;
    for line in String::from_utf8_lossy(&log).lines() {
        let mut parts = line.splitn(3, '\0').map(str::to_owned);
        let (Some(hash), Some(date)) = (parts.next(), parts.next()) else { continue };
        let commit = Commit { hash, date, subject: parts.next().unwrap_or_default() };
        if interrupt::is_requested() {
            break;
        }
        count += 1;
        let tree = git(folder, &["ls-tree", "-r", "-z", &commit.hash, "."])?;
        let files = listed(&tree);
        let unreadable = |error: io::Error| format!("git cat-file: {error}");
        let mut problem = None;
        // One after the other, as all together may be large.
        let contents = files.iter().map_while(|(path, blob)| {
            let content = if is_read(path) { blobs.read(blob) } else { Ok(Rc::from([])) };
            content.map(|content| (path, content)).map_err(|error| problem = Some(error)).ok()
        });
        let project = Project::from_files(contents);
        problem.map_or(Ok(()), |error| Err(unreadable(error)))?;
        each(&commit, &project);
    }
    Ok(count)
}

/// Reads the output of a program, up to this many bytes.
fn read_up_to(output: Option<impl Read>, most: u64) -> io::Result<Vec<u8>> {
    let mut printed = Vec::new();
    output.map_or(Ok(0), |output| output.take(most).read_to_end(&mut printed))?;
    Ok(printed)
}

/// Runs git, and returns its output.
fn git(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let mut command = command(folder, arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(not_started)?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    // Read at the same time, as git waits if one of them is full.
    let errors = thread::spawn(move || read_up_to(stderr, LISTED));
    let printed = read_up_to(stdout, LISTED + 1);
    if matches!(&printed, Ok(printed) if printed.len() as u64 > LISTED) {
        child.kill().ok();
    }
    let status = child.wait().map_err(not_started)?;
    let failed = |error: io::Error| format!("cannot read what git prints: {error}");
    let printed = printed.map_err(failed)?;
    if printed.len() as u64 > LISTED {
        let what = arguments.first().unwrap_or(&"git");
        return Err(format!("{}: git {what} lists more than 64 MiB", folder.display()));
    }
    if status.success() {
        return Ok(printed);
    }
    let errors = errors.join().ok().and_then(Result::ok).unwrap_or_default();
    let text = String::from_utf8_lossy(&errors);
    let line = text.lines().next().unwrap_or("git failed");
    Err(format!("{}: {}", folder.display(), line.trim_start_matches("fatal: ")))
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["--no-pager", "-c", "core.fsmonitor=false"]);
    command.args(arguments).env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none");
    command
}

fn not_started(error: io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "--find-version runs git, which is not installed or not on the PATH".to_owned()
        }
        _ => format!("cannot run git: {error}"),
    }
}

/// The paths and blobs of files in the output of `git ls-tree -r -z`, without hidden ones and those in
/// folders that the engine ignores.
fn listed(tree: &[u8]) -> Vec<(String, String)> {
    let entries = tree.split(|byte| *byte == 0).filter_map(|entry| {
        let entry = str::from_utf8(entry).ok()?;
        let (head, path) = entry.split_once('\t')?;
        let mut head = head.split(' ');
        let (mode, kind, blob) = (head.next()?, head.next()?, head.next()?);
        // Symbolic links are not followed.
        (kind == "blob" && mode != "120000").then(|| (path.to_owned(), blob.to_owned()))
    });
    let entries: Vec<_> = entries.collect();
    let ignored = entries.iter().filter_map(|(path, _)| path.strip_suffix(".gdignore"));
    let ignored: HashSet<String> = ignored.map(str::to_owned).collect();
    let is_ignored = |path: &str| {
        let ends = path.match_indices('/').map(|(end, _)| end + 1);
        path.split('/').any(|name| name.starts_with('.'))
            || ends.into_iter().any(|end| path.get(..end).is_some_and(|it| ignored.contains(it)))
    };
    entries.into_iter().filter(|(path, _)| !is_ignored(path)).collect()
}

/// Whether the content of a file is read.
fn is_read(path: &str) -> bool {
    [".gd", ".cs", ".tscn", ".tres", ".uid", ".godot"].iter().any(|end| path.ends_with(end))
}

/// The contents of files, from a running `git cat-file`.
struct Blobs {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    kept: HashMap<String, Rc<[u8]>>,
    bytes: usize,
}

impl Blobs {
    fn start(folder: &Path) -> Result<Blobs, String> {
        let mut command = command(folder, &["cat-file", "--batch"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(not_started)?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => {
                let (output, kept) = (BufReader::new(output), HashMap::new());
                Ok(Blobs { child, input, output, kept, bytes: 0 })
            }
            _ => Err("cannot talk to git".to_owned()),
        }
    }

    fn read(&mut self, blob: &str) -> io::Result<Rc<[u8]>> {
        if let Some(content) = self.kept.get(blob) {
            return Ok(content.clone());
        }
        writeln!(self.input, "{blob}")?;
        self.input.flush()?;
        let mut head = String::new();
        self.output.read_line(&mut head)?;
        // A blob that is missing has no size: "… missing".
        let size = head.trim_end().rsplit(' ').next().and_then(|size| size.parse::<u64>().ok());
        let size = size.ok_or_else(|| io::Error::other(MISSING))?;
        let mut content = Vec::new();
        let taken = self.output.by_ref().take(size.min(LONGEST)).read_to_end(&mut content)? as u64;
        let rest = size.saturating_sub(taken).saturating_add(1);
        io::copy(&mut self.output.by_ref().take(rest), &mut io::sink())?;
        let content: Rc<[u8]> = if size > LONGEST { Rc::from([]) } else { content.into() };
        if self.bytes.saturating_add(content.len()) > KEPT {
            self.kept.clear();
            self.bytes = 0;
        }
        self.bytes = self.bytes.saturating_add(content.len());
        self.kept.insert(blob.to_owned(), content.clone());
        Ok(content)
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        // It ends when its input does, and is not needed any more.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
