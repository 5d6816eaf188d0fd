//! How much memory owned values take, and how long their text is.

use gdwire::convert::{OnLoss, convert};
use gdwire::encode::Builder;
use gdwire::math::{
    Aabb, Basis, Color, Plane, Projection, Quaternion, Rect2, Transform2D, Transform3D, Vector2,
    Vector3, Vector4,
};
use gdwire::owned::Instance;
use gdwire::{
    Array, Dialect, Dictionary, ElementType, Kind, NodePath, Object, Packed, Signal, Variant,
    encode, parse, variant,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// The bytes that are allocated now, and the peak.
    static NOW: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let now = NOW.with(|now| {
        now.set(now.get() + bytes);
        now.get()
    });
    MOST.with(|most| most.set(most.get().max(now)));
}

// SAFETY: every call is passed to the system's allocator unchanged.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The bytes that a value takes, and the peak while it was built.
fn taken<T>(make: impl FnOnce() -> T) -> (usize, usize, T) {
    let before = NOW.with(Cell::get);
    MOST.with(|most| most.set(before));
    let made = make();
    let (now, most) = (NOW.with(Cell::get), MOST.with(Cell::get));
    ((now - before) as usize + size_of::<T>(), (most - before) as usize, made)
}

/// The smallest value of each kind, and a typical one.
fn values() -> Vec<Variant> {
    macro_rules! reals {
        ($($math:ty, $array:ty;)*) => {
            [$(
                Variant::from(<$math>::default()),
                Variant::from(Packed(Vec::<$array>::new())),
                Variant::from(Packed([<$array>::default(); 1])),
                Variant::from(Packed([<$array>::default(); 5])),
            )*]
        };
    }
    let strings = |strings: &[&str]| strings.iter().map(|text| String::from(*text)).collect();
    let path = |names: &[&str], subnames: &[&str]| {
        let (names, subnames) = (strings(names), strings(subnames));
        Variant::from(NodePath { is_absolute: true, names, subnames })
    };
    let instance =
        |class: &str, properties| Variant::from(Instance { class: class.into(), properties });
    let types = [
        ElementType::Any,
        ElementType::Kind(Kind::Int),
        ElementType::Class("".into()),
        ElementType::Class("Node".into()),
    ];
    let mut values = vec![
        variant!(null),
        variant!(true),
        variant!(7),
        variant!(1_i64 << 40),
        variant!(0.5),
        variant!(0.1),
        variant!(""),
        variant!("a"),
        variant!("a name"),
        Variant::StringName("".into()),
        Variant::StringName("position".into()),
        path(&[], &[]),
        path(&[""], &[]),
        path(&["Player"], &["position"]),
        path(&[""; 10], &[]),
        path(&[""; 17], &[""; 9]),
        Variant::Rid(7),
        Variant::Callable,
        Variant::from(Object::Null),
        Variant::from(Object::Id(7)),
        instance("N", vec![]),
        instance("N", vec![(String::new(), Variant::Nil)]),
        instance("Node", vec![("hp".into(), variant!(7)), ("name".into(), variant!("Zoë"))]),
        Variant::from(Signal::default()),
        Variant::from(Signal { name: "died".into(), object_id: 7 }),
        variant!([]),
        variant!([null]),
        variant!([[[]]]),
        variant!([1, 2, 3]),
        variant!({}),
        variant!({ null: null }),
        variant!({ "hp": 7, "name": "Zoë", "tags": ["boss"] }),
        Variant::from(Packed(Vec::<u8>::new())),
        Variant::from(Packed([7_u8; 5])),
        Variant::from(Packed(Vec::<i32>::new())),
        Variant::from(Packed([7_i32; 5])),
        Variant::from(Packed(Vec::<i64>::new())),
        Variant::from(Packed([7_i64; 5])),
        Variant::from(Packed(Vec::<f32>::new())),
        Variant::from(Packed([7_f32; 5])),
        Variant::from(Packed(Vec::<f64>::new())),
        Variant::from(Packed([7_f64; 5])),
        Variant::PackedStringArray(strings(&[])),
        Variant::PackedStringArray(strings(&[""])),
        Variant::PackedStringArray(strings(&["boss", "fire", "a"])),
        Variant::PackedStringArray(strings(&[""; 17])),
        Variant::from(Rect2::<f32>::default()),
        Variant::from(Rect2::<i32>::default()),
        Variant::from(Transform2D::<f32>::default()),
        Variant::from(Plane::<f32>::default()),
        Variant::from(Quaternion::<f32>::default()),
        Variant::from(Aabb::<f32>::default()),
        Variant::from(Basis::<f32>::default()),
        Variant::from(Transform3D::<f32>::default()),
        Variant::from(Projection::<f32>::default()),
    ];
    values.extend(reals! {
        Vector2<f32>, Vector2<f32>;
        Vector3<f32>, Vector3<f32>;
        Vector4<f32>, Vector4<f32>;
        Color<f32>, Color<f32>;
        Vector2<i32>, Vector2<i32>;
        Vector3<i32>, Vector3<i32>;
        Vector4<i32>, Vector4<i32>;
    });
    for keys in &types {
        for elements in [&[][..], &[Variant::Nil]] {
            let array = || Array::from(elements.to_vec()).typed(keys.clone());
            values.extend([
                Variant::Array(array()),
                Variant::TypedArray(array()),
                Variant::PackedTypedArray(array()),
            ]);
            for of_values in &types {
                let entries = elements.iter().map(|key| (key.clone(), variant!(1)));
                let entries: Dictionary = entries.collect();
                values.push(Variant::from(entries.typed(keys.clone(), of_values.clone())));
            }
        }
    }
    values
}

