//! `diagnose --find-version`: the commit of a project that a recording is of.

use crate::cli::edited::{capture, copy};
use crate::cli::run::{command, directory, gdwire};
use crate::common::{corpus, is_installed};
use md5::{Digest, Md5};
use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const GAME: &str = "godot4-game-enet.pcapng";

fn git(folder: &Path, arguments: &[&str]) -> String {
    let user = ["-c", "user.name=Zoë", "-c", "user.email=zoe@example.com"];
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(user)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn add(file: &Path, text: &str) {
    fs::write(file, fs::read_to_string(file).unwrap() + text).unwrap();
}

/// A repository with the recorded game in a folder, a version before and one after. Returns the folder of
/// the game and the hashes of the three commits.
fn repository(test: &str) -> (PathBuf, [String; 3]) {
    let root = directory(test);
    let game = root.join("game");
    copy(&corpus("project/arena"), &game);
    let (chat, world) = (game.join("world/chat.gd"), game.join("world/world.gd"));
    let recorded = fs::read(&chat).unwrap();
    git(&root, &["init", "-q"]);
    let commit = |subject: &str| {
        git(&root, &["add", "."]);
        git(&root, &["commit", "-q", "-m", subject]);
        git(&root, &["rev-parse", "HEAD"])
    };
    add(&chat, "\n@rpc func taunt(): pass\n");
    let before = commit("Let players taunt");
    fs::write(&chat, recorded).unwrap();
    let same = commit("Remove taunts \"for good\"");
    fs::write(root.join("notes.txt"), "no scripts").unwrap();
    commit("Add notes");
    add(&world, "\n@rpc func quake(): pass\n");
    let after = commit("Add earthquakes");
    (game, [before, same, after])
}

fn found(game: &Path, file: &[u8]) -> Json {
    let project = game.to_str().unwrap();
    let options = ["diagnose", "--find-version", "--format", "json", "--project", project, "-"];
    let run = gdwire(&options, file);
    serde_json::from_str(run.text()).unwrap_or_else(|_| panic!("{}", run.stderr))
}

#[test]
fn both_ends_have_the_recorded_commit() {
    if !is_installed("git", "apt install git") {
        return;
    }
    let (game, [_, same, _]) = repository("versions-same");
    let found = found(&game, &capture(GAME));
    assert_eq!(found["commits_compared"], 3);
    let ends = found["versions"].as_array().unwrap();
    assert_eq!(ends.len(), 2);
    for end in ends {
        assert_eq!(end["contradicted"], serde_json::json!([]), "{end}");
        assert_eq!(end["commits"].as_array().unwrap().len(), 1, "{end}");
        assert_eq!(end["commits"][0]["commit"], *same);
    }
    assert_eq!(found["differences"], serde_json::json!([]));
    let project = game.join("project.godot");
    let options = ["diagnose", "--find-version", "--project", project.to_str().unwrap(), "-"];
    let run = gdwire(&options, &capture(GAME));
    let line = format!("127.0.0.1:7777 (7 nodes): {} (", &same[..10]);
    assert!(run.text().replace("\n    ", " ").contains(&line), "{}", run.text());
}

/// One end runs a later version: its first announcement has the digest of that.
#[test]
fn an_end_with_another_version_is_found() {
    if !is_installed("git", "apt install git") {
        return;
    }
    let (game, [_, same, after]) = repository("versions-other");
    git(&game, &["config", "i18n.logOutputEncoding", "UTF-16"]);
    let digest = |names: &str| crate::common::hex(&Md5::digest(names)).into_bytes();
    let mut file = capture(GAME);
    let (old, new) = (digest("reloadtake_hit"), digest("quakereloadtake_hit"));
    let at = file.windows(32).position(|bytes| bytes == old).unwrap();
    file[at..at + 32].copy_from_slice(&new);
    let found = found(&game, &file);
    for end in found["versions"].as_array().unwrap() {
        let is_server = end["end"] == "127.0.0.1:7777";
        let commit = &end["commits"][0]["commit"];
        assert_eq!(*commit, *if is_server { &same } else { &after }, "{found}");
        assert_eq!(end["contradicted"], serde_json::json!([]), "{end}");
    }
    let differences = found["differences"].as_array().unwrap();
    assert_eq!(differences.len(), 1);
    assert_eq!(differences[0]["path"], "Main/World");
    let only: Vec<_> =
        differences[0]["ends"].as_array().unwrap().iter().map(|it| &it["only"]).collect();
    assert!(
        only.contains(&&serde_json::json!(["quake"])) && only.contains(&&serde_json::json!([]))
    );
    let options = ["diagnose", "--find-version", "--project", game.to_str().unwrap(), "-"];
    let run = gdwire(&options, &file);
    assert!(run.text().replace("\n    ", " ").contains("has quake"), "{}", run.text());
}

/// git would run a program that the settings of a repository name, to get the files that it lacks.
#[cfg(unix)]
#[test]
fn a_repository_runs_no_programs() {
    use std::os::unix::fs::PermissionsExt;
    if !is_installed("git", "apt install git") {
        return;
    }
    let (game, [_, same, _]) = repository("versions-partial");
    let ran = game.join("ran");
    let program = game.join("program.sh");
    fs::write(&program, format!("#!/bin/sh\ntouch '{}'\n", ran.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let blob = git(&game, &["rev-parse", &format!("{same}:game/world/chat.gd")]);
    let (start, rest) = blob.split_at(2);
    fs::remove_file(game.join("../.git/objects").join(start).join(rest)).unwrap();
    let url = format!("ext::{}", program.display());
    for (setting, value) in [
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", &*url),
        ("protocol.ext.allow", "always"),
    ] {
        git(&game, &["config", setting, value]);
    }
    let options = ["diagnose", "--find-version", "--project", game.to_str().unwrap(), "-"];
    let run = gdwire(&options, &capture(GAME));
    assert!(run.stderr.contains("the repository lacks files of its commits"), "{}", run.stderr);
    assert!(run.code == 2 && !ran.exists(), "{}", run.code);
}

/// A folder that holds one other folder ten times, and so on, takes little space.
#[test]
fn a_repository_with_millions_of_files_is_refused() {
    if !is_installed("git", "apt install git") {
        return;
    }
    let (game, _) = repository("versions-many-files");
    let tree = |entries: String| {
        let file = game.join("entries");
        fs::write(&file, entries).unwrap();
        let mut command = Command::new("git");
        command.arg("-C").arg(&game).arg("mktree").stdin(fs::File::open(&file).unwrap());
        String::from_utf8(command.output().unwrap().stdout).unwrap().trim().to_owned()
    };
    let blob = git(&game, &["rev-parse", "HEAD:game/project.godot"]);
    let ten = |entry: String| (0..10).map(|at| format!("{entry}\t{at}.gd\n")).collect::<String>();
    let mut top = tree(ten(format!("100644 blob {blob}")));
    for _ in 0..6 {
        top = tree(ten(format!("040000 tree {top}")));
    }
    let top = tree(format!("040000 tree {top}\tgame\n"));
    let commit = git(&game, &["commit-tree", &top, "-m", "Add files"]);
    git(&game, &["update-ref", "refs/heads/many", &commit]);
    let options = ["diagnose", "--find-version", "--project", game.to_str().unwrap(), "-"];
    let run = gdwire(&options, &capture(GAME));
    assert!(run.stderr.contains("git ls-tree lists more than 64 MiB"), "{}", run.stderr);
    assert_eq!(run.code, 2);
}

#[test]
fn what_prevents_a_search_is_an_error() {
    if !is_installed("git", "apt install git") {
        return;
    }
    let folder = directory("versions-none");
    copy(&corpus("project/arena"), &folder);
    // The folder is inside the repository of this crate, unless git is told to stop there.
    let project = folder.to_str().unwrap();
    let options = ["diagnose", "--find-version", "--project", project, "-"];
    let path = corpus("captures").join(GAME);
    let options = [&options[..4], &[path.to_str().unwrap()]].concat();
    let run = |name: &str, value: &Path| {
        let output = command(&options).env(name, value).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, text) = run("GIT_CEILING_DIRECTORIES", folder.parent().unwrap());
    assert!(code == Some(2) && text.contains("not a git repository"), "{text}");
    let (code, text) = run("PATH", Path::new("/nowhere"));
    assert!(code == Some(2) && text.contains("git, which is not installed"), "{text}");
    let run = gdwire(&["diagnose", "--find-version", "-"], b"");
    assert!(run.code == 2 && run.stderr.contains("--project"), "{}", run.stderr);
}
