//! Folders of Parquet files.

use super::{captures, directory, files_in, gdwire, parquet, rows, text};
use gdwire::export::Table;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

fn export(folder: &Path, options: &[&str]) {
    let captures = captures();
    let files = captures.iter().map(|path| text(path));
    let arguments = [&["export", "-o", text(folder)], options].concat();
    let run = gdwire(&arguments.into_iter().chain(files).collect::<Vec<_>>());
    let errors = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(0), "{errors}");
}

pub(super) fn all_rows(folder: &Path) -> Vec<Value> {
    files_in(folder).iter().flat_map(|file| rows(&parquet(file))).collect()
}

#[test]
fn partitions_are_folders_and_lose_no_rows() {
    let plain = directory("plain");
    export(&plain, &[]);
    let split = directory("partitions");
    export(&split, &["--partition", "date,transport"]);

    let mut counts = BTreeMap::<String, usize>::new();
    for row in all_rows(&plain.join("messages")) {
        let day = row["time_ns"].as_i64().map(|time| {
            jiff::Timestamp::from_nanosecond(time.into()).unwrap().strftime("%Y-%m-%d").to_string()
        });
        let day = day.unwrap_or("__HIVE_DEFAULT_PARTITION__".to_owned());
        let transport = row["transport"].as_str().unwrap();
        *counts.entry(format!("date={day}/transport={transport}")).or_default() += 1;
    }
    assert!(counts.len() >= 4, "{counts:?}");
    let messages = split.join("messages");
    for (folder, count) in counts {
        let rows = all_rows(&messages.join(&folder));
        assert_eq!(rows.len(), count, "{folder}");
        // The name of the folder has the value.
        assert!(rows.iter().all(|row| row.get("transport").is_none() && row.get("time").is_some()));
    }
    let total = all_rows(&plain.join("messages")).len();
    assert_eq!(all_rows(&messages).len(), total);
}

#[test]
fn rows_are_sorted_by_time_and_described_for_engines() {
    let folder = directory("sorted");
    export(&folder, &[]);
    for file in files_in(&folder) {
        let times = rows(&parquet(&file));
        let times = times.iter().map(|row| row["time_ns"].as_i64()).collect::<Vec<_>>();
        assert!(times.is_sorted(), "{}", file.display());
        let reader = SerializedFileReader::new(File::open(&file).unwrap()).unwrap();
        for group in reader.metadata().row_groups() {
            assert_eq!(group.sorting_columns().map(Vec::len), Some(1));
            for column in group.columns() {
                let name = column.column_path().string();
                assert!(format!("{}", column.compression()).starts_with("ZSTD"), "{name}");
                assert!(column.statistics().is_some(), "{name}");
            }
        }
    }
}

/// With a small size limit, files are completed one after the other, and together have all rows.
#[test]
fn files_are_completed_at_the_size_limit() {
    let capture = super::common::corpus("captures/godot4-game-enet.pcapng");
    let inputs = vec![text(&capture); 40];
    let (small, large) = (directory("small"), directory("large"));
    let run = |folder: &Path, size: &str| {
        let options = ["export", "--threads", "1", "--roll-size", size, "-o", text(folder)];
        let run = gdwire(&options.into_iter().chain(inputs.iter().copied()).collect::<Vec<_>>());
        assert!(matches!(run.status.code(), Some(0 | 1)));
        files_in(&folder.join("messages"))
    };
    let (small, large) = (run(&small, "100k"), run(&large, "1G"));
    assert!(small.len() > 1, "{}", small.len());
    assert_eq!(large.len(), 1);
    let count = |files: &[std::path::PathBuf]| {
        files.iter().map(|file| rows(&parquet(file)).len()).sum::<usize>()
    };
    assert_eq!(count(&small), count(&large));
}