/// Bytes whose trees are large.
fn hostile(dialect: Dialect) -> Vec<(String, Vec<u8>)> {
    let many = 200;
    let mut packets = Vec::new();
    for value in values() {
        let Ok(bytes) = encode(dialect, &value) else { continue };
        let elements: Array = std::iter::repeat_n(value.clone(), many).collect();
        let Ok(array) = encode(dialect, &elements) else { continue };
        let entries: Vec<_> = (0..many as i64).map(|key| (key, value.clone())).collect();
        let entries: Dictionary = entries.into_iter().collect();
        packets.push((format!("{value:?}"), bytes));
        packets.push((format!("an array of {value:?}"), array));
        packets.push((format!("a dictionary of {value:?}"), encode(dialect, &entries).unwrap()));
    }
    let mut nils = Builder::new(dialect, Vec::new());
    nils.begin_dictionary(many).unwrap();
    (0..2 * many).for_each(|_| nils.nil().unwrap());
    nils.end().unwrap();
    packets.push(("the same key".to_owned(), nils.finish().unwrap()));
    let nested = (0..1000).fold(variant!([]), |inner, _| variant!([inner]));
    packets.push(("nested arrays".to_owned(), encode(dialect, &nested).unwrap()));
    let nested = (0..1000).fold(variant!({}), |inner, _| variant!({ null: inner }));
    packets.push(("nested dictionaries".to_owned(), encode(dialect, &nested).unwrap()));
    packets
}

// The limits hold on a 64-bit machine.
#[cfg(target_pointer_width = "64")]
#[test]
fn owned_values_take_at_most_ten_times_their_bytes() {
    assert_eq!((size_of::<Variant>(), size_of::<Array>(), size_of::<Dictionary>()), (32, 24, 24));
    let (mut worst, mut peak) = ((0, String::new()), (0, String::new()));
    for dialect in Dialect::ALL {
        for (name, bytes) in hostile(*dialect) {
            let view = parse(*dialect, &bytes).unwrap();
            let (kept, most, value) = taken(|| Variant::from(view));
            assert_eq!(value.kind(), view.kind());
            let per_byte = |taken: usize| 100 * taken / bytes.len();
            if !name.contains("Dictionary[") {
                assert!(per_byte(kept) <= 800, "{dialect:?}: {name}: {kept} for {}", bytes.len());
            }
            worst = worst.max((per_byte(kept), format!("{dialect:?}: {name}")));
            // In addition there are the open containers, 1024 at most.
            let open = if name.starts_with("nested") { 256 << 10 } else { 2 << 10 };
            let most = most.saturating_sub(open);
            peak = peak.max((per_byte(most), format!("{dialect:?}: {name}")));
        }
    }
    // In hundredths. The worst is an empty dictionary with a type for its keys only.
    assert!((990..=1000).contains(&worst.0), "{worst:?}");
    assert!(peak.0 <= 2000, "{peak:?}");
}

