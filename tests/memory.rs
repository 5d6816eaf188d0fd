//! How much memory owned values take, and how long what they print is.

use gdwire::encode::Builder;
use gdwire::{Array, Dialect, Dictionary, Variant, encode, parse, variant};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    /// The bytes that are allocated now, and the most there were.
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

// SAFETY: every call is handed on to the system's allocator as it came.
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

/// The bytes that a value takes, and the most that were taken while it was made.
fn taken<T>(make: impl FnOnce() -> T) -> (usize, usize, T) {
    let before = NOW.with(Cell::get);
    MOST.with(|most| most.set(before));
    let made = make();
    let (now, most) = (NOW.with(Cell::get), MOST.with(Cell::get));
    ((now - before) as usize + size_of::<T>(), (most - before) as usize, made)
}

/// Bytes whose trees are large, in Godot 4.
fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let many = 20_000;
    let array = |element: &Variant| {
        let elements: Array = std::iter::repeat_n(element.clone(), many).collect();
        encode(Dialect::GODOT_4, &elements).unwrap()
    };
    let mut nils = Builder::new(Dialect::GODOT_4, Vec::new());
    nils.begin_dictionary(many).unwrap();
    (0..many as i64).for_each(|key| {
        nils.int(key).unwrap();
        nils.nil().unwrap();
    });
    nils.end().unwrap();
    let nested = (0..1000).fold(variant!([]), |inner, _| variant!([inner]));
    let nested_entries = (0..1000).fold(variant!({}), |inner, _| variant!({ null: inner }));
    let strings: Vec<u8> = [34, many as u32]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .chain(vec![0; 4 * many])
        .collect();
    vec![
        ("nulls", array(&Variant::Nil)),
        ("bools", array(&variant!(true))),
        ("empty arrays", array(&variant!([]))),
        ("empty dictionaries", array(&variant!({}))),
        ("single elements", array(&variant!([null]))),
        ("empty strings", array(&variant!(""))),
        ("short strings", array(&variant!("a"))),
        (
            "typed arrays",
            array(&Variant::Array(
                Array::new().typed(gdwire::ElementType::Kind(gdwire::Kind::Int)),
            )),
        ),
        ("signals", array(&Variant::from(gdwire::Signal::default()))),
        ("paths", array(&Variant::from(gdwire::NodePath::default()))),
        ("vectors", array(&Variant::from(gdwire::math::Vector3::new(1.0_f32, 2.0, 3.0)))),
        ("transforms", array(&Variant::from(gdwire::math::Transform3D::<f32>::default()))),
        ("null entries", nils.finish().unwrap()),
        ("nested arrays", encode(Dialect::GODOT_4, &nested).unwrap()),
        ("nested dictionaries", encode(Dialect::GODOT_4, &nested_entries).unwrap()),
        ("packed strings", strings),
    ]
}

// Of a 64-bit machine.
#[cfg(target_pointer_width = "64")]
#[test]
fn owned_values_take_eight_times_their_bytes_at_most() {
    assert_eq!((size_of::<Variant>(), size_of::<Array>(), size_of::<Dictionary>()), (32, 24, 24));
    for (name, bytes) in hostile() {
        let view = parse(Dialect::GODOT_4, &bytes).unwrap();
        let (kept, most, value) = taken(|| Variant::from(view));
        assert_eq!(value.kind(), view.kind());
        assert!(kept <= 8 * bytes.len(), "{name}: {kept} bytes for {}", bytes.len());
        // In addition there are the open containers, 1024 at most.
        let limit = 12 * bytes.len() + (256 << 10);
        assert!(most <= limit, "{name}: at times {most} bytes for {}", bytes.len());
    }
}

// Of a 64-bit machine.
#[cfg(target_pointer_width = "64")]
#[test]
fn text_and_json_are_bounded_too() {
    let nested = |open: &str, close: &str| open.repeat(1000) + "null" + &close.repeat(1000);
    for text in [
        nested("[", "]"),
        format!("[{}]", "[],".repeat(10_000)),
        format!("[{}]", "{},".repeat(10_000)),
    ] {
        let (kept, most, _) = taken(|| gdwire::text::read(&text).unwrap());
        assert!(kept <= 32 * text.len(), "{kept} bytes for {}", text.len());
        let limit = 64 * text.len() + (256 << 10);
        assert!(most <= limit, "at times {most} bytes for {}", text.len());
    }
    #[cfg(feature = "json")]
    for text in [
        nested("[", "]"),
        format!("[{}null]", "[],".repeat(10_000)),
        format!("[{}null]", "null,".repeat(10_000)),
    ] {
        let (kept, most, _) = taken(|| gdwire::json::read(&text).unwrap());
        assert!(kept <= 32 * text.len(), "{kept} bytes for {}", text.len());
        let limit = 64 * text.len() + (512 << 10);
        assert!(most <= limit, "at times {most} bytes for {}", text.len());
    }
}

/// The lengths of what is printed of a value.
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
fn what_is_printed_grows_with_the_value() {
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
