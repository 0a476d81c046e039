#!/bin/sh
# score: nets of every kind on builds and dataset files, conditions, units, JSON.
. tests/cli/lib.sh

printf '[sample]\nper_game = 5\n[label]\nnodes = 50\n[split]\nshares = [60, 20, 20]\n[export]\nformats = ["csv", "bullet", "bin", "jsonl"]\nscore_scale = 2\n' >"$tmp/r.toml"
demo_games 200 >"$tmp/g.pgn"
dir=$tmp/b
check 'a build' "$PLYMILL" build "$tmp/r.toml" --engine "$FAKE_ENGINE" --input "$tmp/g.pgn" -o "$dir" --quiet
check 'a net' "$PLYMILL" train "$dir" -o "$tmp/net.safetensors" --quiet --train.epochs 2 --arch '769->16->8->1'
net=$tmp/net.safetensors
check 'and its integers' "$PLYMILL" quantize "$net" -o "$tmp/int8.safetensors" --quiet

table() {
    "$PLYMILL" score "$net" "$tmp/int8.safetensors" "$dir" >"$tmp/table" || return 1
    for row in net.safetensors int8.safetensors constant material 'material fitted'; do
        grep -q "^$row .*\[.*\].*\[.*\].*\[" "$tmp/table" || { echo "no row $row"; cat "$tmp/table"; return 1; }
    done
    for head in 'ratio of WDL-MSE' 'ratio of MAE' pieces '|label|, cp' 'kind of label' 'side to move' source site; do
        grep -qF "$head " "$tmp/table" || { echo "no table $head"; cat "$tmp/table"; return 1; }
    done
    ! grep ' $' "$tmp/table"
}
check 'nets, baselines, ratios and groups' table
again() {
    for level in scalar auto; do
        "$PLYMILL" score "$net" "$tmp/int8.safetensors" "$dir" --isa $level >"$tmp/again" && same "$tmp/table" "$tmp/again" || return 1
    done
}
check 'the same again and at every instruction set' again

# Numbers of the table, less what names the source.
numbers() { grep -E '^(net|constant |material )'; }
as_file() {
    "$PLYMILL" score "$net" "$1" --fit-on "$dir" >"$tmp/file" || return 1
    numbers <"$tmp/file" >"$tmp/x"
    "$PLYMILL" score "$net" "$dir" | numbers >"$tmp/y"
    same "$tmp/x" "$tmp/y"
}
check 'the records as a file give the same numbers' as_file "$dir/records/test.rec"
check 'and so does csv' as_file "$dir/dataset/test.csv.zst"
check 'and jsonl' as_file "$dir/dataset/test.jsonl.zst"

no_intervals() {
    "$PLYMILL" score "$net" "$dir/dataset/test.bin" --fit-on "$dir/dataset/train.bin" >"$tmp/bin" || return 1
    grep -q ' No intervals: bin does not say which game a position is from' "$tmp/bin" || { cat "$tmp/bin"; return 1; }
    ! grep -q '^net.safetensors.*\[' "$tmp/bin" && ! grep -q 'is not proved\|is better\|is worse' "$tmp/bin"
}
check 'a file without games has no intervals and says so' no_intervals
# bin holds scores of half a centipawn here; the manifest says so.
same_value() {
    a=$(awk '/^material fitted/ {print $3; exit}' "$1") b=$(awk '/^material fitted/ {print $3; exit}' "$2")
    [ "$a" = "$b" ] || { echo "$a and $b"; return 1; }
}
by_manifest() {
    "$PLYMILL" score "$net" "$dir/dataset/test.bin" --fit-on "$dir/dataset/train.bin" >"$tmp/m1" || return 1
    mkdir -p "$tmp/far"
    cp "$dir/dataset/test.bin" "$dir/dataset/train.bin" "$tmp/far/"
    "$PLYMILL" score "$net" "$tmp/far/test.bin" --fit-on "$tmp/far/train.bin" --from-scale 2 >"$tmp/m2" || return 1
    "$PLYMILL" score "$net" "$tmp/far/test.bin" --fit-on "$tmp/far/train.bin" >"$tmp/m3" || return 1
    same_value "$tmp/m1" "$tmp/m2" && ! same_value "$tmp/m1" "$tmp/m3" >/dev/null &&
        grep -q 'are taken as centipawns: --from-scale' "$tmp/m3" && ! grep -q 'are taken as' "$tmp/m2"
}
check 'the unit of a file is that of its manifest, or given, or said to be assumed' by_manifest
itself() {
    "$PLYMILL" score "$net" "$dir/dataset/test.bullet" >"$tmp/own" && grep -q 'material fitted on the same positions:' "$tmp/own" &&
        grep -q 'an advantage of the baselines' "$tmp/own"
}
check 'baselines of a lone file are fitted on it, which is said' itself

