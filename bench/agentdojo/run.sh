#!/bin/sh
# Installs AgentDojo and this package's dependencies into an environment of their own, and runs the benchmark.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
venv="$here/.venv"
if [ ! -e "$venv/stamp" ] || [ "$here/requirements.txt" -nt "$venv/stamp" ]; then
    "${PYTHON:-python3}" -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$here/requirements.txt"
    touch "$venv/stamp"
fi
PYTHONPATH="$here/../../src" exec "$venv/bin/python" "$here/bench.py" "$@"
