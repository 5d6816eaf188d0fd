//! The methods that change arrays and dictionaries.

/// Whether a method of arrays or dictionaries changes them, in GDScript or C#.
pub(crate) fn changes_container(method: &str) -> bool {
    matches!(
        method,
        "append"
            | "append_array"
            | "assign"
            | "clear"
            | "erase"
            | "fill"
            | "get_or_add"
            | "insert"
            | "invert"
            | "merge"
            | "pop_at"
            | "pop_back"
            | "pop_front"
            | "push_back"
            | "push_front"
            | "remove"
            | "remove_at"
            | "resize"
            | "reverse"
            | "set"
            | "shuffle"
            | "sort"
            | "sort_custom"
    ) || changes_in_csharp(method)
}

/// Whether a method of containers in C# changes them.
pub(super) fn changes_in_csharp(method: &str) -> bool {
    matches!(
        method,
        "Add"
            | "AddRange"
            | "Clear"
            | "Dequeue"
            | "Enqueue"
            | "Fill"
            | "Insert"
            | "InsertRange"
            | "Merge"
            | "Pop"
            | "Push"
            | "Remove"
            | "RemoveAll"
            | "RemoveAt"
            | "RemoveRange"
            | "Resize"
            | "Reverse"
            | "SetItems"
            | "SetValue"
            | "Shuffle"
            | "Sort"
            | "TryAdd"
    )
}
