#!/bin/sh
# inspect: what it counts is what other tools count in the text of the same records.
. tests/cli/lib.sh

vectors=tests/data/vectors
for name in edge games200; do
    cp "$vectors/$name.in.plain" "$tmp/$name.plain"
done
# value FILE KEY: a count of the JSON.
value() {
    "$PLYMILL" inspect --json "$1" | sed -n "s/^ *\"$2\": \\([-0-9.]*\\),*\$/\\1/p" | head -n 1
}
values() {
    values_file=$1
    shift
    while [ $# -gt 0 ]; do
        got=$(value "$values_file" "$1")
        [ "$got" = "$2" ] || { echo "$1 of $values_file is $got, not $2"; return 1; }
        shift 2
    done
}
fens() {
    sed -n 's/^fen //p' "$tmp/$1.plain"
}
# One line a record: fen; move; score; ply; result.
rows() {
    paste -d';' - - - - - - <"$tmp/$1.plain" | sed 's/;[a-z]* /;/g; s/^fen //'
}
counts() {
    values "$2" records "$(fens "$1" | wc -l)" white_to_move "$(fens "$1" | grep -c ' w ')" \
        black_to_move "$(fens "$1" | grep -c ' b ')" \
        en_passant "$(fens "$1" | awk '$4 != "-"' | wc -l)" \
        different "$(fens "$1" | cut -d' ' -f1-4 | sort -u | wc -l)" \
        most "$(fens "$1" | cut -d' ' -f1-4 | sort | uniq -c | sort -rn | awk 'NR == 1 { print $1 }')"
}
for name in edge games200; do
    for format in in.plain bin binpack; do
        check "positions of $name.$format" counts "$name" "$vectors/$name.$format"
    done
    check "positions of $name.marlin.bin" counts "$name" "$vectors/$name.marlin.bin"
    check "positions of $name.viri.bin" counts "$name" "$vectors/$name.viri.bin"
done
# The result is the mover's in the text, White's in the count.
results() {
    rows "$1" | awk -F';' '{ split($1, f, " "); r = $5; if (f[2] == "b") r = -r; n[r]++ }
        END { print n[1] + 0, n[0] + 0, n[-1] + 0 }' >"$tmp/want"
    echo "$(value "$2" white) $(value "$2" draw) $(value "$2" black)" >"$tmp/got"
    same "$tmp/want" "$tmp/got"
}
for name in edge games200; do
    for format in in.plain bin binpack marlin.bin viri.bin; do
        check "results of $name.$format" results "$name" "$vectors/$name.$format"
    done
done
# Bullet holds no side: the mover's results, as they stand in the text.
bullet() {
    values "$vectors/games200.bullet.bin" records 200 black_to_move 0 \
        white "$(grep -cx 'result 1' "$tmp/games200.plain")" \
        black "$(grep -cx 'result -1' "$tmp/games200.plain")" \
        lowest "$(sed -n 's/^score //p' "$tmp/games200.plain" | sort -n | head -n 1)"
}
check 'bullet: from the mover' bullet
scores() {
    sed -n 's/^score //p' "$tmp/$1.plain" | sort -n >"$tmp/sorted"
    values "$2" numbers "$(wc -l <"$tmp/sorted")" lowest "$(head -n 1 "$tmp/sorted")" \
        highest "$(tail -n 1 "$tmp/sorted")" || return 1
    "$PLYMILL" inspect --json "$2" | tr -d ' \n' >"$tmp/json"
    count=$(wc -l <"$tmp/sorted")
    for share in 1 5 25 50 75 95 99; do
        want=$(awk -v n="$count" -v p="$share" 'NR >= n * p / 100 { print; exit }' "$tmp/sorted")
        echo "0.$(printf %02d "$share"),$want" | sed 's/0\([,]\)/\1/'
    done >"$tmp/want"
    sed 's/.*"quantiles":\[\(.*\)\],"histogram".*/\1/; s/\],\[/\n/g; s/[][]//g' "$tmp/json" \
        >"$tmp/got"
    echo >>"$tmp/got"
    same "$tmp/want" "$tmp/got" || return 1
    uniq -c "$tmp/sorted" | awk '{ print $2 "," $1 }' >"$tmp/want"
    sed 's/.*"histogram":\[\[\(.*\)\]\]},"phases".*/\1/; s/\],\[/\n/g' "$tmp/json" >"$tmp/got"
    echo >>"$tmp/got"
    same "$tmp/want" "$tmp/got"
}
check 'scores of edge.bin' scores edge "$vectors/edge.bin"
check 'scores of games200.binpack' scores games200 "$vectors/games200.binpack"
pieces() {
    fens "$1" | cut -d' ' -f1 | tr -d '/0-9' | awk '{ n[length($0)]++ }
        END { for (i = 2; i <= 32; i++) if (n[i]) print i "," n[i] }' >"$tmp/want"
    fens "$1" | cut -d' ' -f1 | awk '{ p = gsub(/[nNbB]/, "")
        p += 2 * gsub(/[rR]/, ""); p += 4 * gsub(/[qQ]/, ""); if (p > 24) p = 24; n[p]++ }
        END { for (i = 0; i <= 24; i++) if (n[i]) print i "," n[i] }' >"$tmp/want.phases"
    "$PLYMILL" inspect --json "$2" | tr -d ' \n' >"$tmp/json"
    sed 's/.*"pieces":\[\[\(.*\)\]\],"plies".*/\1\n/; s/\],\[/\n/g' "$tmp/json" >"$tmp/got"
    sed 's/.*"phases":\[\[\(.*\)\]\],"pieces".*/\1\n/; s/\],\[/\n/g' "$tmp/json" >"$tmp/got.phases"
    same "$tmp/want" "$tmp/got" && same "$tmp/want.phases" "$tmp/got.phases"
}
check 'pieces and phases of edge.bin' pieces edge "$vectors/edge.bin"
check 'pieces and phases of games200.bullet.bin' pieces games200 "$vectors/games200.bullet.bin"
plies() {
    sed -n 's/^ply //p' "$tmp/games200.plain" | sort -n | uniq -c | awk '{ print $2 "," $1 }' >"$tmp/want"
    "$PLYMILL" inspect --json "$vectors/games200.bin" | tr -d ' \n' |
        sed 's/.*"plies":\[\[\(.*\)\]\],"head".*/\1\n/; s/\],\[/\n/g' >"$tmp/got"
    same "$tmp/want" "$tmp/got"
}
check 'plies' plies
repetitions() {
    cat "$tmp/games200.plain" "$tmp/games200.plain" "$tmp/edge.plain" >"$tmp/twice.plain"
    want=$(cat "$tmp/games200.plain" "$tmp/edge.plain" | sed -n 's/^fen //p' | cut -d' ' -f1-4 |
        sort -u | wc -l)
    values "$tmp/twice.plain" records 506 different "$want" || return 1
    "$PLYMILL" inspect --no-duplicates --json "$tmp/twice.plain" | grep -q '"positions": null'
}
check 'repetitions' repetitions

