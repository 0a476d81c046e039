#!/bin/sh
# Datasets as inputs of a build: rescored by an engine or taken with their scores. What an archive of
# games gives, its datasets give, too.
. tests/cli/lib.sh

cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 3
[sample]
per_game = "all"
min_ply = 0
in_check = true
[label]
nodes = 50
[filter]
mate = "keep"
capture = "keep"
promotion = "keep"
[split]
duplicates = "none"
leaks = "keep"
T
demo_games 20 >"$tmp/games.pgn"
# build DIR ARGUMENTS...
build() {
    build_dir=$1
    shift
    rm -rf "${tmp:?}/$build_dir"
    "$PLYMILL" build "$tmp/recipe.toml" --quiet --engine "$FAKE_ENGINE" -o "$tmp/$build_dir" "$@" \
        >"$tmp/funnel"
}
same_records() {
    for split in train validation test; do
        same "$tmp/$1/records/$split.rec" "$tmp/$2/records/$split.rec" || return 1
    done
}
records_of() {
    for split in train validation test; do echo "$tmp/$1/records/$split.rec"; done | paste -sd,
}

check 'a build from games' build games --input "$tmp/games.pgn" --export.formats csv,jsonl
positions=$(count samples)

# The same positions out of datasets: equal records, so equal labels, splits, results, ratings, moves.
from_rec() {
    build again --input "$(records_of games)" && counts 'positions of datasets read' "$positions" &&
        same_records games again
}
check 'its records are rescored to the same records' from_rec
from_text() {
    "$PLYMILL" convert --quiet $(records_of games | tr , ' ') "$tmp/all.$1" || return 1
    build again --input "$tmp/all.$1" --shards "$2" && same_records games again
}
check 'and as csv, in five shards' from_text csv 5
check 'and as jsonl, in one' from_text jsonl 1
from_parts() {
    build again --input "$tmp/games/dataset/test.csv.zst,$tmp/games/dataset/train.jsonl.zst" \
        --input "$tmp/games/dataset/validation.csv.zst" && same_records games again
}
check 'in parts of any format and order' from_parts
mixed() {
    awk '/^\[Event /{n++} n>10{exit} {print}' "$tmp/games.pgn" >"$tmp/first.pgn"
    build first --input "$tmp/first.pgn" || return 1
    awk -v f="$tmp/second.pgn" '/^\[Event /{n++} n>10{print >f}' "$tmp/games.pgn"
    build again --input "$tmp/second.pgn,$(records_of first)" || return 1
    counts 'games read' 10 && same_records games again
}
check 'and half of it out of games' mixed
scores_are_new() {
    awk -F, -v OFS=, '$7 == "cp" { $8 = 77; $21 = $4 == "w" ? 77 : -77 } { print }' "$tmp/all.csv" \
        >"$tmp/wrong.csv"
    grep -q ',cp,77,' "$tmp/wrong.csv" && build again --input "$tmp/wrong.csv" &&
        same_records games again
}
check 'what it was scored before does not matter' scores_are_new

# Taken with their scores: no engine is there.
taken() {
    build taken --input "$(records_of games)" --label.source input --label.engine /nonexistent ||
        return 1
    "$PLYMILL" convert --quiet $(records_of taken | tr , ' ') "$tmp/taken.csv" &&
        sed 's/,engine,/,input,/' "$tmp/all.csv" >"$tmp/want.csv" && same "$tmp/want.csv" "$tmp/taken.csv"
}
check 'records with their whole labels' taken
says_input() {
    grep -q '"label_source": "input"' "$tmp/taken/manifest.json" &&
        grep -q '"engine": null' "$tmp/taken/manifest.json" &&
        grep -qi 'scores.*dataset' "$tmp/taken/README.md"
}
check 'manifest and card say where they are from' says_input
resumed() {
    rm -r "$tmp/taken/shards/0001.labels.db" "$tmp/taken/records"
    cp -r "$tmp/taken" "$tmp/lost"
    build taken --input "$(records_of games)" --label.source input --label.engine /nonexistent &&
        "$PLYMILL" build "$tmp/lost" --quiet >/dev/null && same_records taken lost
}
check 'labels that are lost are made again' resumed

