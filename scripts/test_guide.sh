#!/bin/bash
# test_guide.sh LIEDER [FOLDER] - runs every command of docs/guide, models/machines/README.md, and those of lieder in docs/fmi.md, in a folder of its own; what
# fails is named with its page and line, and so is a picture of a page that no command has made. With FOLDER the pictures are copied there: docs/pictures/guide
# is made so. Commands in a block "libraries" need packages that are not part of the project: they are run if LIBRARIES names the folder of these, which takes
# the place of ~/Modelica. A block "modelica FILE" is written to that file.
set -u
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "$0")/.." && pwd)
keep=${2:+$(cd "$2" && pwd)}
[ -z "${LIBRARIES-}" ] || LIBRARIES=$(cd "$LIBRARIES" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" && ln -s "$program" "$folder/bin/lieder" && ln -s "$root/models" "$folder/models"
cd "$folder" || exit 2
export PATH=$folder/bin:$PATH XDG_CACHE_HOME=$folder/cache
run=0 failed=0
pages=("$root"/docs/guide/*.md "$root"/models/machines/README.md)
for page in "${pages[@]}" "$root"/docs/fmi.md; do
    line=0 inside=0 file=
    while IFS= read -r text; do
        line=$((line + 1))
        case $text in
        '```sh') inside=1 ;;
        '```libraries') [ -z "${LIBRARIES-}" ] || inside=1 ;;
        '```modelica '*.mo)
            file=${text#'```modelica '}
            : >"$file"
            ;;
        '```') inside=0 file= ;;
        *)
            [ -z "$file" ] || echo "$text" >>"$file"
            [ $inside = 1 ] && [ -n "$text" ] || continue
            [ -z "${LIBRARIES-}" ] || text=${text//'~/Modelica'/"$LIBRARIES"}
            case $page:$text in */fmi.md:lieder* | */guide/* | */machines/*) ;; *) continue ;; esac
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
# ![what it shows](../pictures/guide/NAME): NAME is what a command has made
while IFS=: read -r page line name; do
    run=$((run + 1))
    if [ ! -s "$name" ]; then
        failed=$((failed + 1))
        echo "$(basename "$page"):$line: no command makes the picture $name"
    elif [ ! -s "$root/docs/pictures/guide/$name" ] && [ -z "$keep" ]; then
        failed=$((failed + 1))
        echo "$(basename "$page"):$line: docs/pictures/guide lacks $name (make guide-pictures)"
    elif [ -n "$keep" ]; then
        cp "$name" "$keep/$name"
    fi
done < <(grep -no 'pictures/guide/[a-z_0-9.]*' "${pages[@]}" | sed 's|pictures/guide/||')
echo "$((run - failed)) passed, $failed failed"
[ $failed = 0 ] && [ $run -gt 20 ]
