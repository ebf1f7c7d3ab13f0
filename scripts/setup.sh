#!/bin/sh
# Installs the Debian packages of packages.txt, or of another list, that are missing, as root or with sudo.
set -eu
list=${1:-$(dirname "$0")/packages.txt}
missing=
for package in $(grep -v '^#' "$list"); do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
echo "setup: installing the Debian packages$missing"
if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null; then
    as_root=sudo
else
    echo "setup: neither root nor sudo; please install$missing" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get -q update >/dev/null
# shellcheck disable=SC2086
$as_root apt-get -q install -y --no-install-recommends $missing >/dev/null
echo "setup: done"