// The limits hold on a 64-bit machine.
#[cfg(target_pointer_width = "64")]
#[test]
fn text_and_json_are_bounded_too() {
    let nested = |open: &str, close: &str| open.repeat(1000) + "null" + &close.repeat(1000);
    for text in [
        nested("[", "]"),
        format!("[{}]", "[],".repeat(8_200)),
        format!("[{}]", "{},".repeat(8_200)),
        format!("[{}]", "0,".repeat(8_200)),
        format!("[{}]", "[0],".repeat(8_200)),
        format!("[{}]", "{0:0},".repeat(8_200)),
        format!("[{}]", "[{0:0}],".repeat(8_200)),
        format!("[{}]", "\"\",".repeat(8_200)),
        format!("[{}]", "^\"a\",".repeat(8_200)),
        format!("[{}]", "Signal(),".repeat(8_200)),
        format!("[{}]", "PackedStringArray(\"\"),".repeat(8_200)),
        format!("[{}]", "Object(N,\"\":0),".repeat(8_200)),
        format!("[{}]", "PackedInt64Array(0),".repeat(8_200)),
        format!("{{{}}}", "0:0,".repeat(8_200)),
        format!("{{{}}}", (0..8_200).map(|key| format!("{key}:0,")).collect::<String>()),
        format!("Object(N{})", ",\"\":0".repeat(8_200)),
        format!("PackedStringArray({}\"\")", "\"\",".repeat(8_200)),
        format!("PackedByteArray({}0)", "0,".repeat(8_200)),
        format!("PackedFloat64Array({}0)", "0,".repeat(8_200)),
        format!("PackedColorArray({}0,0,0,0)", "0,0,0,0,".repeat(2_500)),
        format!("NodePath(\"{}a\")", "a/".repeat(8_200)),
        format!("\"{}\"", "a".repeat(8_200)),
    ] {
        let (kept, most, _) = taken(|| gdwire::text::parse(&text).unwrap());
        assert!(kept <= 32 * text.len(), "{kept} bytes for {}", text.len());
        let limit = 64 * text.len() + (256 << 10);
        assert!(most <= limit, "at times {most} bytes for {}", text.len());
    }
    #[cfg(feature = "json")]
    for text in [
        nested("[", "]"),
        format!("[{}null]", "[],".repeat(8_200)),
        format!("[{}null]", "null,".repeat(8_200)),
        format!("[{}true]", "\"s:\",".repeat(8_200)),
        format!("[{}null]", "\"i:1\",".repeat(8_200)),
        format!("[{}null]", r#"{"type":"Dictionary","args":["i:0",null]},"#.repeat(4_100)),
        format!(r#"{{"type":"Dictionary","args":[{}"i:0",null]}}"#, r#""i:0",null,"#.repeat(4_100)),
        format!(r#"{{"type":"PackedStringArray","args":[{}""]}}"#, "\"\",".repeat(8_200)),
        format!(r#"{{"type":"PackedInt64Array","args":[{}0]}}"#, "0,".repeat(8_200)),
    ] {
        let (kept, most, _) = taken(|| gdwire::json::parse(&text).unwrap());
        assert!(kept <= 32 * text.len(), "{kept} bytes for {}", text.len());
        let limit = 64 * text.len() + (512 << 10);
        assert!(most <= limit, "at times {most} bytes for {}", text.len());
    }
}

/// The lengths of the texts that a value prints.
fn printed(value: &Variant) -> [usize; 4] {
    let entries: Dictionary = [("value", value.clone())].into_iter().collect();
    let list: Array = [value.clone()].into_iter().collect();
    [
        format!("{value:?}").len(),
        format!("{value:#?}").len(),
        format!(
            "{:#?}",
            Some(gdwire::Object::from(gdwire::owned::Instance {
                class: "Node".into(),
                properties: vec![("value".into(), value.clone())],
            }))
        )
        .len(),
        format!("{entries:#?}{list:#?}").len(),
    ]
}

#[test]
fn printed_text_grows_with_the_value() {
    let list = |inner| variant!([inner]);
    let entry = |inner| variant!({ "a": inner });
    let key = |inner| variant!({ (inner): 1 });
    let towers: [&dyn Fn(Variant) -> Variant; 3] = [&list, &entry, &key];
    for tower in towers {
        let [few, many] = [500, 1000]
            .map(|depth| printed(&(0..depth).fold(variant!(1), |inner, _| tower(inner))));
        for (few, many) in few.into_iter().zip(many) {
            assert!(many <= 2 * few, "{many} bytes for twice as many as {few}");
            assert!(many <= 60 * 1000, "{many} bytes");
        }
        let tower = (0..1000).fold(variant!(1), |inner, _| tower(inner));
        let bytes = encode(Dialect::GODOT_4, &tower).unwrap();
        let view = parse(Dialect::GODOT_4, &bytes).unwrap();
        assert!(format!("{view:#?}").len() < 1000);
        assert!(format!("{:#?}", view.view()).len() < 1000);
    }
    let [few, many] = [5_000, 10_000].map(|count| {
        printed(
            &(0..count)
                .collect::<Vec<i32>>()
                .into_iter()
                .map(|_| variant!({"a": [1]}))
                .collect::<Array>()
                .into(),
        )
    });
    for (few, many) in few.into_iter().zip(many) {
        assert!(many <= 2 * few + 10, "{many} bytes for twice as many as {few}");
    }
    assert_eq!(format!("{:?}", variant!({"a": [1, null]})), r#"{ "a": [1, null] }"#);
    assert_eq!(format!("{:#?}", variant!({"a": [1], "b": {}})), "{\n\"a\": [1],\n\"b\": {}\n}");
}

/// Conversion builds a tree only if a dictionary has a key twice. Keys that are containers are
/// compared by their content.
#[test]
fn converting_takes_little_more_memory_than_the_result() {
    let key = |number: i64| variant!({ "place": [number, { "deep": (number % 100) }] });
    let entries = (0..3_000).map(|number| (key(number), variant!({ "hp": 87, 7: [1, 2] })));
    let value = Variant::from(entries.collect::<Dictionary>());
    for from in [Dialect::GODOT_3, Dialect::GODOT_4] {
        for to in [Dialect::GODOT_3, Dialect::GODOT_4] {
            let bytes = encode(from, &value).unwrap();
            let value = parse(from, &bytes).unwrap();
            let (_, most, converted) = taken(|| convert(value, to, OnLoss::Refuse).unwrap());
            // A buffer that grows is twice as long; the keys have hashes.
            assert!(most < 3 * bytes.len(), "{from} {to}: {most} for {}", bytes.len());
            assert_eq!(converted.bytes, encode(to, &value).unwrap());
        }
    }
}

/// Files of a few bytes or kilobytes that unpack to much more than the limit are errors, and take a
/// few times the limit at most.
#[cfg(feature = "save")]
#[test]
fn hostile_saves_take_bounded_memory() {
    use gdwire::save::{Compression, EncryptionKey, Problem, UnpackOptions, compress, unpack};

    const LIMIT: usize = 256 << 10;
    let key = EncryptionKey::new([0; 32]);
    let options = UnpackOptions::new().with_key(&key).with_max_len(LIMIT);
    let most = |file: &[u8]| {
        let (_, most, result) = taken(|| unpack(file, options));
        (most, result.unwrap_err().problem)
    };
    let number = |number: u32| number.to_le_bytes();
    for (mode, compression) in (0_u32..).zip(Compression::ALL.iter().copied()) {
        let name = compression.name();
        // Headers with sizes up to 4 GiB, and no content after them.
        for (size, total) in
            [(4096, u32::MAX), (u32::MAX, u32::MAX), (1, LIMIT as u32), (u32::MAX, 9)]
        {
            let header = [*b"GCPF", number(mode), number(size), number(total)].concat();
            for rest in [0, 4, 100_000] {
                let (most, _) = most(&[&header[..], &vec![0xff; rest]].concat());
                assert!(most < 64 << 10, "{name} {size} {total} {rest}: {most} bytes");
            }
        }
        // A bomb of 4 MiB, and one of 4 GiB: the content of each file is a file of zeros, or of
        // zeros that follow the header of a file.
        let Ok(bomb) = compress(&vec![0; 4 << 20], compression) else { continue };
        let (least, problem) = most(&bomb);
        assert!(least < 64 << 10 && matches!(problem, Problem::TooLong { .. }), "{name} {problem}");
        let header = [*b"GCPF", number(mode), number(4096), number(u32::MAX)].concat();
        let mut file = [header, vec![0; LIMIT - 16]].concat();
        for _ in 0..2 {
            file = compress(&file, compression).unwrap();
            let (most, problem) = most(&file);
            assert!(most < 4 * LIMIT, "{name}: {most} bytes");
            assert!(matches!(problem, Problem::TooLong { .. }), "{name} {problem}");
        }
        // A block with more bytes than the header says.
        let block = bomb_of(compression, LIMIT * 16);
        let header = [*b"GCPF", number(mode), number(4096), number(4000)].concat();
        let file = [&header[..], &number(block.len() as u32), &block, b"GCPF"].concat();
        let (most, problem) = most(&file);
        assert!(most < 512 << 10, "{name}: {most} bytes for a block");
        assert!(matches!(problem, Problem::Block { .. }), "{name} {problem}");
    }
    let mut file = b"GDEC".to_vec();
    file.extend([0; 16]);
    file.extend(u64::MAX.to_le_bytes());
    file.extend([0; 16]);
    assert!(most(&file).0 < 4096);
}

/// Zeros as one block.
#[cfg(feature = "save")]
fn bomb_of(compression: gdwire::save::Compression, len: usize) -> Vec<u8> {
    use gdwire::save::Compression;
    use std::io::Write;
    let (mut block, zeros) = (Vec::new(), vec![0; len]);
    let level = flate2::Compression::best();
    match compression {
        // A literal, and then matches of 255 more bytes for each byte.
        Compression::FastLz => {
            block = [&[0x20, 0, 0xe0][..], &vec![0xff; len / 255], &[0, 0]].concat()
        }
        Compression::Deflate => {
            flate2::write::ZlibEncoder::new(&mut block, level).write_all(&zeros).unwrap();
        }
        Compression::Gzip => {
            flate2::write::GzEncoder::new(&mut block, level).write_all(&zeros).unwrap();
        }
        _ => {
            let level = ruzstd::encoding::CompressionLevel::Fastest;
            ruzstd::encoding::compress(&zeros[..], &mut block, level);
        }
    }
    block
}
