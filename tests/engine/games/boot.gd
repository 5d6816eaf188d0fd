# Starts the drivers of a generated game and writes what they note, a line of JSON each.
#
#     godot --headless --path PROJECT [SCENE] -- ROLE TRANSPORT PORT SEED SECONDS CLIENTS OUT
#
# ROLE is server, client0, client1, or all: each child of the scene then has a multiplayer interface of its own.
extends Node

const DRIVER = preload("res://driver.gd")

var table: Dictionary = JSON.parse_string(FileAccess.get_file_as_string("res://table.json"))
var file: FileAccess
var running := 0

func _ready():
	Engine.max_fps = 60
	var a := OS.get_cmdline_user_args()
	file = FileAccess.open(a[6], FileAccess.WRITE)
	await get_tree().process_frame
	await get_tree().process_frame
	if a[0] != "all":
		begin(a[0], get_tree().root, a)
		return
	var roles := ["server"]
	for i in int(a[5]):
		roles.append("client%d" % i)
	for i in roles.size():
		begin(roles[i], get_tree().current_scene.get_child(i), a)

func begin(role: String, branch: Node, a: PackedStringArray):
	var driver: Node = DRIVER.new()
	driver.name = role
	driver.boot = self
	driver.branch = branch
	driver.role = role
	driver.rng.seed = hash(role) + int(a[3])
	driver.seconds = float(a[4])
	driver.clients = int(a[5])
	driver.process_priority = 1000
	running += 1
	add_child(driver)
	driver.start(a[1], int(a[2]))

func note(line: Dictionary):
	# The last nodes leave the tree after the end.
	if not file.is_open():
		return
	line["t"] = Time.get_unix_time_from_system()
	file.store_line(JSON.stringify(line))

func ended():
	running -= 1
	if running == 0:
		file.close()
		get_tree().quit()
