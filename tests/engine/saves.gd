# The engine's end of the tests in saves.rs.
#
#   godot3-server -s saves.gd -- JOBS
#
# JOBS is a file with a JSON array. Each element has "path", a packed file; next to it is the content,
# with ".plain" at the end of its name. "do" is one of
#   read     writes the content of the packed file to the other file
#   write    packs the content of the other file
#   store    writes some values to both files with store_var
# "way" is how it is packed: a compression, "pass" with a password in "secret", or "key" with a key
# in "secret", in hex. Prints a line for each element: its path, and 0 or an error.
extends SceneTree

const MODES = {
	"fastlz": File.COMPRESSION_FASTLZ,
	"deflate": File.COMPRESSION_DEFLATE,
	"zstd": File.COMPRESSION_ZSTD,
	"gzip": File.COMPRESSION_GZIP,
}

func _init():
	var args = OS.get_cmdline_args()
	var file = File.new()
	file.open(args[args.size() - 1], File.READ)
	for job in parse_json(file.get_as_text()):
		print("job ", job.path, " ", run(job))
	quit()

func run(job):
	var packed = File.new()
	var plain = File.new()
	var mode = File.READ if job.do == "read" else File.WRITE
	var error = open_packed(packed, mode, job)
	if error == OK:
		error = plain.open(job.path + ".plain", File.READ if job.do == "write" else File.WRITE)
	if error != OK:
		return error
	match job.do:
		"read":
			copy(packed, plain)
		"write":
			copy(plain, packed)
		"store":
			for value in [
				null, true, -7, 2147483648, 0.1, "héllo 日本語 🎮", Vector2(1.5, -2.25), Color(0.25, 0.5, 0.75, 1),
				[1, [2, {"a": PoolByteArray([1, 2, 3])}]], PoolStringArray(["", "béta"]), job,
			]:
				packed.store_var(value)
				plain.store_var(value)
	packed.close()
	plain.close()
	return OK

func copy(from, to):
	if from.get_len() > 0:
		to.store_buffer(from.get_buffer(from.get_len()))

func open_packed(file, mode, job):
	match job.way:
		"pass":
			return file.open_encrypted_with_pass(job.path, mode, job.secret)
		"key":
			var key = PoolByteArray()
			for at in range(0, 64, 2):
				key.append(("0x" + job.secret.substr(at, 2)).hex_to_int())
			return file.open_encrypted(job.path, mode, key)
	return file.open_compressed(job.path, mode, MODES[job.way])