condition() {
    want=$1 line=$2
    shift 2
    "$PLYMILL" score "$net" "$tmp/int8.safetensors" "$dir" "$@" >"$tmp/out" 2>"$tmp/err"
    got=$?
    [ $got -eq "$want" ] || { echo "exit code $got"; cat "$tmp/err"; return 1; }
    same "$tmp/table" "$tmp/out" || return 1
    [ "$(wc -l <"$tmp/err")" -eq "$line" ] || { cat "$tmp/err"; return 1; }
}
check 'a condition that holds: exit 3 and one line' condition 3 1 --fail-if 'wdl_mse > 0 * material_fit'
check 'that says by how much' grep -qE '^plymill: --fail-if holds: wdl_mse of net.safetensors is 0\.[0-9]+, over 0 \(0 times that of material fitted\)$' "$tmp/err"
check 'one that does not' condition 0 0 --fail-if 'wdl_mse > 1e6 * material_fit'
check 'of one net against another' condition 3 1 --fail-if 'net2.mae > 0.5 * net1'
check 'a condition that cannot be read' fails 2 "fail-if: cannot read \"mse > 1\" from" \
    "$PLYMILL" score "$net" "$dir" --fail-if 'mse > 1'

scaled() {
    "$PLYMILL" score "$net" "$dir" --scale 200 >"$tmp/s" && grep -q 'sigmoid(cp/200)' "$tmp/s" &&
        [ "$(awk '/^constant/ {print $2; exit}' "$tmp/s")" != "$(awk '/^constant/ {print $2; exit}' "$tmp/table")" ]
}
check 'another scale of the sigmoid' scaled
check 'a scale that is none' fails 2 'scale: expected a number from 1 to' "$PLYMILL" score "$net" "$dir" --scale 0

# A quantised.bin of zeros but for the last bias: 400 for whoever is to move.
letters=bulletbulletbulletbulletbulletbulletbulletbulletbulletbu
{ head -c 1542 /dev/zero; printf '\300\077%s' $letters; } >"$tmp/quantised.bin"
foreign() {
    "$PLYMILL" score "$tmp/quantised.bin" "$net" "$dir" --arch '(768->1)x2->1 screlu' >"$tmp/f" &&
        grep -qE '^quantised.bin: a unit is taken as [0-9.e-]+ cp, fitted on train \(it says 1 itself\)\.$' "$tmp/f" &&
        "$PLYMILL" score "$tmp/quantised.bin" "$dir" --arch '(768->1)x2->1 screlu' --unit-cp 0.5 >"$tmp/f" &&
        grep -q 'a unit is taken as 0.5 cp, as given' "$tmp/f" &&
        "$PLYMILL" score "$tmp/quantised.bin" "$dir" --arch '(768->1)x2->1 screlu' --unit-cp own >"$tmp/f" &&
        ! grep -q 'a unit is taken' "$tmp/f"
}
check 'the unit of a foreign net is fitted, given or its own' foreign
check 'a unit that is none' fails 2 'unit-cp: expected a number' "$PLYMILL" score "$net" "$dir" --unit-cp much
if [ -s ../shared/nets/nn-62ef826d1a6d.nnue.zst ]; then
    zstd -dqc ../shared/nets/nn-62ef826d1a6d.nnue.zst >"$tmp/real.nnue"
    check 'a real net of an engine' sh -c "'$PLYMILL' score '$tmp/real.nnue' '$dir' | grep -qE '^real.nnue: a unit is taken as .*it says 0.480769 itself'"
else
    skip 'a real net of an engine' 'no ../shared/nets'
fi

json() {
    "$PLYMILL" score "$net" "$dir" --json >"$tmp/j" && "$PLYMILL" score "$net" "$dir/dataset/test.bin" --json >"$tmp/k" || return 1
    python3 - "$tmp/j" "$tmp/k" <<'PY'
import json, sys
build, lone = (json.load(open(path)) for path in sys.argv[1:])
every = build["groups"][0]
assert every["by"] == "all" and every["games"] > 10 and build["split"] == "test"
assert sum(g["positions"] for g in build["groups"] if g["by"] == "pieces") == every["positions"]
for group in build["groups"]:
    names = [row["name"] for row in group["rows"]]
    assert names == ["net.safetensors", "constant", "material", "material fitted"], names
    for row in group["rows"]:
        for metric in ("wdl_mse", "mae", "median", "correlation", "sign"):
            assert row[metric]["low"] <= row[metric]["high"]
        mine = row["wdl_mse"]["value"] / group["rows"][3]["wdl_mse"]["value"]
        assert abs(row["ratio"]["wdl_mse"]["material_fit"]["value"] / mine - 1) < 1e-6
assert set(build["material_fit"]) == {"P", "N", "B", "R", "Q", "tempo"}
assert build["nets"][0]["unit"] == "own" and build["nets"][0]["unit_cp"] == 1
assert lone["split"] is None and lone["resamples"] == 0
assert lone["groups"][0]["games"] is None and lone["groups"][0]["rows"][0]["mae"]["low"] is None
PY
}
if command -v python3 >/dev/null 2>&1; then
    check 'JSON as docs/SCORE.md has it' json
else
    skip 'JSON as docs/SCORE.md has it' 'no python3'
fi
check 'a file that is no dataset' fails 2 'no extension of a dataset format' "$PLYMILL" score "$net" "$tmp/r.toml"
check 'a file that is not there' fails 1 'none.csv' "$PLYMILL" score "$net" "$tmp/none.csv"
zstd -dcq "$dir/dataset/test.csv.zst" | head -n 1 >"$tmp/empty.csv"
check 'a file without records has nothing to score on' fails 1 'empty.csv: no record with a score' "$PLYMILL" score "$net" "$tmp/empty.csv"
finish
