#!/bin/bash
# Builds the command for Windows, and runs tests with it under Wine.
#
#   tests/windows/test.sh          runs all tests that fit
#   tests/windows/test.sh NAME …   runs the tests with one of these in their names
#
# tests/windows/tools.sh installs the tools.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ ! -x target/tools/windows/bin/wine ]; then
	echo "Wine is not installed (tests/windows/tools.sh)" >&2
	exit 1
fi
tests/windows/build.sh
# The first test that is left out sometimes waits without end for a line of standard error under Wine. The
# second one limits open files as Unix does. The third one measures the memory of the process, which is Wine's, too.
if [ $# -eq 0 ]; then
	set -- cli::windows cli::bot cli::proxy cli::mapped --skip a_server_that_is_not_there_is_reported_once \
		--skip a_connection_without_sockets_is_reported_once --skip idle_connections_take_little_memory
fi
# Windows' services and the server that all programs share end three seconds after the last program. A
# program that starts in that moment fails ("recvmsg: Connection reset by peer"). The services also keep the
# pipes of the program that started them, which a test would then read without end. So both stay for all
# tests, and are started without pipes.
wine=target/tools/windows/bin/wine
${wine}server --wait
${wine}server --persistent
trap '${wine}server --kill' EXIT
$wine wineboot </dev/null >/dev/null 2>&1
GDWIRE_COMMAND=$PWD/tests/windows/gdwire cargo test --all-features --test command -- "$@"