# A trainer's format: integers in a unit that must be said, lone positions.
"$PLYMILL" convert --quiet $(records_of games | tr , ' ') "$tmp/all.plain" --to-scale 2 2>"$tmp/misfits"
plain=$(grep -c '^fen ' "$tmp/all.plain")
no_unit() {
    fails 2 'all.plain: plain files usually hold internal units.*input.score_scale' "$PLYMILL" \
        build "$tmp/recipe.toml" --quiet --label.source input --input "$tmp/all.plain" -o "$tmp/none"
}
check 'integers of an unknown unit are refused' no_unit
scaled() {
    build scaled --input "$tmp/all.plain" --label.source input --input.score_scale 2 \
        --export.formats plain --export.score_unit cp --export.compress false || return 1
    counts 'positions of datasets read' "$plain" samples "$plain" kept "$plain" || return 1
    for split in train validation test; do cat "$tmp/scaled/dataset/$split.plain"; done |
        paste -d' ' - - - - - - | sort >"$tmp/got"
    sed 's/^score \(.*\)$/\1/' "$tmp/all.plain" |
        awk '/^-?[0-9]+$/ { print "score " $1 / 2; next } { print }' | paste -d' ' - - - - - - |
        sort >"$tmp/want"
    same "$tmp/want" "$tmp/got"
}
check 'with it they come back as centipawns' scaled
ids() {
    "$PLYMILL" convert --quiet $(records_of scaled | tr , ' ') "$tmp/scaled.csv" || return 1
    ! tail -n +2 "$tmp/scaled.csv" | grep -vE '^p[0-9a-f]{16},' | head -n 3 | grep .
}
check 'each position is a game of its own' ids
# The id is the first 8 bytes of the SHA-256 of the first four fields of the FEN.
id_is_of_the_board() {
    tail -n +2 "$tmp/scaled.csv" | head -n 20 | cut -d, -f1,3 | while IFS=, read -r id fen; do
        want=p$(printf %s "$(echo "$fen" | cut -d' ' -f1-4)" | sha256sum | cut -c1-16)
        [ "$id" = "$want" ] || { echo "$id is not $want of $fen"; return 1; }
    done
}
check 'named after its board' id_is_of_the_board
equal_boards_share_a_split() {
    for file in train validation test; do
        "$PLYMILL" convert --quiet "$tmp/scaled/records/$file.rec" - --to csv | tail -n +2 |
            cut -d, -f1 | sort -u
    done | sort | uniq -d >"$tmp/twice"
    [ ! -s "$tmp/twice" ]
}
check 'and equal boards share a split' equal_boards_share_a_split
in_shards() {
    build shards --input "$tmp/all.plain" --label.source input --input.score_scale 2 --shards 7 \
        --build.memory 1 && same_records scaled shards
}
check 'other shards, other memory, same records' in_shards

# What applies of [sample] and [input].
plies() {
    want=$(awk '/^ply / && $2 >= 20 && $2 <= 40' "$tmp/all.plain" | wc -l)
    build plies --input "$tmp/all.plain" --sample.min_ply 20 --sample.max_ply 40 \
        --sample.per_game 1 && counts samples "$want" 'positions: ply out of the recipe.s range' $((plain - want))
}
check 'ply limits apply, per_game does not' plies
checks() {
    all=$plain
    build checks --input "$tmp/all.plain" --sample.in_check false || return 1
    in_check=$(count 'positions: side to move in check')
    want=$("$PLYMILL" inspect "$tmp/all.plain" --json | sed -n 's/^ "in_check": \([0-9]*\),$/\1/p')
    [ "$in_check" -gt 0 ] && [ "$in_check" = "$want" ] && counts samples $((all - in_check))
}
check 'positions in check are left out unless allowed' checks
drawn() {
    build drawn --input "$tmp/all.plain" --input.max_games 100 || return 1
    [ "$(count samples)" -ge 100 ] &&
        [ $(($(count samples) + $(count 'positions: max_games'))) -eq "$plain" ]
}
check 'max_games counts boards' drawn
twice() {
    build twice --input "$tmp/all.plain,$tmp/all.csv" --split.duplicates board \
        --split.shares 100,0,0 &&
        counts samples $((positions + plain)) && [ "$(count duplicate)" -ge "$plain" ]
}
check 'a position of two datasets is a duplicate' twice

