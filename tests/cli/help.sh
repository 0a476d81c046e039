#!/bin/sh
# Help, man pages and the command table agree; usage errors are said in one line.
. tests/cli/lib.sh

commands=$("$PLYMILL" help | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')

# The options that help names, and those that the man page names.
help_options() {
    "$PLYMILL" help "$1" | sed -n 's/^  \(--*[a-z][a-z0-9_.-]*\).*/\1/p' | sort
}
man_options() {
    sed -n 's/^\.It Fl \([^ ]*\).*/-\1/p' "docs/man/plymill-$1.1" | sed 's/\\-/-/g' | sort
}
same_options() {
    help_options "$1" >"$tmp/help"
    man_options "$1" >"$tmp/man"
    same "$tmp/help" "$tmp/man"
}
help_is_the_same() {
    "$PLYMILL" "$1" --help >"$tmp/a" && "$PLYMILL" help "$1" >"$tmp/b" && same "$tmp/a" "$tmp/b"
}
recipe_keys_agree() {
    "$PLYMILL" help recipe | sed -n 's/^  \([a-z]*\.[a-z_]*\) .*/\1/p' | sort >"$tmp/help"
    sed -n 's/^\.It Cm \([^ ]*\).*/\1/p' docs/man/plymill-recipe.1 | sed 's/\\-/-/g' | sort >"$tmp/man"
    [ "$(wc -l <"$tmp/help")" -gt 20 ] && same "$tmp/help" "$tmp/man"
}
man_is_current() {
    mkdir "$tmp/pages" && "${OUT:-build/release}/tests/manpages" "$tmp/pages" || return 1
    diff -r "$tmp/pages" docs/man
}
every_command_in_readme() {
    for command in $commands; do
        grep -qE "^\| \`$command\`" README.md || { echo "README's table lacks $command"; return 1; }
    done
}

short_lines() {
    for topic in '' recipe $commands; do
        "$PLYMILL" help $topic | awk -v topic="$topic" 'length > 100 { print topic ": " $0; bad = 1 } END { exit bad }' || return 1
    done
}
says() {
    want=$1
    shift
    "$PLYMILL" "$@" >"$tmp/out" 2>&1
    tr -s ' \n' '  ' <"$tmp/out" | grep -qF -- "$want" || { cat "$tmp/out"; return 1; }
}
no_raw_macros() {
    ! grep -n '^\.Xr.*\.Xr' docs/man/*.1
}
bare() {
    "$PLYMILL" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 2 ] && [ ! -s "$tmp/out" ] && "$PLYMILL" help >"$tmp/help" && same "$tmp/err" "$tmp/help"
}
# A reader that goes: whatever plymill had to say, it says nothing more.
closed_pipe() {
    { sleep 0.1; "$PLYMILL" "$@" 2>"$tmp/err"; echo $? >"$tmp/code"; } | true
    [ "$(cat "$tmp/code")" -eq 141 ] && ! grep '^plymill:' "$tmp/err"
}

check 'help lists commands' test "$(echo "$commands" | wc -w)" -ge 12
for command in $commands; do
    check "help and man page of $command name the same options" same_options "$command"
    check "$command --help is help $command" help_is_the_same "$command"
done
check 'help recipe and its man page name the same keys' recipe_keys_agree
check 'the man pages are those of the command table' man_is_current
check 'README lists every command' every_command_in_readme
check 'no line of help is longer than 100 columns' short_lines
no_blanks_at_ends() {
    for command in $commands; do
        "$PLYMILL" help $command | grep ' $' && return 1
    done
    return 0
}
check 'no line of help ends with a blank' no_blanks_at_ends
check 'help names the argument and default of a key' says \
    '--label.nodes N nodes to search for a label; short: --nodes; default: 10000' help label
check 'help names the choices of a list' says \
    'any of standard, from-position, chess960; default: standard, from-position' help recipe
check 'help names --version' says 'plymill --version' help
check '--quiet is listed where there is progress' says '--quiet' help train
check 'and nowhere else' sh -c '! "$0" help eval | grep -q quiet' "$PLYMILL"
check 'man pages have one cross reference a line' no_raw_macros
check 'the bare name prints the overview' bare
check 'a reader that stops is no error' closed_pipe help recipe
check 'nor in the middle of a long output' closed_pipe scan --fens configs/demo.pgn.zst
check 'a near command is suggested' fails 2 'no command "trian"; did you mean plymill train ' "$PLYMILL" trian
check 'version is an option' fails 2 'did you mean plymill --version ' "$PLYMILL" version
check 'a near option is suggested' fails 2 'unknown option --postions; did you mean --positions ' \
    "$PLYMILL" quantize --postions x
check 'a letter is near to nothing' fails 2 'unknown option -o; usage: plymill convert .options. IN... OUT$' \
    "$PLYMILL" convert a.bin -o b.plain
check 'an option by how it begins' fails 2 'unknown option --fail; did you mean --fail-if ' \
    "$PLYMILL" score --fail 'mae > 1'
check 'help suggests a command' fails 2 'no command "trian"; did you mean plymill help train ' "$PLYMILL" help trian
check 'and recipe' fails 2 'no command "recpie"; did you mean plymill help recipe ' "$PLYMILL" help recpie
check 'a key by its last word' fails 2 'unknown option --epochs; did you mean --train.epochs ' \
    "$PLYMILL" train --epochs 3
check 'an unknown command' fails 2 'no command "buidl"' "$PLYMILL" buidl
check 'an unknown option' fails 2 'unknown option --frob .*help build' "$PLYMILL" build --frob x
check 'a missing argument' fails 2 'missing argument; usage: plymill status DIR' "$PLYMILL" status
check 'one argument too many' fails 2 'one argument too many: "b"' "$PLYMILL" status a b
check 'an option without its value' fails 2 '--nodes needs a value' "$PLYMILL" label x --nodes
check 'a value out of range' fails 2 'label.nodes: expected a number from 1' \
    "$PLYMILL" label x --nodes 0
check 'a value that is no number' fails 2 'label.nodes: expected a whole number, not "many"' \
    "$PLYMILL" label x --nodes many
version_says() {
    "$PLYMILL" --version | grep -q "$1"
}
check 'version names the compiler' version_says '^compiler: '
check 'version names the libraries' version_says '^libraries: zstd '
version_names() { # ENGINE PATTERN
    PLYMILL_ENGINE=$1 "$PLYMILL" --version | grep -E "^engine: $2\$"
}
check 'version names the engine' version_names "$FAKE_ENGINE" "$FAKE_ENGINE"
check 'and says why there is none' version_names /no/such '[^/]*/no/such: no such file.*'
finish
