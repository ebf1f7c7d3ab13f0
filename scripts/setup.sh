#!/bin/sh
# Installs the Debian packages of packages.txt, or of another list, that are missing, as root or with sudo. The viewer's
# page is bundled by npm: any that is there is used, else Debian's is installed, and without it only the viewer is left out.
set -eu
list=${1:-$(dirname "$0")/packages.txt}
if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null; then
    as_root=sudo
else
    as_root=none
fi
export DEBIAN_FRONTEND=noninteractive

# installs the packages that are named
install_packages()
{
    echo "setup: installing the Debian packages $*"
    if [ "$as_root" = none ]; then
        echo "setup: neither root nor sudo; please install $*" >&2
        return 1
    fi
    $as_root apt-get -q update >/dev/null
    $as_root apt-get -q install -y --no-install-recommends "$@" >/dev/null || return 1
    echo "setup: done"
}

missing=
for package in $(grep -v '^#' "$list"); do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
# shellcheck disable=SC2086
[ -z "$missing" ] || install_packages $missing
if [ $# = 0 ] && ! command -v npm >/dev/null; then
    install_packages npm || echo "setup: no npm, so the viewer will be left out" >&2
fi
