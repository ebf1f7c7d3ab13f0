# bash completion for lieder

_lieder_models() # files with models, and the models of the library
{
    local word=$1
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -X '!*.mo' -- "$word"; compgen -d -- "$word"
                             compgen -W "$(lieder list Examples. 2>/dev/null | cut -d' ' -f1)" -- "$word")
}

_lieder_columns() # names in the first line of the .csv files on the command line
{
    local file
    for file in "${COMP_WORDS[@]}"; do
        if [[ $file == *.csv && -r $file ]]; then
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$(head -1 "$file" | tr ',"' '  ')" -- "$1")
        fi
    done
}

_lieder()
{
    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
    local shared="--model --override --library --limit --load --log-format --help"
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "simulate sweep eigen stability plot draw view compare export check list doc show lsp help --help --version" -- "$word")
        return
    fi
    # "--option=value" comes as three words
    if [[ $word == = ]]; then
        word=
    elif [[ $last == = ]]; then
        last=${COMP_WORDS[COMP_CWORD-2]}
    fi
    case $last in
    --solver)
        mapfile -t COMPREPLY < <(compgen -W "rk1 rk2 rk3 rk4 euler-backward esdirk23 bdf rk45 rodas4" -- "$word")
        return ;;
    --compile)
        mapfile -t COMPREPLY < <(compgen -W "never auto always" -- "$word")
        return ;;
    --initial)
        mapfile -t COMPREPLY < <(compgen -W "steady assemble" -- "$word")
        return ;;
    --energy)
        mapfile -t COMPREPLY < <(compgen -W "never auto always" -- "$word")
        return ;;
    --clocks)
        mapfile -t COMPREPLY < <(compgen -W "auto shared own" -- "$word")
        return ;;
    --chatter)
        mapfile -t COMPREPLY < <(compgen -W "auto stop hold" -- "$word")
        return ;;
    --log-format)
        mapfile -t COMPREPLY < <(compgen -W "text json" -- "$word")
        return ;;
    --log)
        mapfile -t COMPREPLY < <(compgen -W "x y xy" -- "$word")
        return ;;
    -x | --x | -y | --y | --group)
        _lieder_columns "$word"
        return ;;
    -o | --output | --checkpoint | --resume | --script | --load | -s | --save)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return ;;
    --model)
        [[ $command == draw || $command == view ]] && _lieder_models "$word"
        return ;;
    --start-time | --stop-time | --step | --tolerance | --interval | --intervals | --override | \
    --record | --threads | --from | --to | --label | --title | --size | \
    --frames | --speed | --port | --vary | --at | --wanted-step | -u | --input | --output-variable)
        return ;;
    esac
    case $command:$word in
    simulate:-*)
        mapfile -t COMPREPLY < <(compgen -W "$shared --start-time --stop-time --solver --step --tolerance \
            --chatter --clocks --interval --intervals --output --record --real-time --energy --initial --td-check --fmus-inside --compile --threads --checkpoint --resume \
            --quiet" -- "$word") ;;
    sweep:-*)
        mapfile -t COMPREPLY < <(compgen -W "$shared --vary --summary --resume --start-time --stop-time --solver --step \
            --tolerance --chatter --clocks --interval --intervals --output --record --compile --threads --quiet" -- "$word") ;;
    plot:-*)
        mapfile -t COMPREPLY < <(compgen -W "--x --y --panel --output --log --from --to --group --label \
            --title --size --points --script --log-format --quiet --help" -- "$word") ;;
    draw:-*)
        mapfile -t COMPREPLY < <(compgen -W "--model --override --library --limit --load --output --frames --animate --diagram --speed --from --to \
            --title --size --log-format --quiet --help" -- "$word") ;;
    view:-*)
        mapfile -t COMPREPLY < <(compgen -W "$shared --save --port --no-open --keep --real-time --lanes --start-time --stop-time --solver --step \
            --tolerance --chatter --clocks --interval --intervals --record --compile --threads --quiet" -- "$word") ;;
    eigen:-*)
        mapfile -t COMPREPLY < <(compgen -W "$shared --at --solver --step --wanted-step --input \
            --output-variable --output --all --quiet" -- "$word") ;;
    stability:-*)
        mapfile -t COMPREPLY < <(compgen -W "--solver --output --points --log-format --help" -- "$word") ;;
    compare:-*)
        mapfile -t COMPREPLY < <(compgen -W "--signals --tolerance --until --log-format --quiet --help" -- "$word") ;;
    export:-*)
        mapfile -t COMPREPLY < <(compgen -W "$shared --output --fmi --solver --step --record --binary --quiet" -- "$word") ;;
    check:-*)
        mapfile -t COMPREPLY < <(compgen -W "$shared --quiet" -- "$word") ;;
    show:-*)
        mapfile -t COMPREPLY < <(compgen -W "$shared --record" -- "$word") ;;
    list:-*)
        mapfile -t COMPREPLY < <(compgen -W "--log-format --help" -- "$word") ;;
    lsp:-*)
        mapfile -t COMPREPLY < <(compgen -W "--library --limit --stdio --help" -- "$word") ;;
    doc:-*)
        mapfile -t COMPREPLY < <(compgen -W "--html --help" -- "$word") ;;
    plot:* | draw:* | compare:*)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -X '!*.@(csv|mat|h5)' -- "$word"; compgen -d -- "$word") ;;
    view:*)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -X '!*.@(mo|csv|mat|h5)' -- "$word"; compgen -d -- "$word") ;;
    simulate:* | sweep:* | eigen:* | export:* | check:* | show:*)
        _lieder_models "$word" ;;
    doc:*)
        mapfile -t COMPREPLY < <(compgen -W "$(lieder list 2>/dev/null | cut -d' ' -f1)" -- "$word") ;;
    help:*)
        mapfile -t COMPREPLY < <(compgen -W "simulate sweep eigen stability plot draw view compare export check list doc show lsp" -- "$word") ;;
    esac
}

complete -F _lieder lieder
