# Lists the classes of the engine, one a line: `node NAME` or `other NAME`. Nodes that only the editor
# has are left out.
extends SceneTree


func _init():
	for name in ClassDB.get_class_list():
		var is_node = name == "Node" or ClassDB.is_parent_class(name, "Node")
		if not is_node:
			print("other ", name)
		elif ClassDB.class_get_api_type(name) == ClassDB.API_CORE:
			print("node ", name)
	quit()
