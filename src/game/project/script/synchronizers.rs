//! Finds scripts that change which properties synchronizers send.

/// Whether a script may give a synchronizer other properties than those in a scene. To read them is no
/// change.
pub(crate) fn changes_synchronizers(script: &str) -> bool {
    const CALLED: [&str; 10] = [
        "SceneReplicationConfig.new",
        "new SceneReplicationConfig",
        "add_property",
        "AddProperty",
        "remove_property",
        "RemoveProperty",
        "property_set_",
        "PropertySet",
        "set_replication_config",
        "set_root_path",
    ];
    const ASSIGNED: [&str; 4] =
        ["replication_config", "ReplicationConfig", "root_path", "RootPath"];
    let is_assigned = |word: &&str| {
        let mut after = script.split(*word).skip(1).map(str::trim_start);
        // Also by name: `set("replication_config", …)`.
        after.any(|rest| rest.starts_with('"') || rest.starts_with('=') && !rest.starts_with("=="))
    };
    CALLED.iter().any(|word| script.contains(word)) || ASSIGNED.iter().any(is_assigned)
}
