#!/bin/bash
# test_guide.sh LIEDER - runs every command of docs/guide, and those of lieder in docs/fmi.md, in a folder of its own; what fails is named with its page and line.
set -u
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" && ln -s "$program" "$folder/bin/lieder" && ln -s "$root/models" "$folder/models"
cd "$folder" || exit 2
export PATH=$folder/bin:$PATH XDG_CACHE_HOME=$folder/cache
run=0 failed=0
for page in "$root"/docs/guide/*.md "$root"/docs/fmi.md; do
    line=0 inside=0
    while IFS= read -r text; do
        line=$((line + 1))
        case $text in
        '```sh') inside=1 ;;
        '```') inside=0 ;;
        *)
            [ $inside = 1 ] && [ -n "$text" ] || continue
            case $page:$text in */fmi.md:lieder* | */guide/*) ;; *) continue ;; esac
            run=$((run + 1))
            if ! bash -c "$text" >log 2>&1 </dev/null; then
                failed=$((failed + 1))
                echo "$(basename "$page"):$line: $text"
                sed 's/^/    /' log | head -20
            fi
            ;;
        esac
    done <"$page"
done
echo "$((run - failed)) passed, $failed failed"
[ $failed = 0 ] && [ $run -gt 20 ]
