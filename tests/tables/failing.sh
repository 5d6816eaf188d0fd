# Stands in for gdwire on the executors of Spark, and fails twice: after one capture it exits with an
# error, and in the middle of another one it kills the executor. The test sets FOLDER and GDWIRE.
case "$*" in
*"--table messages "*/godot4-game-enet-zlib.pcapng)
	if mkdir "$FOLDER/failed" 2>/dev/null; then
		exec "$GDWIRE" "$@" missing.pcapng
	fi
	;;
*"--table messages "*/godot4-game-enet.pcapng)
	if mkdir "$FOLDER/killed" 2>/dev/null; then
		"$GDWIRE" "$@" | head -c 10000
		executor=$PPID
		until ps -o args= -p "$executor" | grep -q CoarseGrainedExecutorBackend; do
			executor=$(ps -o ppid= -p "$executor" | tr -d ' ')
		done
		kill -9 "$executor"
		exit 1
	fi
	;;
esac
exec "$GDWIRE" "$@"
