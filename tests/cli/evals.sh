#!/bin/sh
# Labels out of the games, without any engine: [%eval] of Lichess and comments of engine matches.
. tests/cli/lib.sh

# No engine may be found, let alone started.
PATH=$(echo "$PATH" | sed 's|/usr/games:*||g')
PLYMILL_ENGINE=/nonexistent/engine
export PATH PLYMILL_ENGINE
small=../shared/data/lichess-small.pgn.zst

cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 3
[sample]
per_game = "all"
min_ply = 0
in_check = true
[label]
source = "lichess-eval"
T
keep_all >>"$tmp/recipe.toml"
# game ID DATE MOVES
game() {
    printf '[Event "x"]\n[Site "https://lichess.org/%s"]\n[UTCDate "%s"]\n[Result "1-0"]\n%s\n\n' \
        "$1" "$2" "$3"
}
# The columns game, ply, side, played, best, kind, score, bound, depth, limit, result, source, white_cp.
rows() {
    zstd -dcq "$tmp/b/dataset/train.csv.zst" | tail -n +2 | sort -t, -k1,1 -k2,2n |
        cut -d, -f1,2,4-9,13,15,17,20,21
}
rows_are() {
    rows >"$tmp/rows"
    cat >"$tmp/want"
    same "$tmp/want" "$tmp/rows"
}