# Text: every part, aligned, and the first records.
text() {
    "$PLYMILL" inspect --head 2 "$vectors/games200.binpack" >"$tmp/text" || return 1
    grep -qx "$vectors/games200.binpack: binpack, .*" "$tmp/text" &&
        grep -qE '^  records +200$' "$tmp/text" &&
        grep -qE '^  bytes of the file +1,151$' "$tmp/text" &&
        grep -qE '^  1/2-1/2 +79 +39\.500 %$' "$tmp/text" &&
        grep -qE '^  50 % are at most +0$' "$tmp/text" &&
        [ "$(sed '1,/^first records/d' "$tmp/text" | wc -l)" -eq 4 ] &&
        sed '1,/^first records/d' "$tmp/text" | head -n 1 | grep -qF "$(fens games200 | head -n 1)"
}
check 'as text' text
no_long_lines() {
    "$PLYMILL" inspect "$vectors/edge.bin" | awk 'length > 100 { print; bad = 1 } END { exit bad }'
}
check 'of no long lines' no_long_lines
board() {
    "$PLYMILL" inspect --head 1 --board "$vectors/edge.bin" | tail -n 9 >"$tmp/got"
    cat >"$tmp/want" <<'T'
    8  r n b q k b n r
    7  p p p p p p p p
    6  . . . . . . . .
    5  . . . . . . . .
    4  . . . . . . . .
    3  . . . . . . . .
    2  P P P P P P P P
    1  R N B Q K B N R
       a b c d e f g h
T
    same "$tmp/want" "$tmp/got"
}
check '--board draws' board
head_json() {
    "$PLYMILL" inspect --head 1 --json "$vectors/edge.bin" | sed '1,/"head"/d' | tr -d ' \n' >"$tmp/got"
    echo >>"$tmp/got"
    echo '{"fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNRwKQkq-01","score":{"cp":30},"best":"e2e4",'\
'"played":null,"result":1,"ply":0,"game":null}]}' >"$tmp/want"
    same "$tmp/want" "$tmp/got"
}
check 'the first record as JSON' head_json
unit() {
    mkdir -p "$tmp/build/dataset"
    cp "$vectors/edge.bin" "$tmp/build/dataset/train.bin"
    echo '{"files": [{"name": "dataset/train.bin"}],
 "score_units": {"bin": {"unit": "engine internal", "units_per_centipawn": 3.61}}}' \
        >"$tmp/build/manifest.json"
    "$PLYMILL" inspect "$tmp/build/dataset/train.bin" | grep -q 'unit of scores  *3.61 to a centipawn' ||
        return 1
    "$PLYMILL" inspect "$vectors/edge.bin" | grep -q 'unit of scores  *not known; bin files usually'
}
check 'the unit by the manifest of the build' unit
# The manifest's path as one would type it, from any folder and behind a link.
unit_source() { # WANT FILE
    "$PLYMILL" inspect "$2" | grep -qF " 3.61 to a centipawn ($1)" || { "$PLYMILL" inspect "$2" | grep unit; return 1; }
}
unit_sources() {
    ln -s build/dataset "$tmp/link"
    case $PLYMILL in /*) ;; *) PLYMILL=$PWD/$PLYMILL ;; esac
    unit_source "$tmp/build/manifest.json" "$tmp/build/dataset/train.bin" &&
        unit_source "$tmp/link/../manifest.json" "$tmp/link/train.bin" &&
        (cd "$tmp" && unit_source build/manifest.json build/dataset/train.bin &&
            unit_source ./build/manifest.json ./build/dataset/train.bin) &&
        (cd "$tmp/build" && unit_source manifest.json dataset/train.bin) &&
        (cd "$tmp/build/dataset" && unit_source ../manifest.json train.bin &&
            unit_source ./../manifest.json ./train.bin &&
            unit_source ../../build/manifest.json ../../build/dataset/train.bin &&
            unit_source ../dataset/../../build/manifest.json ../dataset/../../build/dataset/train.bin)
}
check 'its path is clean' unit_sources
always_centipawns() {
    "$PLYMILL" convert "$vectors/edge.bin" "$tmp/unit.csv" --from-scale 3.61 2>"$tmp/err" &&
        "$PLYMILL" inspect "$tmp/unit.csv" | grep -q 'unit of scores  *centipawns, as in all csv files$' &&
        "$PLYMILL" inspect --json "$tmp/unit.csv" | tr -d ' \n' |
        grep -qE '"unit":[{]"units_per_centipawn":1.0,"source":null[}]'
}
check 'the unit of csv' always_centipawns
stdin() {
    "$PLYMILL" inspect - --from bin <"$vectors/edge.bin" | grep -qE '^  records +106$'
}
check 'from stdin' stdin
rec() {
    cat >"$tmp/r.toml" <<'T'
[label]
source = "input"
[sample]
min_ply = 0
T
    "$PLYMILL" build "$tmp/r.toml" --quiet --input "$tmp/games200.plain" --input.score_scale 1 \
        --split.shares 100,0,0 -o "$tmp/b" >"$tmp/out" || return 1
    kept=$(sed -n 's/^  kept  *\([0-9]*\) .*/\1/p' "$tmp/out")
    values "$tmp/b/records/train.rec" records "$kept" && "$PLYMILL" inspect "$tmp/b/records/train.rec" |
        grep -qE '^  games +[1-9]' && "$PLYMILL" inspect "$tmp/b/records/train.rec" |
        grep -qE '^  unit of scores +centipawns, as in all rec files$'
}
check 'records of a build' rec
empty() {
    : >"$tmp/empty.bin"
    "$PLYMILL" inspect "$tmp/empty.bin" | grep -qE '^  records +0$' &&
        "$PLYMILL" inspect --json "$tmp/empty.bin" | grep -q '"records": 0'
}
check 'an empty file' empty
head -c 81 "$vectors/edge.bin" >"$tmp/cut.bin"
check 'damage is located' fails 1 'cut.bin: record 3 \(byte 80\): ' "$PLYMILL" inspect "$tmp/cut.bin"
check 'no file' fails 1 'none.bin' "$PLYMILL" inspect "$tmp/none.bin"
mkdir -p "$tmp/built/records" "$tmp/folder" && touch "$tmp/built/records/train.rec"
check 'a build directory' fails 2 "built: is a build directory: plymill inspect $tmp/built/records/train.rec looks" \
    "$PLYMILL" inspect "$tmp/built"
