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
check 'help suggests a command' fails 2 'no command or key "trian"; did you mean plymill help train ' "$PLYMILL" help trian
check 'and recipe' fails 2 'no command or key "recpie"; did you mean plymill help recipe ' "$PLYMILL" help recpie
check 'and a key' fails 2 'no command or key "label.noeds"; did you mean plymill help label.nodes ' \
    "$PLYMILL" help label.noeds
check 'by its last word' fails 2 'did you mean plymill help train.epochs ' "$PLYMILL" help epoch
check 'and a section' fails 2 'did you mean plymill help filter ' "$PLYMILL" help fliter
check 'of a recipe no command' fails 2 'no section or key "evals" .see: plymill help recipe.$' "$PLYMILL" help recipe evals
check 'but its section' fails 2 'did you mean plymill help recipe label .see: plymill help recipe.$' \
    "$PLYMILL" help recipe lable
check 'help of nothing alike' fails 2 'no command or key "bananas" .see: plymill help.$' "$PLYMILL" help bananas
check 'help of two commands' fails 2 'one argument too many: "train"; usage: plymill help' "$PLYMILL" help build train

# help KEY: what, default, type and range, option; as a new user would read the recipe's own errors.
says_all() { # TOPIC WANT...
    topic=$1
    shift
    for want in "$@"; do
        says "$want" help $topic || return 1
    done
}
check 'help of a key' says_all label.nodes 'label.nodes N nodes to search for a label; default: 10000 ' \
    'type a whole number from 1 to 1000000000000 ' 'option --label.nodes N, short: --nodes'
check 'of one with choices' says_all 'recipe label.reset' 'one of ucinewgame, clear-hash, restart; default: ucinewgame ' \
    'type a "text" option --label.reset WORD'
check 'of one without a default' says_all label.train_nodes 'default not set option --label.train_nodes N'
check 'of one that the preset sets' says_all train.epochs '[best: 100; tinynnue: 40]' 'default by train.preset '
check 'of a list' says_all filter.pieces 'default: 2, 32 type an array of whole numbers from 2 to 32 '
short_is_long() {
    "$PLYMILL" help nodes >"$tmp/a" && "$PLYMILL" help label.nodes >"$tmp/b" && same "$tmp/a" "$tmp/b"
}
check 'by its short form' short_is_long
# Its range is what the recipe takes: the ends are values, what is beyond them is not.
takes() {
    "$PLYMILL" config "--$1=$2" >/dev/null 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
}
ranges_are_true() {
    "$PLYMILL" help recipe | sed -n 's/^  \([a-z]*\.[a-z_]*\) .*/\1/p' >"$tmp/keys"
    tried=0
    while read -r key; do
        range=$("$PLYMILL" help "$key" | sed -n 's/^  type  *\(a whole number\|a number\) from \([^ ]*\) to \([0-9.]*\)$/\2 \3/p')
        [ -n "$range" ] || continue
        tried=$((tried + 1))
        takes "$key" "${range% *}" && takes "$key" "${range#* }" || return 1
        ! takes "$key" "${range#* }1" >/dev/null || { echo "$key takes more than ${range#* }"; return 1; }
    done <"$tmp/keys"
    [ $tried -gt 40 ] || { echo "$tried ranges"; return 1; }
}
check 'the ranges that help names are those that a recipe takes' ranges_are_true
section_keys() { # TOPIC SECTION
    "$PLYMILL" help $1 | sed -n 's/^  \([a-z]*\.[a-z_]*\) .*/\1/p' >"$tmp/got"
    "$PLYMILL" help recipe | sed -n "s/^  \\($2\.[a-z_]*\\) .*/\\1/p" >"$tmp/want"
    [ -s "$tmp/want" ] && same "$tmp/want" "$tmp/got"
}
check 'help of a section' section_keys filter filter
check 'of one that is called as a command' section_keys 'recipe label' label
check 'its further options too' says '"Skill Level" = 3' help recipe label
check 'and they alone' says '[label.options] "Skill Level" = 3' help label.options
check 'a command goes before a section' says 'usage: plymill label' help label
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
