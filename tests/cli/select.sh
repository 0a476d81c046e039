#!/bin/sh
# What [filter] asks for, with numbers worked out by hand; openings; the shuffle, the same for any
# memory, threads and shards; what is in several splits, counted here too; a full disk.
. tests/cli/lib.sh
MAKEGAMES=${MAKEGAMES:-$(dirname "$FAKE_ENGINE")/makegames}

cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 1
[sample]
per_game = "all"
min_ply = 0
in_check = true
[label]
source = "lichess-eval"
T
keep_all >>"$tmp/recipe.toml"
records() {
    zstd -dcq "$1/dataset/$2.csv.zst" | tail -n +2
}
# stay PLIES OPTIONS...: these plies of the one game stay, whatever becomes of the others.
stay() {
    want=$1
    shift
    build_fresh --input "$tmp/one.pgn" "$@" || return 1
    got=$(records "$tmp/b" train | cut -d, -f2 | sort -n | tr '\n' ' ')
    [ "$got" = "$want" ] || { echo "plies $got"; cat "$tmp/funnel"; return 1; }
}
# filtered PLIES REASON DROPPED OPTIONS...: and so many are dropped for that reason.
filtered() {
    want=$1 reason=$2 dropped=$3
    shift 3
    stay "$want" "$@" || return 1
    [ "$(count "$reason")" = "$dropped" ] || { cat "$tmp/funnel"; return 1; }
}

# The evals are of the positions at ply 1 to 9, as White sees them, and White wins. There are 32
# pieces at ply 1 to 3, 31 at ply 4, 30 at ply 5 to 8, 29 at ply 9; 2...exd4 is played at ply 3,
# 3. Qxd4 at ply 4, 5. Qxc6 at ply 8, nothing at ply 9.
cat >"$tmp/one.pgn" <<'P'
[Event "x"]
[Site "https://lichess.org/aaaaaaa1"]
[Result "1-0"]

