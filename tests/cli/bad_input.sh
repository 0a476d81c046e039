#!/bin/sh
# Bad input: one line that says what and where, the right exit code, nothing half-written.
. tests/cli/lib.sh

recipe=$tmp/recipe.toml
printf '[label]\nnodes = 100\n' >"$recipe"
zstd -dcq configs/demo.pgn.zst | head -c 60000 >"$tmp/long.pgn"
# Whole games only: up to the last line that starts a game.
last=$(grep -n '^\[Event ' "$tmp/long.pgn" | tail -n 1 | cut -d: -f1)
head -n $((last - 1)) "$tmp/long.pgn" >"$tmp/games.pgn"
# Two frames of which the second is cut in the middle.
zstd -qc "$tmp/games.pgn" >"$tmp/frame.zst"
size=$(wc -c <"$tmp/frame.zst")
{ cat "$tmp/frame.zst" && head -c $((size / 2)) "$tmp/frame.zst"; } >"$tmp/cut.pgn.zst"
: >"$tmp/empty.pgn"
printf 'Dear reader,\nthis is a letter (and no game of chess).\nYours\n' >"$tmp/letter.txt"

# bad NAME CODE PATTERN INPUT: a build of that input fails so, and leaves nothing under a final name.
build_fails() {
    code=$1 pattern=$2 input=$3
    rm -rf "$tmp/b"
    fails "$code" "$pattern" "$PLYMILL" build "$recipe" --input "$input" --engine "$FAKE_ENGINE" \
        -o "$tmp/b" --quiet || return 1
    left=$(find "$tmp/b" -name '*.rec' -o -name '*.samples.db' -o -name 'manifest.json' \
        -o -name '*.tmp-*' -o -path '*/dataset/*')
    [ -z "$left" ] || { echo "left behind: $left"; return 1; }
}
# Not quiet: no count of what is not there goes before the one line.
nothing_first() {
    for text in empty.pgn letter.txt; do
        rm -rf "$tmp/b"
        fails 1 "^plymill: $tmp/$text: no PGN game found" "$PLYMILL" build "$recipe" --input "$tmp/$text" \
            --engine "$FAKE_ENGINE" -o "$tmp/b" || return 1
    done
}
check 'a file without games, and nothing said before' nothing_first
check 'a missing file' build_fails 1 "$tmp/none.pgn: No such file" "$tmp/none.pgn"
mkdir "$tmp/folder"
check 'a directory' build_fails 1 "$tmp/folder: holds no .pgn, .pgn.zst or .pgn.gz file" "$tmp/folder"
check 'an empty file' build_fails 1 "$tmp/empty.pgn: no PGN game found: it is empty" "$tmp/empty.pgn"
# Texts in which nothing, a number, or a line in brackets looks like the begin of a game.
cp README.md "$tmp/readme.txt"
printf '[remote "origin"]\n\turl = elsewhere\n[branch "main"]\n\tremote = origin\n' >"$tmp/config.txt"
printf '1. e4 pawns cost 2 each\n' >"$tmp/prices.txt"
no_game='no PGN game found: it holds something else; give an archive'
no_games() {
    for text in letter readme config prices; do
        for elo in 1 1500; do
            for command in build sample; do
                rm -rf "$tmp/b"
                PLYMILL_ENGINE=$FAKE_ENGINE fails 1 "^plymill: $tmp/$text.txt: $no_game" "$PLYMILL" $command \
                    "$recipe" --input "$tmp/$text.txt" -o "$tmp/b" --quiet --input.min_elo $elo || return 1
            done
            fails 1 "^plymill: $tmp/$text.txt: $no_game" "$PLYMILL" scan "$tmp/$text.txt" --input.min_elo $elo ||
                return 1
        done
    done
}
check 'texts that are no PGN, whatever is asked of games' no_games
check 'one of them among archives' build_fails 1 "$tmp/readme.txt: no PGN game found" \
    "$tmp/games.pgn,$tmp/readme.txt"
