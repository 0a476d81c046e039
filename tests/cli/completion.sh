#!/bin/sh
# Completion for bash: it is that of the tables, and offers what it should.
. tests/cli/lib.sh

file=docs/completion/plymill
current() {
    "${OUT:-build/release}/tests/completion" >"$tmp/file" && same "$tmp/file" "$file"
}
check 'the completion is that of the command table' current

# offers WORD... : what is offered for the last word, one a line, into $tmp/offers.
offers() {
    bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _plymill; printf "%s\n" "${COMPREPLY[@]}"' \
        "$file" "$@" >"$tmp/offers"
}
# gives WANT WORD...: exactly that, in one line.
gives() {
    want=$1
    shift
    offers "$@"
    got=$(tr '\n' ' ' <"$tmp/offers" | sed 's/ *$//')
    [ "$got" = "$want" ] || { echo "offered: $got"; return 1; }
}
if ! command -v bash >/dev/null; then
    skip 'what it offers' 'no bash'
    finish
fi
quiet_source() {
    [ -z "$(bash -uc ". $file" 2>&1)" ]
}
check 'it is read without a word' quiet_source
all_commands() {
    offers plymill '' && "$PLYMILL" help | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' >"$tmp/want" &&
        grep -v '^--' "$tmp/offers" >"$tmp/got" && same "$tmp/want" "$tmp/got"
}
check 'all commands' all_commands
check 'a command' gives 'convert' plymill conv
check 'an option of a command' gives '--bare' plymill config --ba
all_options() {
    for command in build train label scan score; do
        offers plymill "$command" - && sort "$tmp/offers" >"$tmp/got"
        "$PLYMILL" help "$command" | sed -n 's/^  \(--*[a-z][a-z0-9_.-]*\).*/\1/p' | sort >"$tmp/want"
        missing=$(comm -23 "$tmp/want" "$tmp/got")
        [ -z "$missing" ] || { echo "$command lacks $missing"; return 1; }
    done
}
check 'every option of help' all_options
check 'a recipe key' gives '--filter.wdl_consistency' plymill select tiny --filter.w
check 'choices of a key' gives 'ucinewgame clear-hash restart' plymill label tiny --label.reset ''
check 'part of one' gives 'clear-hash' plymill label tiny --label.reset c
check 'behind =' gives 'final' plymill select tiny --label.score = f
check 'an empty word behind =' gives 'final last-exact' plymill select tiny --label.score =
check 'a list' gives 'plain,csv' plymill export tiny --export.formats plain,c
check 'true or false' gives 'true' plymill export tiny --export.compress t
check 'topics of help' gives 'report recipe' plymill help re
check 'a section and its keys' gives 'split split.seed split.shares split.duplicates split.leaks split.leak_key' \
    plymill help spl
check 'a key of a section that is a command' gives 'label.hash label.halfmove_clock' plymill help recipe 'label.ha'
check 'names of files are left to bash' gives '' plymill status t
finish