1. e4 { [%eval 0.30] } e5 { [%eval 0.20] } 2. d4 { [%eval -3.00] } exd4 { [%eval -3.01] }
3. Qxd4 { [%eval 9.99] } Nc6 { [%eval 10.00] } 4. Qa4 { [%eval 10.01] } Nf6 { [%eval #5] }
5. Qxc6 { [%eval #-4] } 1-0
P
check 'no filter' filtered '1 2 3 4 5 6 7 8 9 ' kept 9
check 'mate' filtered '1 2 3 4 5 6 7 ' mate 2 --filter.mate drop
check 'capture' filtered '1 2 5 6 7 9 ' 'best move captures' 3 --filter.capture drop
check 'max_abs_score' filtered '1 2 3 4 5 6 8 9 ' 'score too large' 1 --filter.max_abs_score 1000
check 'max_abs_score, one less' filtered '1 2 3 4 5 8 9 ' 'score too large' 2 \
    --filter.max_abs_score 999
check 'pieces' filtered '4 5 6 7 8 ' 'number of pieces' 4 --filter.pieces 30,31
check 'pieces, one number' filtered '9 ' 'number of pieces' 8 --filter.pieces 2,29
check 'wdl_consistency' filtered '1 2 3 5 6 7 8 ' 'score against the result' 2 \
    --filter.wdl_consistency 300
check 'wdl_consistency, one less' filtered '1 2 5 6 7 8 ' 'score against the result' 3 \
    --filter.wdl_consistency 299
# The draws of ply 1 to 9, of 1,000: 202 262 373 342 299 956 722 885 912; with seed 1: 367 994 21 230
# 466 349 657 260 959. Three positions of 32, one of 31, four of 30: equal shares are 1/3, 1, 1/4.
check 'piece_weights' filtered '1 2 4 ' 'thinned out by pieces' 6 \
    --filter.piece_weights 30:1,31:1,32:1
check 'another seed thins out others' filtered '3 4 ' 'thinned out by pieces' 7 \
    --filter.piece_weights 30:1,31:1,32:1 --filter.seed 1
check 'another weight, 2/4' filtered '1 2 4 5 ' 'thinned out by pieces' 5 \
    --filter.piece_weights 30:2,31-31:1,32:1
check 'a class of all' filtered '1 2 3 4 5 6 7 8 9 ' kept 9 --filter.piece_weights 2-32:1
# 3 to 4 after captures are gone (ply 3 of 32, ply 4 of 31, ply 8 of 30): 2 of 32, 3 of 30: 1, 2/3.
check 'what went before is not counted' filtered '1 2 5 ' 'thinned out by pieces' 3 \
    --filter.piece_weights 30:1,32:1 --filter.capture drop
# Ply 9 is a mate; of the rest three capture, then one is too large, two have 32 pieces.
first_reason() {
    stay '5 6 ' --filter.mate drop --filter.capture drop --filter.max_abs_score 1000 \
        --filter.pieces 2,31 --filter.wdl_consistency 0 || return 1
    got=$(for reason in mate 'best move captures' 'score too large' 'number of pieces' kept; do
        count "$reason"
    done | tr '\n' ' ')
    [ "$got" = '2 2 1 2 2 ' ] || { cat "$tmp/funnel"; return 1; }
}
check 'the first reason counts' first_reason
check 'ply range' stay '3 4 5 ' --sample.min_ply 3 --sample.max_ply 5
n_per_game() {
    build_fresh --input "$tmp/one.pgn" --sample.per_game 2 && [ "$(count kept)" -eq 2 ]
}
check 'n per game' n_per_game
cat >"$tmp/promotion.pgn" <<'P'
[Event "x"]
[Site "https://lichess.org/aaaaaaa1"]
[FEN "1n2k3/P7/8/8/8/8/8/4K3 b - - 0 1"]
[SetUp "1"]

1... Kd7 { [%eval 5.0] } 2. a8=Q { [%eval 6.0] } Kd6 { [%eval 7.0] } *
P
promotion() {
    build_fresh --input "$tmp/promotion.pgn" --filter.promotion "$1" || return 1
    [ "$(records "$tmp/b" train | cut -d, -f2 | sort -n | tr '\n' ' ')" = "$2" ]
}
check 'promotion kept' promotion keep '1 2 3 '
check 'promotion dropped' promotion drop '2 3 '

# Bounds: the scripted engine gives some.
bounds() {
    build_fresh --input "$tmp/one.pgn" --label.source engine --engine "$FAKE_ENGINE" || return 1
    records "$tmp/b" train | awk -F, '$9 == "exact"' >"$tmp/exact"
    all=$(count kept) exact=$(wc -l <"$tmp/exact")
    [ "$exact" -lt "$all" ] && [ "$exact" -gt 0 ] || { echo "$exact of $all"; return 1; }
    build_fresh --input "$tmp/one.pgn" --label.source engine --engine "$FAKE_ENGINE" \
        --filter.bounds drop || return 1
    records "$tmp/b" train >"$tmp/kept"
    [ "$(count 'score is a bound')" -eq $((all - exact)) ] && same "$tmp/exact" "$tmp/kept"
}
check 'bounds' bounds

# Openings: the first four games meet at ply 8 by three ways, the next two are another opening, the
# last is over before. Positions at ply 9 and 10. Draws of the former, of 1,000: 617 909 280 182, 68 26.
opening() {
    printf '[Event "x"]\n[Site "https://lichess.org/aaaaaaa%s"]\n\n%s\n\n' "$1" "$2"
}
{
    behind='5. d3 { [%eval 0.1] } d6 { [%eval 0.2] } *'
    opening 1 "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O O-O $behind"
    opening 2 "1. g3 g6 2. Bg2 Bg7 3. Nf3 Nf6 4. O-O O-O $behind"
    opening 3 "1. g3 Nf6 2. Bg2 g6 3. Nf3 Bg7 4. O-O O-O $behind"
    opening 4 "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O O-O $behind"
    opening 5 "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 $behind"
    opening 6 "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 $behind"
    opening 7 "1. e4 e5 2. Nf3 { [%eval 0.1] } *"
} >"$tmp/openings.pgn"
capped() {
    want=$1 dropped=$2
    shift 2
    build_fresh --input "$tmp/openings.pgn" "$@" || return 1
    got=$(records "$tmp/b" train | cut -d, -f1 | sort | sed 's/aaaaaaa//' | tr '\n' ' ')
    [ "$got" = "$want" ] || { echo "games $got"; return 1; }
    [ "$(count 'enough of its opening')" = "$dropped" ] || { cat "$tmp/funnel"; return 1; }
}
check 'two an opening' capped '3 4 5 6 7 ' 2 --filter.per_opening 2 --sample.max_ply 9
check 'one an opening' capped '4 6 7 ' 4 --filter.per_opening 1 --sample.max_ply 9
check 'over all splits' capped '' 4 --filter.per_opening 1 --sample.max_ply 9 \
    --split.shares 0,100,0
check 'enough of all' capped '1 2 3 4 5 6 7 ' '' --filter.per_opening 4 --sample.max_ply 9

# The shuffle: by the draw of each record, or of each game. All by draws computed in Python.
order() {
    want=$1
    shift
    build_fresh "$@" || return 1
    got=$(records "$tmp/b" train | cut -d, -f1,2 | sed 's/aaaaaaa//' | tr '\n' ' ')
    [ "$got" = "$want" ] || { echo "$got"; return 1; }
}
check 'shuffle by record' order '1,5 1,6 1,7 1,8 1,2 1,3 1,9 1,4 1,1 ' --input "$tmp/one.pgn"
check 'with another seed' order '1,1 1,9 1,7 1,8 1,4 1,6 1,5 1,3 1,2 ' --input "$tmp/one.pgn" \
    --shuffle.seed 1
check 'shuffle by game' order '4,9 4,10 5,9 5,10 2,9 2,10 1,9 1,10 6,9 6,10 3,9 3,10 ' \
    --input "$tmp/openings.pgn" --shuffle.by game --sample.min_ply 5

# More than the smallest memory holds: sorted runs and merges, and one block in memory.
"$MAKEGAMES" 400 60 3 >"$tmp/many.pgn"
many() {
    directory=$1
    shift
    "$PLYMILL" build "$tmp/recipe.toml" --quiet -o "$tmp/$directory" --input "$tmp/many.pgn" \
        --split.shares 60,20,20 --split.duplicates board --split.leaks drop-from-held-out \
        --filter.per_opening 20 --filter.piece_weights 2-16:1,17-31:3,32:3 "$@" >"$tmp/funnel"
}
same_records() {
    for split in train validation test; do
        same "$tmp/large/records/$split.rec" "$tmp/$1/records/$split.rec" || return 1
    done
}
check 'a build in large memory' many large
every_reason() {
    for reason in 'thinned out by pieces' 'enough of its opening' duplicate leak; do
        [ "$(count "$reason")" -gt 50 ] || { cat "$tmp/funnel"; return 1; }
    done
    [ "$(count kept)" -gt 5000 ]
}
check 'drops for every reason' every_reason
check 'in the smallest memory, one thread' many small --build.memory 1 --threads 1
check 'the same bytes' same_records small
check 'four threads, three shards' many four --build.memory 2 --threads 4 --shards 3
check 'the same bytes again' same_records four

# What stands in several splits, by the four and the five first fields of a FEN.
"$MAKEGAMES" 300 40 5 >"$tmp/leaky.pgn"
value() {
    sed -n "s/^ *\"$2\": \([0-9]*\),*$/\1/p" "$1/manifest.json" | sort -n | tail -n 1
}
shared() {
    for split in train validation test; do
        records "$1" $split | cut -d, -f3 | cut -d' ' -f"$2" | sort -u
    done | sort | uniq -d | wc -l
}
leaky() {
    build_fresh --input "$tmp/leaky.pgn" --split.shares 50,25,25 "$@"
}
reported() {
    leaky "$@" || return 1
    board=$(shared "$tmp/b" 1-4) label=$(shared "$tmp/b" 1-5)
    [ "$board" -gt 20 ] && [ "$label" -gt 20 ] || { echo "$board $label"; return 1; }
    [ "$(value "$tmp/b" 'in several splits: board key')" -eq "$board" ] &&
        [ "$(value "$tmp/b" 'in several splits: label key')" -eq "$label" ] &&
        [ "$(value "$tmp/b" 'in several splits: leak key')" -ge "$board" ]
}
check 'what stands in several splits is counted' reported
cp -r "$tmp/b" "$tmp/undropped"
dropped() {
    leaky --split.leaks drop-from-held-out --split.leak_key "$1" || return 1
    for key in label board leak; do
        before=$(value "$tmp/b" "in several splits: $key key")
        [ "$before" -eq "$(value "$tmp/undropped" "in several splits: $key key")" ] || return 1
    done
    [ "$(value "$tmp/b" "left in several splits: ${1%-key} key")" -eq 0 ] || return 1
    [ "$(shared "$tmp/b" "$2")" -eq 0 ] || return 1
    # Nothing leaves train; what is in test and not in train stays there.
    same "$tmp/undropped/records/train.rec" "$tmp/b/records/train.rec" || return 1
    for split in train test; do
        records "$tmp/undropped" $split | cut -d, -f3 | cut -d' ' -f"$2" | sort -u >"$tmp/$split"
    done
    records "$tmp/b" test | cut -d, -f3 | cut -d' ' -f"$2" | sort -u >"$tmp/left"
    comm -23 "$tmp/test" "$tmp/train" >"$tmp/want"
    same "$tmp/want" "$tmp/left"
}
check 'leaks by board key' dropped board 1-4
check 'leaks by label key' dropped label-key 1-5
by_leak_key() {
    leaky --split.leaks drop-from-held-out || return 1
    for key in label board leak; do
        [ "$(value "$tmp/b" "left in several splits: $key key")" -eq 0 ] || return 1
    done
    [ "$(shared "$tmp/b" 1-4)" -eq 0 ] && [ "$(count leak)" -gt 20 ]
}
check 'leaks by leak key leave none by any' by_leak_key

# The disk is full at different points: quarantine.tsv, runs of each of the three sorts, the records.
full() {
    rm -rf "$tmp/full"
    cp -r "$tmp/small" "$tmp/full"
    PLYMILL_FAULT=write:$1:full "$PLYMILL" select "$tmp/full" --quiet --filter.seed 5 \
        >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 75 ] && [ ! -s "$tmp/out" ] || { cat "$tmp/err"; return 1; }
    grep -q 'No space left on device' "$tmp/err" && [ "$(wc -l <"$tmp/err")" -eq 1 ] ||
        { cat "$tmp/err"; return 1; }
    left=$(find "$tmp/full" -name '*.tmp-*' -o -path '*/records/*' -o -name quarantine.tsv)
    [ -z "$left" ] || { echo "$left"; return 1; }
}
again() {
    "$PLYMILL" select "$tmp/full" --quiet --filter.seed 0 >/dev/null && same_records full
}
for at in 2 8 14 20 22; do
    check "a full disk at write $at" full $at
done
check 'and when there is room again' again
finish
