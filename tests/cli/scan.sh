#!/bin/sh
# scan and perft as commands: the line they print, the oracle of FENs, the archives of real games.
. tests/cli/lib.sh

prints() {
    want=$1
    shift
    got=$("$@" 2>"$tmp/err") || { cat "$tmp/err"; return 1; }
    [ "$got" = "$want" ] || { echo "printed: $got"; return 1; }
}
check 'perft of the start position' prints 197281 "$PLYMILL" perft \
    'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1' 4
check 'perft of kiwipete' prints 97862 "$PLYMILL" perft \
    'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1' 3
check 'and by its word' prints 197281 "$PLYMILL" perft startpos 4
json_says_fen() {
    "$PLYMILL" perft startpos 1 --json | grep -qF '"fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"'
}
check 'its JSON says the FEN' json_says_fen
check 'a word like it' fails 1 'FEN "startposx": ' "$PLYMILL" perft startposx 1
divide() {
    "$PLYMILL" perft --divide 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1' 3 >"$tmp/out" || return 1
    [ "$(grep -cE '^[a-h][1-8][a-h][1-8]: [0-9]+$' "$tmp/out")" -eq 20 ] &&
        [ "$(tail -n 1 "$tmp/out")" = 8902 ] &&
        [ "$(awk '/: /{ sum += $2 } END { print sum }' "$tmp/out")" = 8902 ]
}
check 'perft --divide adds up' divide
check 'perft of a bad FEN' fails 1 'not a fen' "$PLYMILL" perft 'not a fen' 2

# The hash of the position after 1. e4, from the definition with another program's 64-bit arithmetic.
cat >"$tmp/one.pgn" <<'T'
[Event "x"]
[Result "*"]

1. e4 *
T
one_hash() {
    prints "games=1 plies=1 hash=de99d2b2016f1dce errors=0" "$PLYMILL" scan "$tmp/one.pgn"
}
check 'the hash is that of the definition' one_hash
printf '[Event "a"]\n\n1. e4 e5 2. Ke3 *\n\n[Event "b"]\n\n1. d4 *\n' >"$tmp/bad.pgn"
check 'a rejected game is counted and adds nothing' sh -c \
    '"$0" scan "$1" | tail -n 1 | grep -qE "^games=2 plies=1 hash=[0-9a-f]{16} errors=1$"' "$PLYMILL" "$tmp/bad.pgn"
rejects() {
    "$PLYMILL" scan --rejects "$tmp/rejects" "$tmp/bad.pgn" >/dev/null &&
        [ "$(wc -l <"$tmp/rejects")" -eq 1 ] && grep -q 'illegal move' "$tmp/rejects" &&
        grep -q 'Ke3' "$tmp/rejects"
}
check '--rejects says which and why' rejects
filtered() {
    printf '[Event "a"]\n[WhiteElo "2000"]\n[BlackElo "2000"]\n\n1. e4 e5 *\n\n' >"$tmp/elo.pgn"
    printf '[Event "b"]\n[WhiteElo "900"]\n[BlackElo "2000"]\n\n1. d4 { [Event "c"]\n } d5 2. Nf3 *\n\n' >>"$tmp/elo.pgn"
    printf '[Event "d"]\n[WhiteElo "1900"]\n[BlackElo "2000"]\n\n1. c4 *\n' >>"$tmp/elo.pgn"
    for threads in 1 2 4; do
        "$PLYMILL" scan --threads $threads --input.min_elo 1500 "$tmp/elo.pgn" >"$tmp/out" || return 1
        grep -qE '^games=3 plies=3 hash=[0-9a-f]{16} errors=0$' "$tmp/out" || { cat "$tmp/out"; return 1; }
    done
    # The start position of both games, and one for each of their three half-moves.
    [ "$("$PLYMILL" scan --fens --input.min_elo 1500 "$tmp/elo.pgn" 2>/dev/null | wc -l)" -eq 5 ]
}
check 'games that the tag filters refuse are counted and not read' filtered
check 'a draw of games is no matter of scan' fails 2 'max_games' "$PLYMILL" scan --input.max_games 3 "$tmp/elo.pgn"
from_stdin() {
    "$PLYMILL" scan - <"$tmp/bad.pgn" >"$tmp/a" && "$PLYMILL" scan "$tmp/bad.pgn" >"$tmp/b" && same "$tmp/a" "$tmp/b"
}
check 'scan of standard input' from_stdin