check 'a truncated archive' build_fails 1 "$tmp/cut.pgn.zst: .*truncated at byte [0-9]+" \
    "$tmp/cut.pgn.zst"

scan_truncated() {
    "$PLYMILL" scan "$tmp/cut.pgn.zst" >"$tmp/out" 2>"$tmp/err" && return 1
    grep -qE '^games=[1-9][0-9]* plies=[0-9]+ hash=[0-9a-f]{16} errors=0$' "$tmp/out" || return 1
    grep -q 'truncated at byte' "$tmp/err"
}
check 'scan gives the complete games of a truncated archive' scan_truncated
check 'scan of a missing file' fails 1 "$tmp/none.pgn" "$PLYMILL" scan "$tmp/none.pgn"
check 'scan of a directory' fails 1 "$tmp: .*directory" "$PLYMILL" scan "$tmp"
scan_letter() {
    "$PLYMILL" scan "$tmp/letter.txt" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 1 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q "$tmp/letter.txt" "$tmp/err"
}
check 'scan of a text that is no PGN' scan_letter

# recipe_fails PATTERN TEXT
recipe_fails() {
    printf '%b' "$2" >"$tmp/bad.toml"
    fails 2 "$1" "$PLYMILL" build "$tmp/bad.toml" --input "$tmp/games.pgn" -o "$tmp/r" || return 1
    [ ! -e "$tmp/r" ] || { echo "the build directory was made"; return 1; }
}
check 'an unknown key' recipe_fails 'bad.toml: line 2: unknown key label.noodles; did you mean label.nodes\?' \
    '[label]\nnoodles = 3\n'
check 'an unknown section' recipe_fails 'bad.toml: line 1: unknown section \[labels\]; did you mean \[label\]\?' \
    '[labels]\nnodes = 3\n'
check 'a word that is none of the choices' recipe_fails \
    'bad.toml: line 2: filter.mate: expected one of drop.keep, not "kep"; did you mean "keep"\?' \
    '[filter]\nmate = "kep"\n'
check 'a key twice' recipe_fails 'bad.toml: line 3: label.nodes is already set on line 2' \
    '[label]\nnodes = 3\nnodes = 4\n'
check 'a value out of range' recipe_fails 'bad.toml: line 2: label.nodes: expected a number from 1' \
    '[label]\nnodes = 0\n'
check 'a wrong type' recipe_fails 'bad.toml: line 2: label.nodes: expected a whole number' \
    '[label]\nnodes = "3"\n'
check 'a word that is not allowed' recipe_fails 'line 2: label.score: expected one of final' \
    '[label]\nscore = "first"\n'
check 'shares that do not add up' recipe_fails 'line 2: split.shares: expected three numbers' \
    '[split]\nshares = [90, 5, 6]\n'
check 'an open string' recipe_fails 'line 2: expected a closing quote' '[label]\nengine = "x\n'
check 'a line that is none' recipe_fails 'line 1: expected' 'hello world\n'

engine_fails() {
    rm -rf "$tmp/b"
    fails 1 "$1" "$PLYMILL" build "$recipe" --input "$tmp/games.pgn" --engine "$2" -o "$tmp/b" \
        --quiet --label.start_deadline_ms 3000
}
check 'an engine that is not there' engine_fails '/no/such/engine: no such file .docs/ENGINES.md' /no/such/engine
check 'an engine that is not in the PATH' engine_fails \
    'no-such-engine: not found in PATH: apt-get install stockfish, or .*docs/ENGINES.md' no-such-engine
check 'an engine that is not one' engine_fails '/bin/true' /bin/true
check 'an engine that says nothing' engine_fails '/bin/cat' /bin/cat
printf 'text' >"$tmp/noexec"
check 'an engine that cannot be executed' engine_fails "$tmp/noexec" "$tmp/noexec"
wrong_variable() {
    rm -rf "$tmp/b"
    PLYMILL_ENGINE=/no/engine fails 1 '/no/engine' "$PLYMILL" build "$recipe" \
        --input "$tmp/games.pgn" -o "$tmp/b" --quiet
}
check 'PLYMILL_ENGINE names one that is not there' wrong_variable
if command -v stockfish >/dev/null || [ -x /usr/games/stockfish ]; then
    skip 'no engine on the machine' 'there is one'
