#!/bin/sh
# check_source.sh - what CONTRIBUTING.md says about the source, as far as a script can see it:
#
#   - includes run one way: those that the README of a folder allows, in the order that CONTRIBUTING.md lists;
#   - the README of a folder mentions its files, and no others;
#   - a static function of ten lines or more has a line of comment above it;
#   - a static function whose name is one word is the only one of that name: elsewhere it carries a noun;
#   - a type name is defined in one file (src/fmi/runtime, another program, has its own);
#   - no file of src/ has more than 800 lines, no function more than 60 but a switch with a few lines for each case,
#     no statement stands in more than four others;
#   - front/ sees of model/ only describe.h, except in native.c;
#   - the engine names no class and no connector of the library: not in a text, nor by a full name in a comment;
#   - documents have lines of at most 100 characters (not tables, code and pictures; docs/libraries.md is generated).
#
# With "names" it lists the static functions that more than one file defines. Exit code 1: there is something to do,
# and it was printed.
cd "$(dirname "$0")/.." || exit 2
found=$(mktemp) || exit 2
trap 'rm -f "$found"' EXIT
files=$(find src -name '*.c' -o -name '*.h' -o -name '*.inc' | sort)

# static functions that more than one file defines: how many, the name, the files
list_names() {
    # shellcheck disable=SC2086
    awk '/^static / && /\(/ { line = $0; sub(/\(.*/, "", line); n = split(line, word, /[ *]+/)
             name = word[n]; if (!((FILENAME, name) in seen)) { seen[FILENAME, name] = 1
                 count[name]++; where[name] = where[name] " " FILENAME } }
         END { for (n in count) if (count[n] > 1) print count[n], n ":" where[n] }' $files | sort -rn
}
if [ "$1" = names ]; then
    list_names
    exit 0
fi
# (src/fmi/runtime is another program)
list_names | sed 's/ src\/fmi\/runtime[^ ]*//g' | grep -E ': *[^ ]+ +[^ ]' | sed -nE 's/^[0-9]+ ([a-z]+):(.*)/several files have a static function \1, a name of one word:\2/p' >>"$found"

