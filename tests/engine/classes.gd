# Lists the classes of the engine that scripts can extend, one a line: `other NAME`, or `node NAME` and
# the types of the values that the properties of a new node have, `TYPE:NAME`.
extends SceneTree

const NO_VALUE := PROPERTY_USAGE_CATEGORY | PROPERTY_USAGE_GROUP | PROPERTY_USAGE_SUBGROUP


func _init():
	for name in ClassDB.get_class_list():
		var script = GDScript.new()
		script.source_code = "extends " + name
		if script.reload() != OK:
			continue
		if name == "Node" or ClassDB.is_parent_class(name, "Node"):
			print(" ".join(["node", name] + properties(name)))
		else:
			print("other ", name)
	quit()


func properties(name):
	if not ClassDB.can_instantiate(name) or ClassDB.class_get_api_type(name) != ClassDB.API_CORE:
		return []
	var node = ClassDB.instantiate(name)
	var found = []
	for property in ClassDB.class_get_property_list(name):
		# Names with other characters are made up from the number of items.
		if not property.usage & NO_VALUE and property.name.is_valid_identifier():
			found.append("%s:%s" % [type_string(typeof(node.get(property.name))), property.name])
	node.free()
	return found