else
    check 'no engine on the machine' fails 1 'no engine found .*apt-get install stockfish' \
        env -u PLYMILL_ENGINE "$PLYMILL" build "$recipe" --input "$tmp/games.pgn" -o "$tmp/b" --quiet
fi

printf 'a file\n' >"$tmp/file"
check 'an output directory that is a file' fails 1 "$tmp/file: is a file, not a directory" \
    "$PLYMILL" build "$recipe" --input "$tmp/games.pgn" --engine "$FAKE_ENGINE" -o "$tmp/file"
mkdir "$tmp/foreign" && touch "$tmp/foreign/thesis.tex"
check 'an output directory of somebody else' fails 1 'is not empty and no build directory' \
    "$PLYMILL" build "$recipe" --input "$tmp/games.pgn" --engine "$FAKE_ENGINE" -o "$tmp/foreign"
check 'an output directory that cannot be made' fails 1 '/proc/plymill' \
    "$PLYMILL" build "$recipe" --input "$tmp/games.pgn" --engine "$FAKE_ENGINE" -o /proc/plymill
not_writable=$tmp/ro
mkdir "$not_writable" && chmod 555 "$not_writable"
# Root may write anywhere but where the file system itself says no.
[ "$(id -u)" != 0 ] || not_writable=/sys
if mkdir "$not_writable/plymill-$$" 2>/dev/null; then
    rmdir "$not_writable/plymill-$$"
    skip 'an output directory that is not writable' 'root may write everywhere here'
else
    check 'an output directory that is not writable' fails 1 "$not_writable" "$PLYMILL" build \
        "$recipe" --input "$tmp/games.pgn" --engine "$FAKE_ENGINE" -o "$not_writable/b"
fi
no_recipe() {
    for command in build sample; do
        fails 2 "no-recipe.toml: no such recipe; $1" "$PLYMILL" $command "$tmp/no-recipe.toml" -o "$tmp/none" &&
            fails 2 "no-recipe.toml: no such recipe; $1" "$PLYMILL" $command "$tmp/no-recipe.toml" || return 1
    done
    fails 2 "no-recipe.toml: no such recipe; $1" "$PLYMILL" config "$tmp/no-recipe.toml"
}
check 'a recipe that is not there' no_recipe 'there are some in configs, and plymill init .* writes one'
# Installed: the program in bin, recipes in share/plymill.
mkdir -p "$tmp/at/bin" "$tmp/at/share/plymill" "$tmp/elsewhere"
cp "$PLYMILL" "$tmp/at/bin/plymill"
cp configs/*.toml "$tmp/at/share/plymill"
installed() {
    (cd "$tmp/elsewhere" && fails 2 "$1" "$tmp/at/bin/plymill" config "$2")
}
check 'the same where plymill is installed' installed "there are some in $tmp/at/share/plymill, and" none.toml
check 'one that is there under another folder' installed \
    "configs/demo.toml: no such recipe; $tmp/at/share/plymill/demo.toml is one" configs/demo.toml
check 'a build that is not there' fails 1 'no such build directory' "$PLYMILL" status "$tmp/nowhere"
for command in status label select export report; do
    check "$command of a folder that is no build" fails 1 'no build directory; name a build directory$' \
        "$PLYMILL" $command "$tmp/foreign"
done
check 'verify of a folder that is no build' fails 1 'foreign: is no build directory$' "$PLYMILL" verify "$tmp/foreign"
check 'a dataset that is not there, whatever its name' fails 1 'none: No such file' "$PLYMILL" inspect "$tmp/none"
finish