{
    game aaaaaaa1 2019.01.01 '
1. e4 { [%eval 0.31] [%clk 0:03:00] } 1... e5 { [%eval -0.25] } 2. Qh5 { [%clk 0:02:00] }
2... Ke7?? { (-0.25 → Mate in 1) } { [%eval #1] } { Blunder. } (2... Nc6 { [%eval 0.1] })
3. Qxe5# 1-0'
    game aaaaaaa2 2019.01.02 '[FEN "7k/8/5K2/8/8/8/8/6R1 b - - 0 1"]

1... Kh7 { [%eval #3] } 2. Rg2 { [%eval #-4] } 1-0'
    game aaaaaaa3 2019.01.03 '
1. e4 e5 1-0'
} >"$tmp/lichess.pgn"
check 'a build of [%eval]' build_fresh --input "$tmp/lichess.pgn"
labels() {
    rows_are <<'T'
aaaaaaa1,1,b,e7e5,,cp,-31,exact,0,none,1-0,lichess-eval,31
aaaaaaa1,2,w,d1h5,,cp,-25,exact,0,none,1-0,lichess-eval,-25
aaaaaaa1,4,w,h5e5,,mate,1,exact,0,none,1-0,lichess-eval,
aaaaaaa2,1,w,g1g2,,mate,3,exact,0,none,1-0,lichess-eval,
aaaaaaa2,2,b,,,mate,4,exact,0,none,1-0,lichess-eval,
T
}
check 'White is told from Black, before from after' labels
check 'positions without one are counted' counts samples 5 'positions: no eval' 6 \
    'positions: no legal move at the end' 1 'games: no eligible position' 1
no_engine() {
    grep -q '"label_source": "lichess-eval"' "$tmp/b/manifest.json" &&
        grep -q '"engine": null' "$tmp/b/manifest.json"
}
check 'the manifest says where they come from' no_engine
check 'the played move stands in for the best' build_fresh --input "$tmp/lichess.pgn" \
    --filter.capture drop --filter.mate keep
check 'in the filters' counts 'best move captures' 1 kept 4
plain_needs_a_unit() {
    fails 2 'those of evals out of games are not known: give export.score_scale' "$PLYMILL" build \
        "$tmp/recipe.toml" --input "$tmp/lichess.pgn" --export.formats plain --quiet -o "$tmp/none"
}
check 'plain needs to know the unit' plain_needs_a_unit
check 'and then takes the move played' build_fresh --input "$tmp/lichess.pgn" --export.formats plain \
    --export.score_unit cp --filter.mate drop
plain_lines() {
    zstd -dcq "$tmp/b/dataset/train.plain.zst" | grep -E '^(move|score)' | tr '\n' ' ' >"$tmp/got"
    grep -qE 'move e7e5 score -31 ' "$tmp/got" && grep -qE 'move d1h5 score -25 ' "$tmp/got"
}
check 'of both positions' plain_lines
resumed() {
    build_fresh --input "$tmp/lichess.pgn" && cp "$tmp/b/records/train.rec" "$tmp/train.rec" &&
        rm -r "$tmp/b/shards/0001.labels.db" "$tmp/b/records" &&
        "$PLYMILL" build "$tmp/b" --quiet >/dev/null && same "$tmp/train.rec" "$tmp/b/records/train.rec"
}
check 'labels that are lost are made again' resumed
mixed() {
    fails 1 'label.source' "$PLYMILL" build "$tmp/b" --quiet --label.source pgn-comment
}
check 'one build never mixes sources' mixed

# What Lichess documents as damaged.
evals=$(awk 'BEGIN { split("Nf3 Nf6 Ng1 Ng8", m)
    for (i = 0; i < 20; i++) printf "%s { [%%eval 0.%02d] } ", m[i % 4 + 1], i + 1 }')
{
    game bbbbbbb1 2016.12.31 "
$evals 1-0"
    game bbbbbbb2 2020.07.01 "
$evals 1-0"
    game bbbbbbb3 2021.02.09 "
$evals 1-0"
    game bbbbbbb4 2021.03.12 "
$evals 1-0"
    game bbbbbbb5 2021.01.31 '[Variant "From Position"]
[FEN "7k/8/5K2/8/8/8/8/6R1 b - - 0 1"]

1... Kh7 { [%eval #3] } 1-0'
} >"$tmp/bad.pgn"
check 'known bad days' build_fresh --input "$tmp/bad.pgn"
check 'are left out' counts 'games: known bad' 3 'positions: known bad eval' 15 samples $((5 + 20))
unknown_result() {
    [ "$(rows | grep -c '^bbbbbbb4.*,\*,lichess-eval')" -eq 20 ] &&
        [ "$(rows | grep -c '^bbbbbbb2,1[6-9].*,1-0,\|^bbbbbbb2,20.*,1-0,')" -eq 5 ]
}
check 'and a result of that day is unknown' unknown_result
check 'known_bad = "keep"' build_fresh --input "$tmp/bad.pgn" --input.known_bad keep
check 'takes all' counts 'games: known bad' '' 'positions: known bad eval' 0 samples 81

# Engine matches: the mover's view, the position before the move, half-moves to mate.
cat >"$tmp/match.pgn" <<'T'
[Event "x"]
[White "A"]
[Black "B"]
[Result "1-0"]

1. e4 {book} e5 {-0.25/12 1.2s} 2. Qh5 {+0.40/9 0.1s} Ke7 {-M2/20 0.1s}
3. Qxe5# {+M1/30 0.1s, White mates} 1-0
T
check 'a build of match comments' build_fresh --input "$tmp/match.pgn" --label.source pgn-comment
match_labels() {
    rows | sed 's/^[^,]*,//' >"$tmp/rows"
    cat >"$tmp/want" <<'T'
1,b,e7e5,e7e5,cp,-25,exact,12,none,1-0,pgn-comment,25
2,w,d1h5,d1h5,cp,40,exact,9,none,1-0,pgn-comment,40
3,b,e8e7,e8e7,mate,-1,exact,20,none,1-0,pgn-comment,
4,w,h5e5,h5e5,mate,1,exact,30,none,1-0,pgn-comment,
T
    same "$tmp/want" "$tmp/rows"
}
check 'they are of the position before' match_labels
check 'the move played is the best move' build_fresh --input "$tmp/match.pgn" --label.source pgn-comment \
    --filter.mate drop --filter.capture drop
check 'mates come first' counts mate 2 'best move captures' '' kept 2

# Real games: evals counted by a reader that knows nothing but tokens. A move that gives check says so;
# stalemates do not show, so the last position of a game is left out on both sides.
count_evals() {
    zstd -dcq "$small" | awk '
        function finish(   token, ply, check, mine) {
            ply = 0; check = 0; mine = 0; split("", seen)
            while (match(text, /\{[^}]*\}|[^ {}]+/)) {
                token = substr(text, RSTART, RLENGTH)
                text = substr(text, RSTART + RLENGTH)
                if (token ~ /^\{/) {
                    if (token ~ /\[%eval / && !(ply in seen)) {
                        seen[ply] = 1
                        mine += ply >= 10 && !check
                    }
                } else if (token ~ /^[0-9]+\.*$|^\$|^1-0$|^0-1$|^1\/2-1\/2$|^\*$/) {
                } else {
                    sub(/^[0-9]+\.+/, "", token)
                    sub(/[?!]+$/, "", token)
                    if (token != "") { ply++; sum += mine; mine = 0; check = token ~ /[+#]$/ }
                }
            }
            text = ""; moves = 0
        }
        /^\[/ { if (moves) finish(); next }
        { text = text " " $0; moves = moves || NF > 0 }
        END { finish(); print sum }'
}
real_games() {
    build_fresh --input "$small" --sample.min_ply 10 --sample.in_check false || return 1
    want=$(count_evals)
    got=$(rows | awk -F, '$4 != ""' | wc -l)
    [ "$got" -gt 30000 ] && [ "$got" -eq "$want" ] || { echo "$got, not $want"; return 1; }
    counts kept "$(count samples)"
}
reported() {
    build_fresh --input "$tmp/lichess.pgn" || return 1
    "$PLYMILL" report "$tmp/b" >/dev/null || return 1
    grep -qF 'labeled by the [%eval] comments of the games' "$tmp/b/report.html" &&
        ! grep -q '<dt>Signature' "$tmp/b/report.html"
}
check 'the report says where the labels are from' reported
if [ -e "$small" ]; then
    check 'real games: as many records as evals' real_games
    check 'filters take some of them' build_fresh --input "$small" --sample.min_ply 10 \
        --sample.in_check false --filter.capture drop --filter.mate drop --filter.promotion drop
    adds_up() {
        [ "$(count kept)" -gt 10000 ] && [ $(($(count kept) + $(count mate) + \
            $(count 'best move captures') + $(count 'best move promotes'))) -eq "$want_all" ]
    }
    want_all=$(count samples)
    check 'and the rest is kept' adds_up
else
    skip 'real games: as many records as evals' "no $small"
fi
finish
