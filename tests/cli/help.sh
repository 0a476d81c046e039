#!/bin/sh
# Help, man pages and the command table agree; usage errors are said in one line.
. tests/cli/lib.sh

commands=$("$PLYMILL" help | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')

# The options that help names, and those that the man page names.
help_options() {
    "$PLYMILL" help "$1" | sed -n 's/^  \(--*[a-z][a-z_.-]*\).*/\1/p' | sort
}
man_options() {
    sed -n 's/^\.It Fl \([^ ]*\).*/-\1/p' "docs/man/plymill-$1.1" | sed 's/\\-/-/g' | sort
}
same_options() {
    help_options "$1" >"$tmp/help"
    man_options "$1" >"$tmp/man"
    [ -s "$tmp/help" ] || { echo "help names no option"; return 1; }
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

check 'help lists commands' test "$(echo "$commands" | wc -w)" -ge 12
for command in $commands; do
    check "help and man page of $command name the same options" same_options "$command"
    check "$command --help is help $command" help_is_the_same "$command"
done
check 'help recipe and its man page name the same keys' recipe_keys_agree
check 'the man pages are those of the command table' man_is_current
check 'README lists every command' every_command_in_readme
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
finish
