#!/bin/bash
# The packages of a folder in a clean root of Debian 12, with nothing in it but what they depend on: the program runs, and
# examples are built and run with the library. As root. Usage: test_package.sh FOLDER
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
packages=$(cd "$1" && pwd)
clean=$(mktemp -d)
trap 'rm -rf "$clean"' EXIT
[ "$(id -u)" = 0 ] || { echo "test_package: a clean root is made by root" >&2; exit 1; }
export TMPDIR=/tmp DEBIAN_FRONTEND=noninteractive
echo "test_package: a clean root"
mmdebstrap --quiet --mode=root --variant=apt --skip=check/empty \
    $([ -r /etc/apt/apt.conf.d/00proxy ] && echo --aptopt=/etc/apt/apt.conf.d/00proxy) \
    bookworm "$clean" "${MIRROR:-http://deb.debian.org/debian}"
mkdir "$clean/lieder"
cp -r "$packages"/*.deb "$clean/lieder"
mkdir "$clean/lieder/scripts"
cp -r "$root/examples" "$root/models" "$clean/lieder"
cp -r "$root/scripts/install" "$clean/lieder/scripts"

# runs a command inside
inside()
{
    chroot "$clean" /usr/bin/env -i PATH=/usr/bin:/usr/sbin:/bin:/sbin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

echo "test_package: installing"
inside sh -c 'apt-get -q update && apt-get -q install -y --no-install-recommends /lieder/lieder_*.deb' > "$clean/log" 2>&1 || { cat "$clean/log"; exit 1; }
inside lieder --version
inside lieder simulate /lieder/models/crane_crab.mo -o /lieder/alone.csv
inside lieder eigen /lieder/models/crane_crab.mo > /dev/null
echo "  passed  lieder alone, without a compiler"
inside sh -c 'apt-get -q install -y --no-install-recommends /lieder/*.deb gcc libc6-dev cmake make pkg-config binutils \
    python3-numpy libsundials-dev libsuitesparse-dev zlib1g-dev libexpat1-dev' > "$clean/log" 2>&1 || { cat "$clean/log"; exit 1; }
inside /lieder/scripts/install/test_install.sh /nowhere /usr
inside sh -c 'man -w lieder 2>/dev/null || ls /usr/share/man/man1/lieder.1.gz' > /dev/null
inside apt-get -q purge -y lieder liblieder-dev python3-lieder > "$clean/log" 2>&1
left=$(inside find /usr -path '*lieder*' -not -path '/usr/share/man/*' | head -3)
[ -z "$left" ] || { echo "  FAILED  removed packages leave $left"; exit 1; }
echo "  passed  nothing is left when they are removed"