#[test]
fn a_folder_with_a_data_set_is_refused_without_append() {
    let folder = directory("again");
    let capture = super::common::corpus("captures/godot4-rpc.pcapng");
    let run = |options: &[&str]| {
        let arguments = [&["export", "-o", text(&folder), text(&capture)], options].concat();
        gdwire(&arguments)
    };
    assert!(run(&[]).status.success());
    let count = || all_rows(&folder.join("messages")).len();
    let once = count();
    let refused = run(&[]);
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(message.contains("--append"), "{message}");
    assert_eq!(count(), once);
    assert!(run(&["--append"]).status.success());
    assert_eq!(count(), 2 * once);
}

/// Nothing is lost in this capture, and it has no states.
#[test]
fn a_table_without_rows_has_its_columns() {
    let capture = super::common::corpus("captures/godot4-udp.pcapng");
    for (test, options, partition) in [
        ("empty", &[][..], ""),
        (
            "empty-partitions",
            &["--partition", "date,transport"],
            "date=__HIVE_DEFAULT_PARTITION__/transport=__HIVE_DEFAULT_PARTITION__",
        ),
    ] {
        let folder = directory(test);
        let run = |input: &Path| {
            let arguments = ["export", "--append", "-o", text(&folder), text(input)];
            gdwire(&[&arguments[..], options].concat()).status.code()
        };
        assert_eq!(run(Path::new("/nowhere.pcapng")), Some(2));
        assert!(files_in(&folder).is_empty(), "no input was read");
        // The second time, the table is there.
        for _ in 0..2 {
            assert_eq!(run(&capture), Some(0));
            for table in [Table::States, Table::Losses] {
                let files = files_in(&folder.join(table.name()));
                let [file] = &*files else { panic!("{test} {files:?}") };
                assert_eq!(file.parent().unwrap(), folder.join(table.name()).join(partition));
                let file = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
                let file = file.metadata().file_metadata();
                let columns = file.schema_descr().columns().iter().map(|it| it.name().to_owned());
                let is_kept = |name: &&str| partition.is_empty() || *name != "transport";
                let expected: Vec<_> = table.columns().iter().map(|it| it.name).collect();
                assert!(columns.eq(expected.into_iter().filter(is_kept)), "{test} {table:?}");
                assert_eq!(file.num_rows(), 0);
            }
        }
        assert_eq!(files_in(&folder.join("messages")).len(), 2);
    }
}

#[test]
fn a_file_is_no_folder_for_a_data_set() {
    let folder = directory("no-folder");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("file");
    std::fs::write(&file, "").unwrap();
    let run = gdwire(&["export", text(&captures()[0]), "-o", text(&file)]);
    let errors = String::from_utf8_lossy(&run.stderr);
    let problem =
        format!("gdwire: {}: cannot write: File exists; name a folder with -o\n", text(&file));
    assert_eq!((run.status.code(), &*errors), (Some(2), &*problem));
}

#[test]
fn a_folder_is_not_named_like_a_file() {
    let folder = directory("like-a-file");
    std::fs::create_dir_all(&folder).unwrap();
    for file in ["game.parquet", "game.Arrow"].map(|name| folder.join(name)) {
        let run = || gdwire(&["export", text(&captures()[0]), "-o", text(&file)]);
        let refused = run();
        let errors = String::from_utf8_lossy(&refused.stderr);
        let problem = format!("gdwire: {}: -o names a folder, for several", text(&file));
        assert_eq!(refused.status.code(), Some(2), "{errors}");
        assert!(errors.starts_with(&problem) && !file.exists(), "{errors}");
        // A folder that is there was made on purpose.
        std::fs::create_dir(&file).unwrap();
        assert!(run().status.success());
    }
}

#[cfg(unix)]
#[test]
fn what_stays_after_an_error_is_said() {
    let folder = directory("stays");
    std::fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.join("connections")).unwrap();
    let run = gdwire(&["export", text(&captures()[0]), "-o", text(&folder)]);
    let errors = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{errors}");
    assert!(errors.contains("that are complete stay in the folder"), "{errors}");
}
