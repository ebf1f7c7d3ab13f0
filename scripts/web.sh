#!/bin/sh
# Bundles the viewer's page (web/) into the folder $1, for the program to embed. The viewer is the only part that needs
# npm and its registry: where these cannot be had, the files are empty, the rest is built, and it is said.
set -eu
out=$1
web=$(cd "$(dirname "$0")/../web" && pwd)
mkdir -p "$out"
rm -f "$out/left_out"

leave_out()
{
    for name in index.html app.js app.css; do
        : > "$out/$name.gz"
    done
    echo "$1" > "$out/left_out"
    echo "viewer: left out, since $1; all else is built. The next build tries again" >&2
    exit 0
}

command -v node >/dev/null && command -v npm >/dev/null || leave_out "node and npm are not installed"
[ "$(node -p 'parseInt(process.versions.node) >= 18')" = true ] || leave_out "node $(node --version) is older than 18"
cd "$web"
# several builds may come here at the same time
exec 9> .lock
flock 9
if ! cmp -s package-lock.json node_modules/.installed; then
    echo "viewer: npm installs three, uplot and esbuild"
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 --fetch-timeout=30000 \
        > "$out/npm.log" 2>&1 || leave_out "npm cannot install its packages ($out/npm.log)"
    cp package-lock.json node_modules/.installed
fi
node build.mjs "$out"
