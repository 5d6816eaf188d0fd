//! The pictures in the README are made from recordings, as a terminal shows them.

use crate::cli::run::command;
use crate::common::corpus;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The pictures: the file, the width of the terminal, and the arguments of the command, in which the
/// names of the capture and the project stand for their paths.
const PICTURES: [(&str, usize, &[&str]); 1] = [(
    "src/docs/decode.svg",
    88,
    &["decode", "--project", "arena", "--frames", "440-470", "--quiet", "game.pcapng"],
)];

/// The names in the arguments, and the files that replace them.
const NAMES: [(&str, &str); 2] = [
    ("arena", "project/arena"),
    ("game.pcapng", "captures/godot4-game-enet-lossy-client-side.pcapng"),
];

/// The size of a cell and the space around the text.
const CELL: (f64, usize) = (8.4, 18);
const SPACE: usize = 14;

/// Colours that can be read on light and on dark pages, by the code of the terminal.
const STYLE: &str = "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;\
    fill:#1c2128;white-space:pre}rect{fill:#fbfbfc;stroke:#dcdfe4}.c1{font-weight:bold}.c2{fill:#6b7480}\
    .c31{fill:#b3261e}.c32{fill:#1a7f37}.c34{fill:#0a5ea8}.c35{fill:#8a3ea8}.c36{fill:#0b7285}\
    @media(prefers-color-scheme:dark){text{fill:#e7eaee}rect{fill:#14171b;stroke:#343a43}.c2{fill:#9aa3ae}\
    .c31{fill:#ff8f86}.c32{fill:#6fd08c}.c34{fill:#7cc0f5}.c35{fill:#d9a6f0}.c36{fill:#6fd3e0}}";

/// Text with the styles of a terminal as an SVG.
fn svg(title: &str, width: usize, shown: &str) -> String {
    let lines: Vec<&str> = shown.lines().collect();
    let (cell, height) = CELL;
    let (wide, high) = (width as f64 * cell, lines.len() * height);
    let [wide, high] = [wide as usize + 2 * SPACE, high + 2 * SPACE];
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" \
         height=\"{high}\" role=\"img\">\n<title>{}</title>\n<style>{STYLE}</style>\n\
         <rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n",
        escaped(title),
        wide - 1,
        high - 1,
    );
    for (number, line) in lines.into_iter().enumerate() {
        let y = SPACE + (number + 1) * height - 5;
        write!(svg, "<text x=\"{SPACE}\" y=\"{y}\">").unwrap();
        let mut parts = line.split('\x1b');
        svg += &escaped(parts.next().unwrap());
        for part in parts {
            let (codes, text) = part.strip_prefix('[').unwrap().split_once('m').unwrap();
            let classes: Vec<_> = codes.split(';').filter(|code| *code != "0").collect();
            match classes.is_empty() {
                true => svg += &escaped(text),
                false => {
                    let classes: Vec<_> = classes.iter().map(|code| format!("c{code}")).collect();
                    let class = classes.join(" ");
                    write!(svg, "<tspan class=\"{class}\">{}</tspan>", escaped(text)).unwrap();
                }
            }
        }
        svg += "</text>\n";
    }
    svg + "</svg>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Each picture is what the command shows now. With the variable `GDWIRE_RECORD`, the test writes them.
#[test]
fn the_recording_of_each_picture_is_what_a_terminal_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (file, width, arguments) in PICTURES {
        let paths = arguments.iter().map(|argument| {
            let path =
                NAMES.iter().find(|(name, _)| name == argument).map(|(_, path)| corpus(path));
            path.map_or((*argument).to_owned(), |path| path.to_str().unwrap().to_owned())
        });
        let mut command = command(&[]);
        command.args(paths).args(["--color", "always", "--width", &width.to_string()]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let title = format!("gdwire {}", arguments.join(" "));
        let picture = svg(&title, width, &String::from_utf8(output.stdout).unwrap());
        let path = root.join(file);
        if std::env::var_os("GDWIRE_RECORD").is_some() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &picture).unwrap();
        }
        let recorded = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(recorded, picture, "GDWIRE_RECORD=1 writes the pictures");
        let readme = fs::read_to_string(root.join("README.md")).unwrap();
        assert!(readme.contains(&format!("]({file})")), "{file}");
    }
}