# Exit code, line and messages are the same for any number of threads.
threads() {
    for file in "$@"; do
        for n in 1 2 4; do
            { "$PLYMILL" scan --threads "$n" "$file" && echo done; } >"$tmp/threads.$n" 2>&1
        done
        same "$tmp/threads.1" "$tmp/threads.2" && same "$tmp/threads.1" "$tmp/threads.4" || return 1
    done
}
# A game larger than what a thread reads at a time stands among others.
awk 'BEGIN {
    for (i = 1; i <= 20000; i++) {
        printf "[Event \"%d\"]\n[Result \"1-0\"]\n\n1. e4 ", i
        if (i % 9000 == 0) {
            printf "{ "
            for (j = 0; j < 90000; j++)
                printf "a remark %d\n", j
            printf "} "
        }
        printf "e5 2. Nf3 Nc6 3. Bb5 %s 1-0\n\n", i % 1000 ? "a6" : "a8"
    }
}' >"$tmp/long.pgn"
long_games() {
    threads "$tmp/long.pgn" && grep -q '^games=20000 plies=119880 .* errors=20$' "$tmp/threads.4"
}
check 'threads change nothing around long games' long_games
check 'threads change nothing' threads tests/data/cases/*/input*.pgn* configs/demo.pgn.zst "$tmp/bad.pgn"
check 'no threads' fails 2 threads "$PLYMILL" scan --threads 0 "$tmp/bad.pgn"

data=../shared/data
if [ ! -d "$data" ]; then
    skip 'archives of real games' "no $data"
    finish
fi
clean() {
    "$PLYMILL" scan "$1" >"$tmp/out" || return 1
    cat "$tmp/out"
    tail -n 1 "$tmp/out" | grep -qE "^games=$2 .* errors=0$"
}
check 'lichess-small: 2,010 games without an error' clean "$data/lichess-small.pgn.zst" 2010
cp "$tmp/out" "$tmp/small"
check 'lichess-small.pzstd' clean "$data/lichess-small.pzstd.pgn.zst" 2010
check 'gives the same boards' same "$tmp/small" "$tmp/out"
check 'threads change nothing in real archives' threads "$data"/*.zst "$data"/odd/*/*
check 'lichess-large: 5,837 games without an error' clean "$data/lichess-large.pgn.zst" 5837
twic() {
    "$PLYMILL" scan "$data/twic-bulk.pgn.zst" >"$tmp/out" && tail -n 1 "$tmp/out" |
        grep -qE '^games=27818 plies=[0-9]+ hash=[0-9a-f]{16} errors=[0-9]$'
}
check 'twic-bulk: 27,818 games read to the end' twic
oracle() {
    "$PLYMILL" scan --fens "$data/lichess-small.pgn.zst" 2>/dev/null >"$tmp/fens" || return 1
    zstd -dcq "$data/oracle/lichess-small.fen.zst" >"$tmp/oracle"
    cut -f1 "$tmp/oracle" | sort -un >"$tmp/games"
    [ "$(wc -l <"$tmp/games")" -eq 300 ] || return 1
    awk -F '\t' 'NR == FNR { want[$1]; next } $1 in want' "$tmp/games" "$tmp/fens" >"$tmp/listed"
    same "$tmp/oracle" "$tmp/listed"
}
check 'scan --fens equals the oracle on its 300 games' oracle
finish
