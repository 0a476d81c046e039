#!/bin/sh
# What [input] asks for: each filter alone, the counts of what it refused, and the lowest draws: the
# same games whatever the order of the archives.
. tests/cli/lib.sh

cat >"$tmp/recipe.toml" <<'T'
[sample]
per_game = "all"
min_ply = 0
[label]
nodes = 50
T
keep_all >>"$tmp/recipe.toml"
# game ID TAGS: a game of two moves; TAGS are "Name value" lines.
game() {
    printf '[Event "x"]\n[Site "https://lichess.org/%s"]\n' "$1"
    printf '%s\n' "$2" | sed 's/^\([A-Za-z]*\) \(.*\)/[\1 "\2"]/'
    printf '\n1. e4 e5 %s\n\n' "${3:-*}"
}
{
    game aaaaaaa1 'Result 1-0
WhiteElo 2000
BlackElo 2100
TimeControl 60+0
Termination Normal
UTCDate 2013.01.31' 1-0
    game aaaaaaa2 'Result 0-1
WhiteElo 1500
BlackElo 2100
TimeControl 300+3
Termination Time forfeit
WhiteTitle BOT
UTCDate 2013.02.01' 0-1
    game aaaaaaa3 'Result 1/2-1/2
WhiteElo 1500
BlackElo 1400
TimeControl -
Termination Abandoned
BlackTitle BOT
Date 2013.12.31' 1/2-1/2
    game aaaaaaa4 'Result *
WhiteElo ?
TimeControl 1800+30
Termination Unterminated
Date 2014.??.??'
    game aaaaaaa5 'WhiteElo 2400
BlackElo 2400
TimeControl 600+5
Termination Rules infraction
WhiteTitle GM' 1-0
} >"$tmp/tags.pgn"

build() {
    build_fresh --engine "$FAKE_ENGINE" "$@"
}
ids() {
    zstd -dcq "$tmp/b/dataset/train.csv.zst" | tail -n +2 | cut -d, -f1 | sort -u
}
# filtered GAMES REASON REFUSED OPTIONS...: which of the games 1 to 5 are left, how many were refused.
filtered() {
    want=$1 reason=$2 refused=$3
    shift 3
    build --input "$tmp/tags.pgn" "$@" || return 1
    got=$(ids | sed 's/aaaaaaa//' | tr -d '\n')
    [ "$got" = "$want" ] || { echo "games $got"; return 1; }
    [ "$(count "games: $reason")" = "$refused" ] || { cat "$tmp/funnel"; return 1; }
    [ "$(count 'games read')" -eq 5 ] && [ "$(wc -l <"$tmp/b/quarantine.tsv")" -eq 1 ]
}
check 'no filter' filtered 12345 rating ''
check 'min_elo' filtered 15 rating 3 --input.min_elo 2000
check 'max_elo' filtered 23 rating 2 --input.max_elo 2100 --input.min_elo 1400 \
    --input.time_control blitz,correspondence
check 'max_elo alone' filtered 3 rating 4 --input.max_elo 2000
check 'time_control' filtered 125 'time control' 2 --input.time_control bullet,blitz,rapid
check 'correspondence' filtered 3 'time control' 4 --input.time_control correspondence
check 'classical' filtered 4 'time control' 4 --input.time_control classical
check 'termination' filtered 12 termination 3 --input.termination normal,time-forfeit
check 'rules infraction' filtered 5 termination 4 --input.termination rules-infraction
check 'results' filtered 12 result 3 --input.results 1-0,0-1
check 'unknown results' filtered 4 result 4 --input.results '*'
check 'draws' filtered 3 result 4 --input.results 1/2-1/2
check 'exclude_bots' filtered 145 bot 2 --input.exclude_bots true
check 'one month' filtered 1 date 4 --input.dates 2013-01
check 'a range of days' filtered 23 date 3 --input.dates 2013-02..2013-12-31
check 'a year that a date need not be known to the day for' filtered 4 date 4 --input.dates 2014
check 'the first reason counts' filtered '' rating 3 --input.min_elo 2000 --input.dates 1999
check 'then the next' test "$(count 'games: date')" = 2
check 'known_bad is for lichess-eval alone' filtered 12345 'known bad' '' --input.known_bad drop
check 'fraction 0' filtered '' fraction 5 --input.fraction 0
check 'fraction 1' filtered 12345 fraction '' --input.fraction 1

# The cases of the Lichess dumps.
case_021() {
    build --input tests/data/cases/021-abandoned-unterminated/input.pgn --sample.min_ply 10 || return 1
    [ "$(count 'games used')" -eq 2 ] && [ "$(count 'games: no eligible position')" -eq 3 ] ||
        return 1
    build --input tests/data/cases/021-abandoned-unterminated/input.pgn --sample.min_ply 10 \
        --input.results '1-0,0-1,1/2-1/2' || return 1
    [ "$(count 'games used')" -eq 1 ] && [ "$(count 'games: result')" -eq 2 ]
}
check 'case 021: two games from ply 10 on, one with a result' case_021
case_023() {
    build --input tests/data/cases/023-variant-games/input.pgn || return 1
    [ "$(count 'games: variant')" -eq 3 ] && [ "$(ids | tr '\n' ' ')" = 'ad000024 ad000025 ' ]
}
check 'case 023: variants are refused by their tag' case_023
case_001() {
    build --input tests/data/cases/001-lichess-annotated/input.pgn || return 1
    [ "$(count samples)" -eq 15 ] && zstd -dcq "$tmp/b/dataset/train.csv.zst" |
        grep -q 'rnbq1rk1/1pp2ppp/p4n2/3p4/1b1P1B2/2NBP3/PP3PPP/R2QK1NR w KQ - 3 8'
}
check 'case 001: 14 plies, the final position' case_001

