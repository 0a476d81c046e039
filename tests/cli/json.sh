#!/bin/sh
# Commands that print tables print JSON, too: it is read by another program, and says the same.
. tests/cli/lib.sh

python=$(command -v python3)
if [ -z "$python" ]; then
    skip 'JSON is read by another program' 'no python3'
    finish
fi
# says EXPRESSION COMMAND...: standard output is one JSON value `j` for which the expression holds.
says() {
    expression=$1
    shift
    "$@" >"$tmp/json" 2>"$tmp/err"
    got=$?
    "$python" -c "import json,sys
j = json.load(open(sys.argv[1]))
assert $expression, j" "$tmp/json" || { cat "$tmp/err"; return 1; }
    return $got
}
printf '[label]\nnodes = 20\n[export]\nformats = ["csv"]\n' >"$tmp/r.toml"
demo_games 60 >"$tmp/g.pgn"
dir=$tmp/b
"$PLYMILL" sample "$tmp/r.toml" --input "$tmp/g.pgn" -o "$dir" --quiet >/dev/null
check 'status of a build that is begun' says \
    'j["stages"] == {"sample": True, "label": False, "select": False, "export": False} and j["samples"] == 180 and j["labels"] == 0 and j["build_id"] is None' \
    "$PLYMILL" status "$dir" --json
"$PLYMILL" build "$dir" --engine "$FAKE_ENGINE" --quiet >/dev/null
check 'status of one that is done' says \
    'all(j["stages"].values()) and j["labels"] == 180 and len(j["build_id"]) == 64' "$PLYMILL" status "$dir" --json
check 'its counts add up' says \
    'sum(c["all"] for c in j["counts"] if c["stage"] == "select" and "train" in c and not c["name"].startswith(("by ", "several"))) >= 180' \
    "$PLYMILL" status "$dir" --json
check 'verify' says 'j["verified"] and j["differences"] == [] and j["samples"] == 180 and j["files"] > 5' \
    "$PLYMILL" verify "$dir" --json --quiet
damaged() {
    cp -R "$dir" "$tmp/damaged" && printf x >>"$tmp/damaged/dataset/train.csv.zst" || return 1
    says 'not j["verified"] and "train.csv.zst" in j["differences"][0] and "files" not in j' \
        "$PLYMILL" verify "$tmp/damaged" --json --quiet
    [ $? -eq 3 ]
}
check 'verify of a damaged build, exit status 3' damaged
start='rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'
check 'perft' says 'j["leaves"] == 8902 and j["depth"] == 3 and "moves" not in j' "$PLYMILL" perft "$start" 3 --json
check 'perft --divide' says 'len(j["moves"]) == 20 and sum(j["moves"].values()) == j["leaves"] == 8902' \
    "$PLYMILL" perft "$start" 3 --divide --json
check 'doctor' says 'j["label.reset"] == "ucinewgame" and "Fake" in j["name"] or j["name"]' \
    "$PLYMILL" doctor --engine "$FAKE_ENGINE" --json
"$PLYMILL" train "$dir" -o "$tmp/n.safetensors" --train.epochs 1 --quiet
"$PLYMILL" quantize "$tmp/n.safetensors" -o "$tmp/i.safetensors" --quiet >/dev/null
check 'quantize' says 'j["rows"][-1]["max"] > 0 and "cost" in j["rows"][0] and len(j["multipliers"]) == 3' \
    "$PLYMILL" quantize "$tmp/n.safetensors" -o "$tmp/i.safetensors" --positions "$dir" --json --quiet
check 'check' says 'j["verified"] and j["proof"]["differences"] == 0' "$PLYMILL" check "$tmp/i.safetensors" --json --quiet
check 'score' says 'j["nets"][0]["name"] == "i.safetensors" and j["groups"][0]["by"] == "all"' \
    "$PLYMILL" score "$tmp/i.safetensors" "$dir" --json
check 'inspect' says 'j["records"] > 20' "$PLYMILL" inspect "$dir/records/train.rec" --json --quiet
check 'bench' says 'j["bench"] == "scan" and j["rows"][0]["median_ns"] > 0' \
    "$PLYMILL" bench scan --runs 1 --json "$tmp/g.pgn"
every_one_documented() {
    for command in $("$PLYMILL" help | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
        "$PLYMILL" help "$command" | grep -q '^  --json' || continue
        grep -qE "^## .*\`$command .*--json\`" docs/JSON.md || { echo "docs/JSON.md lacks $command"; return 1; }
    done
}
check 'docs/JSON.md describes every one' every_one_documented
finish