# Lichess's lists.
cat >"$tmp/some.jsonl" <<'T'
{"fen":"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -","evals":[{"pvs":[{"cp":31,"line":"e7e5 g1f3"}],"knodes":1000,"depth":30}]}
{"fen":"8/8/8/8/8/8/8/k6K w - -","evals":[{"pvs":[{"cp":0,"line":"h1h2"}],"knodes":5,"depth":60}]}
{"fen":"7k/8/8/8/8/8/8/K6R w - -","evals":[{"pvs":[{"cp":0,"line":"a1a2"}],"knodes":5,"depth":60}]}
{"fen":"7k/8/5K2/8/8/8/8/6R1 w - -","evals":[{"pvs":[{"mate":2,"line":"f6f7 h8h7 g1h1"}],"knodes":5,"depth":60}]}
T
evaluations() {
    build evals --input "$tmp/some.jsonl" --label.source input --label.engine /nonexistent || return 1
    counts samples 3 'positions: impossible or with an illegal move' 1 || return 1
    "$PLYMILL" convert --quiet $(records_of evals | tr , ' ') - --to csv | tail -n +2 |
        cut -d, -f3-8,13,14,17,20,21 | sort >"$tmp/got"
    cat >"$tmp/want" <<'T'
7k/8/5K2/8/8/8/8/6R1 w - - 0 1,w,,f6f7,mate,2,60,5000,*,input,
8/8/8/8/8/8/8/k6K w - - 0 1,w,,h1h2,cp,0,60,5000,*,input,0
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1,b,,e7e5,cp,-31,30,1000000,*,input,31
T
    same "$tmp/want" "$tmp/got"
}
check 'evaluations of Lichess with their scores' evaluations
check 'or rescored' build evals --input "$tmp/some.jsonl"
cat >"$tmp/some.csv" <<'T'
PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags
CJi0b,6k1/p1p2ppp/1pqp2r1/3Q4/8/1P6/P1P2PPP/4RK2 b - - 8 22,c6d5 e1e8,400,116,81,1125,mate,https://lichess.org/zhWsNjI8/black#44,
T
puzzles() {
    build puzzles --input "$tmp/some.csv" || return 1
    "$PLYMILL" convert --quiet $(records_of puzzles | tr , ' ') - --to csv | tail -n +2 |
        cut -d, -f1-4,17,20 >"$tmp/got"
    echo 'zhWsNjI8,44,6k1/p1p2ppp/1p1p2r1/3q4/8/1P6/P1P2PPP/4RK2 w - - 0 23,w,*,engine' >"$tmp/want"
    same "$tmp/want" "$tmp/got"
}
check 'puzzles of Lichess, behind the mistake' puzzles
puzzle_scores() {
    fails 2 'lichess-puzzles files hold no scores' "$PLYMILL" build "$tmp/recipe.toml" --quiet \
        --label.source input --input "$tmp/some.csv" -o "$tmp/none"
}
check 'which have no scores to take' puzzle_scores

# Refused before anything is made, and damage.
refused() {
    refused_pattern=$1
    shift
    fails 2 "$refused_pattern" "$PLYMILL" build "$tmp/recipe.toml" --quiet --engine "$FAKE_ENGINE" \
        -o "$tmp/none" "$@" && [ ! -e "$tmp/none" ]
}
check 'games and the scores of datasets' refused 'games.pgn: label.source = "input" takes' \
    --label.source input --input "$tmp/games.pgn,$tmp/all.csv"
check 'datasets and the scores of games' refused 'all.csv: is a dataset, and label.source = "lich' \
    --label.source lichess-eval --input "$tmp/games.pgn,$tmp/all.csv"
check 'datasets and filters by tags' refused 'all.csv: is a dataset, and input.min_elo asks for tags' \
    --input.min_elo 2000 --input "$tmp/all.csv"
damaged() {
    sed '100s/,w,/,x,/' "$tmp/all.csv" >"$tmp/damaged.csv"
    cmp -s "$tmp/all.csv" "$tmp/damaged.csv" && sed '100s/,b,/,x,/' "$tmp/all.csv" >"$tmp/damaged.csv"
    fails 1 'damaged.csv: record 99 \(line 100, byte [0-9]+\): ' "$PLYMILL" build \
        "$tmp/recipe.toml" --quiet --engine "$FAKE_ENGINE" --input "$tmp/damaged.csv" -o "$tmp/none" &&
        [ ! -e "$tmp/none/records/train.rec" ]
}
check 'damage is located' damaged
rm -rf "$tmp/none"
cut_rec() {
    head -c -1 "$tmp/games/records/train.rec" >"$tmp/cut.rec"
    fails 1 'cut.rec: record [0-9]+ \(byte [0-9]+\): the file ends' "$PLYMILL" build \
        "$tmp/recipe.toml" --quiet --engine "$FAKE_ENGINE" --input "$tmp/cut.rec" -o "$tmp/none"
}
check 'a cut tail' cut_rec
truncated() {
    zstd -q -1 "$tmp/all.csv" -o "$tmp/all.csv.zst"
    head -c -100 "$tmp/all.csv.zst" >"$tmp/part.csv.zst"
    rm -rf "$tmp/none"
    fails 1 'part.csv.zst: truncated at byte' "$PLYMILL" build "$tmp/recipe.toml" --quiet \
        --engine "$FAKE_ENGINE" --input "$tmp/part.csv.zst" -o "$tmp/none" || return 1
    build part --input "$tmp/part.csv.zst" --input.allow_truncated true || return 1
    grep -q 'archive truncated' "$tmp/part/quarantine.tsv" && [ "$(count samples)" -gt 0 ]
}
check 'a broken archive, and allow_truncated' truncated
head -n 1 "$tmp/all.csv" >"$tmp/empty.csv"
check 'an empty one holds no position' build empty --input "$tmp/empty.csv,$tmp/all.csv"
check 'and is no fault' same_records games empty
finish