# Types that more than one file defines: "} Name;", "struct Name {" and typedefs of one line that are no declaration
# ahead ("typedef struct Name Name;").
# shellcheck disable=SC2086
awk 'FILENAME ~ /fmi\/runtime/ { next }
     { name = "" }
     /^} [A-Z][A-Za-z0-9]*;/ { name = $2 }
     /^(struct|union|enum) [A-Z][A-Za-z0-9]* \{/ { name = $2 }
     /^typedef .*;/ && !/^typedef (struct|union|enum) [A-Za-z0-9]+ [A-Za-z0-9]+;/ {
         name = $0; sub(/ *\/\*.*/, "", name); sub(/;.*/, "", name); sub(/ *__attribute__.*/, "", name)
         if (name !~ /VEC\(/) sub(/ *\(.*/, "", name)
         sub(/.*[ *]/, "", name); sub(/\[.*/, "", name) }
     { sub(/;.*/, "", name)
       if (name != "" && !((FILENAME, name) in seen)) { seen[FILENAME, name] = 1; count[name]++; where[name] = where[name] " " FILENAME } }
     END { for (n in count) if (count[n] > 1) print "several files define a type " n ":" where[n] }' $files >>"$found"

# Which folder may include which stands in the README of each, in the sentence that begins with "May include"; these
# have to follow the order of CONTRIBUTING.md: a folder may include those of earlier groups. cli may include all.
order=$(tr '\n' ' ' <CONTRIBUTING.md | sed -n 's/.*Includes run one way: \([^.]*\)\..*/\1/p' | tr -d '`')
[ -n "$order" ] || { echo "CONTRIBUTING.md does not say in which order includes run"; exit 1; }
for folder in src/*/; do
    name=$(basename "$folder")
    allowed=$(tr '\n' ' ' <"$folder/README.md" | sed -n 's/.*[Mm]ay include \(.*\)/\1/p' | sed 's/[.;] .*//' |
        grep -oE '`[a-z_]+[`/]' | tr -d '`/' | tr '\n' ' ')
    [ "$name" = cli ] && allowed=$(basename -a src/*/ | tr '\n' ' ')
    echo "FOLDER $name $allowed"
done >"$found.allowed"
# shellcheck disable=SC2086
grep -HnE '^ *# *include "[a-z_]+/' $files | sed 's/:/ /g' | cat "$found.allowed" - |
    awk -v order="$order" '
        BEGIN { gsub(/ and python\//, ", python/", order); ngroup = split(order, group, /, */)
            for (g = 1; g <= ngroup; g++) { m = split(group[g], word, "/")
                for (i = 1; i <= m; i++) { gsub(/[ \t]/, "", word[i]); if (word[i] != "") rank[word[i]] = g } } }
        $1 == "FOLDER" { if (!($2 in rank)) print "src/" $2 ": the folder is not in the list of CONTRIBUTING.md"
            for (i = 3; i <= NF; i++) { may[$2, $i] = 1
                if ($i != $2 && $2 != "cli" && rank[$i] >= rank[$2])
                    print "src/" $2 "/README.md: " $i " comes later in the list of CONTRIBUTING.md" }
            next }
        { split($1, path, "/"); from = path[2]; to = $0; sub(/.*include "/, "", to); sub(/\/.*/, "", to)
          if ((to in rank) && to != from && !((from, to) in may))
              print $1 ":" $2 ": src/" from "/README.md does not say that it may include " to }' >>"$found"
rm -f "$found.allowed"
# A README names files that are there, and each file of its folder: a header stands for the .c of its name, and the
# other way round.
for folder in src/*/ $(find src -mindepth 2 -type d ! -path src/fmi/runtime -printf '%p/ '); do
    [ -e "$folder/README.md" ] || { echo "$folder has no README.md" >>"$found"; continue; }
    for name in $(grep -oE '`[A-Za-z0-9_./]+\.(c|h|inc|md|mo|sh)`' "$folder/README.md" | tr -d '`' | sort -u); do
        [ -e "$folder$name" ] || [ -e "src/$name" ] || [ -e "$name" ] || [ -e "include/lieder/$name" ] ||
            echo "${folder}README.md: there is no $name" >>"$found"
    done
    for file in "$folder"*.[ch] "$folder"*.inc; do
        name=$(basename "$file")
        [ ! -e "$file" ] || grep -qE "(^|[^a-z_])${name%.*}\.(c|h|inc)" "$folder/README.md" ||
            echo "${folder}README.md does not mention $name" >>"$found"
    done
done
grep -rHnE '^#include "model/' src/front | grep -v '/native\.c:' | grep -v 'model/description/describe\.h"' |
    sed 's/$/: only native.c sees this/' >>"$found"

# The engine knows no mechanics: domains bring their advice (src/library/domains.c). Names of classes are those of
# library/*.mo and of the tables in src/library.
{
    grep -ohE '^ *(partial )?(model|block|connector|record|package) [A-Z][A-Za-z0-9]+' library/*.mo | awk '{ print $NF }'
    sed -nE 's/.*\.name = "([A-Z][A-Za-z0-9.]*)".*/\1/p' src/library/*.c | tr . '\n'
} | sort -u >"$found.names"
awk 'FILENAME ~ /names$/ { class[$1] = 1; next }
     { rest = $0; line = $0
       while (match(rest, /"([^"\\]|\\.)*"/)) {
           text = substr(rest, RSTART + 1, RLENGTH - 2); rest = substr(rest, RSTART + RLENGTH)
           gsub(/\\./, " ", text); n = split(text, word, /[^A-Za-z0-9_]+/)
           for (i = 1; i <= n; i++) if ((word[i] in class) || word[i] ~ /^(flange|frame)_/)
               print FILENAME ":" FNR ": a name of the library in a text of the engine: " word[i] }
       while (match(line, /[A-Z][A-Za-z0-9]+\.[A-Z][A-Za-z0-9]+|[^A-Za-z_]World[^A-Za-z]/)) {
           text = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
           split(text, word, "."); if (text ~ /World/ || ((word[1] in class) && (word[2] in class)))
               print FILENAME ":" FNR ": the engine speaks of a class of the library: " text } }' \
    "$found.names" $(find src/base src/block src/equation src/model src/record src/solve -name '*.[ch]') >>"$found"
rm -f "$found.names"

# a line above each static function of ten lines or more
# shellcheck disable=SC2086
awk '
    FNR == 1 { before = ""; inside = 0; comment = 0 }
    !inside && /^(static|STATIC)[^;=]*\(/ { start = FNR; name = $0; commented = comment; inside = 1 }
    inside && /;[ \t]*$/ && !body { inside = 0 }
    inside && /^{/ { body = 1; brace = FNR }
    inside && /^}/ { if (body && FNR - brace - 1 >= 10 && !commented)
                         print FILENAME ":" start ": a line above it says what it does: " name
                     inside = 0; body = 0 }
    { comment = $0 ~ /\*\/[ \t]*$/ }' $(printf '%s\n' $files | grep '\.c$') >>"$found"

# functions that are one switch: the file, and the name of the function
switches='src/front/syntax/print.c:bare'
# shellcheck disable=SC2086
awk -v switches="$switches" '
    /^[a-zA-Z].*\(/ && !/;/ { line = $0; sub(/\(.*/, "", line); n = split(line, word, /[ *]+/); name = word[n] }
    /^{/ { brace = FNR }
    /^}/ { most = index(" " switches " ", " " FILENAME ":" name " ") ? 100 : 60
           if (brace && FNR - brace - 1 > most)
               print FILENAME ":" brace ": " FNR - brace - 1 " lines, " most " at most: " name
           brace = 0 }' $(printf '%s\n' $files | grep '\.c$') >>"$found"
grep -nE '^ {20,}(if|for|while|switch|do)\>' $(printf '%s\n' $files | grep '\.c$') | sed -E 's/:([0-9]+):.*/:\1: more than four deep/' >>"$found"
wc -l $files | awk '$2 != "total" && $1 > 800 { print $2 ": " $1 " lines, 800 at most" }' >>"$found"

# shellcheck disable=SC2046
awk 'FNR == 1 { code = 0 } /^ *```/ { code = !code; next } code || /^[|!<]/ || /^    / { next }
     { line = $0; gsub(/[\200-\277]/, "", line); n = split(line, word, " ")
       if (length(line) > 100 && n > 2) print FILENAME ":" FNR ": " length(line) " characters, 100 at most" }' \
    $(find README.md CONTRIBUTING.md bench docs editors examples library models python src web -name node_modules -prune -o \
        -name '*.md' -print | grep -v '^docs/libraries\.md$') >>"$found"

cat "$found"
[ ! -s "$found" ]