cp -r "$tmp/built" "$tmp/it's built"
check 'one with a blank in its name, as a shell takes it' fails 2 "inspect '.*/it'.{3}s built/records/train.rec' looks .* status '.*built' says" \
    "$PLYMILL" inspect "$tmp/it's built"
check 'another directory' fails 2 'folder: is a directory: name a file in it' "$PLYMILL" inspect "$tmp/folder"
cp configs/demo.pgn.zst "$tmp/my games.pgn.zst"
check 'games' fails 2 "my games.pgn.zst: is an archive of games, no dataset: plymill scan '$tmp/my games.pgn.zst' looks" \
    "$PLYMILL" inspect "$tmp/my games.pgn.zst"
: >"$tmp/bare.pgn"
here() {
    case $PLYMILL in /*) ;; *) PLYMILL=$PWD/$PLYMILL ;; esac
    (cd "$tmp" && fails 2 './bare.pgn: is an archive of games' "$PLYMILL" inspect ./bare.pgn)
}
check 'games, not compressed, by a path with a point' here
check 'what --from names is taken for that' fails 1 'my games.pgn.zst: ' "$PLYMILL" inspect --from bin "$tmp/my games.pgn.zst"
check 'no format' fails 2 'the name ends in no extension' "$PLYMILL" inspect README.md
finish