# 3,000 games in three archives: with ids and without, illegal, short, and some of them twice, once
# with fewer plies.
awk -v tmp="$tmp" 'BEGIN {
    split("e3 d3 c3 g3 b3 h3 e4 d4 c4 f4 g4 b4 h4", w)
    split("e6 d6 c6 g6 b6 h6 e5 d5 c5 f5 g5 b5 h5", b)
    for (i = 1; i <= 3000; i++) {
        file = tmp "/" (i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c") ".pgn"
        site = i % 5 == 0 ? "?" : sprintf("https://lichess.org/%08d", i % 17 == 0 ? i - 1 : i)
        first = w[i % 13 + 1] " " b[int(i / 13) % 13 + 1]
        second = i % 11 == 0 ? "" : i % 7 == 0 ? " 2. Ke2 Qd1" : " 2. " "Na3 Na6 3. Nb1 Nb8"
        third = " 4. " (int(i / 169) % 2 ? "Na3" : "Nf3") " " (int(i / 338) % 2 ? "Na6" : "Nf6")
        print "[Event \"x\"]\n[Site \"" site "\"]\n[Result \"*\"]\n\n1. " first second \
            (i % 19 == 0 || i % 11 == 0 ? "" : third) " *\n" >file
    }
}'
many_in() {
    files=$1
    shift
    build --input "$files" --sample.min_ply 4 --sample.per_game 1 --nodes 10 "$@"
}
order=$tmp/a.pgn,$tmp/b.pgn,$tmp/c.pgn
check 'a fraction of 3,000 games' many_in "$order" --input.fraction 0.03
ids >"$tmp/by_fraction"
games=$(wc -l <"$tmp/by_fraction")
bounded() {
    [ "$1" -gt 20 ] && [ "$1" -lt 150 ]
}
check 'is about that many' bounded "$games"
check 'has some of each kind' test "$(grep -c '^x' "$tmp/by_fraction")" -gt 3
check 'as many games by max_games' many_in "$order" --input.fraction 1 --input.max_games "$games"
same_games() {
    ids >"$tmp/by_max" && same "$tmp/by_fraction" "$tmp/by_max"
}
check 'are the same games' same_games
check 'none more, none less' test "$(count 'games used')" -eq "$games"
check 'every game is counted once' test "$(sed 's/,//g' "$tmp/funnel" |
    awk '/^  games used/ || /^  games:/ { sum += $NF } END { print sum }')" -eq 3000
cp "$tmp/funnel" "$tmp/funnel1"
build_id "$tmp/b" >"$tmp/id1"
sed 1d "$tmp/b/quarantine.tsv" | sort >"$tmp/quarantine1"
for turn in 'a c b' 'b a c' 'b c a' 'c a b' 'c b a'; do
    # shellcheck disable=SC2086
    set -- $turn
    turned() {
        many_in "$tmp/$1.pgn,$tmp/$2.pgn,$tmp/$3.pgn" --input.max_games "$games" --shards "$4" ||
            return 1
        [ "$(build_id "$tmp/b")" = "$(cat "$tmp/id1")" ] || { diff "$tmp/funnel1" "$tmp/funnel"; return 1; }
        sed 1d "$tmp/b/quarantine.tsv" | sort >"$tmp/quarantine"
        same "$tmp/quarantine1" "$tmp/quarantine"
    }
    check "archives in the order $turn: the same build" turned "$1" "$2" "$3" 5
done
fewer() {
    many_in "$order" --input.max_games 7 || return 1
    [ "$(count 'games used')" -eq 7 ] && [ "$(ids | comm -23 - "$tmp/by_fraction" | wc -l)" -eq 0 ]
}
check 'fewer games are among them' fewer
check 'more than there are' many_in "$order" --input.max_games 100000
all_of_them() {
    cp "$tmp/funnel" "$tmp/all" && many_in "$order" || return 1
    sed '/^build id/,$d' "$tmp/all" >"$tmp/x" && sed '/^build id/,$d' "$tmp/funnel" >"$tmp/y" &&
        same "$tmp/x" "$tmp/y"
}
check 'are all' all_of_them
other_seed() {
    many_in "$order" --input.max_games "$games" --input.seed 1 || return 1
    [ "$(count 'games used')" -eq "$games" ] && ids >"$tmp/other" &&
        [ "$(comm -12 "$tmp/by_fraction" "$tmp/other" | wc -l)" -lt $((games / 2)) ]
}
check 'another seed draws other games' other_seed

check 'a date that is none' fails 2 'input.dates: expected 2013, 2013-01' \
    "$PLYMILL" build "$tmp/recipe.toml" --input.dates 13 -o "$tmp/none"
check 'a speed that is none' fails 2 'input.time_control: expected one of ultrabullet' \
    "$PLYMILL" build "$tmp/recipe.toml" --input.time_control fast -o "$tmp/none"
finish
