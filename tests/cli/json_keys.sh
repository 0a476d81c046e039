#!/bin/sh
# docs/JSON.md and docs/INSPECT.md name the keys that commands write with --json: all of them, and no others.
. tests/cli/lib.sh

python=$(command -v python3)
if [ -z "$python" ]; then
    skip 'JSON is read by another program' 'no python3'
    finish
fi
cat >"$tmp/keys.py" <<'P'
# keys.py PAGE HEADING EXEMPT FILE...: the keys in the tables of the page behind the heading, up to the next heading
# of its rank (none: all of the page), against those of the JSON values in the files. Keys that match EXEMPT may lack.
import json, re, sys

page, heading, exempt, *files = sys.argv[1:]
text = open(page).read()
if heading:
    text = text.split("\n## `%s`" % heading, 1)[1].split("\n## ", 1)[0]
named = set()
for row in re.findall(r"^\| (`[^|]*) \|", text, re.M):
    named.update(re.findall(r"`([^`]*)`", row))

def walk(value, place):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield place + key
            yield from walk(inner, place + key + ".")
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, dict):
                yield from walk(inner, place.rstrip(".") + "[].")

written = set()
for name in files:
    written.update(walk(json.load(open(name)), ""))
patterns = {name: re.compile(re.escape(name).replace(r"\*", r"[^.\[]*") + "$") for name in named}
unnamed = [key for key in sorted(written) if not any(p.match(key) for p in patterns.values())]
unwritten = [name for name, p in sorted(patterns.items())
             if not any(p.match(key) for key in written) and not re.fullmatch(exempt, name)]
print("written, not named:", unnamed, "named, not written:", unwritten)
assert len(written) > 2 and not unnamed and not unwritten
P
# keys HEADING EXEMPT NAME...: of $tmp/NAME.json
keys() {
    heading=$1 exempt=$2
    shift 2
    page=docs/JSON.md
    [ -n "$heading" ] || page=docs/INSPECT.md
    for name in "$@"; do
        set -- "$@" "$tmp/$name.json"
        shift
    done
    "$python" "$tmp/keys.py" "$page" "$heading" "$exempt" "$@"
}
# write NAME STATUS COMMAND...: its standard output is $tmp/NAME.json
write() {
    name=$1 want=$2
    shift 2
    "$PLYMILL" "$@" --json >"$tmp/$name.json" 2>"$tmp/err"
    got=$?
    [ "$got" -eq "$want" ] || { echo "$*: exit status $got"; cat "$tmp/err"; return 1; }
}

printf '[label]\nnodes = 20\n[filter]\nmate = "keep"\n[export]\nformats = ["csv", "bullet"]\n' >"$tmp/r.toml"
demo_games 60 >"$tmp/g.pgn"
dir=$tmp/b
status_keys() {
    write begun 0 sample "$tmp/r.toml" --input "$tmp/g.pgn" -o "$dir" --quiet &&
        write built 0 build "$dir" --engine "$FAKE_ENGINE" --quiet &&
        write selected 0 select "$dir" --quiet && "$PLYMILL" build "$dir" --quiet >"$tmp/out" &&
        write status 0 status "$dir" || return 1
    same "$tmp/built.json" "$tmp/status.json" || return 1
    for name in begun built selected; do
        keys 'status DIR --json' '(engine|counts).*' $name || return 1
    done
    keys 'status DIR --json' '' begun status
}
check 'status, build, sample and select' status_keys
check 'a plan has none' fails 2 'plymill status DIR --json' "$PLYMILL" build "$dir" --dry-run --json
verify_keys() {
    write verify 0 verify "$dir" --quiet && keys 'verify DIR --json' '' verify
}
check 'verify' verify_keys
perft_keys() {
    start='rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'
    write perft 0 perft "$start" 2 --divide && keys 'perft FEN DEPTH --json' '' perft
}
check 'perft' perft_keys
doctor_keys() {
    write doctor 0 doctor --engine "$FAKE_ENGINE" && write poor 0 doctor --engine "$FAKE_ENGINE --no-options" &&
        keys 'doctor --json' '' doctor poor
}
check 'doctor' doctor_keys

# Nets of every family that is trained here, one as floats, the others as the integers of other programs.
net() {
    "$PLYMILL" train "$dir" -o "$tmp/$1.safetensors" --arch "$2" --train.epochs 1 --quiet
}
nets() {
    net tiny '769->16->8->1' && net bullet '(768->16)x2->1 screlu' && net halfka 'halfka(22528->32)x2->8->1x8'
}
check 'nets' nets
quantize_keys() {
    write q1 0 quantize "$tmp/tiny.safetensors" -o "$tmp/int.safetensors" --positions "$dir" --quiet &&
        write q2 0 quantize "$tmp/bullet.safetensors" --to bullet -o "$tmp/bullet.bin" --quiet &&
        write q3 0 quantize "$tmp/halfka.safetensors" -o "$tmp/ka.safetensors" --quiet &&
        keys 'quantize NET -o NET --json' '' q1 q2 q3
}
check 'quantize' quantize_keys
# Threats and psqt are of Stockfish's nets; a difference would be a fault.
check_keys() {
    write c1 0 check "$tmp/tiny.safetensors" --quiet && write c2 0 check "$tmp/int.safetensors" --games "$tmp/g.pgn" --quiet &&
        write c3 0 check "$tmp/bullet.bin" --quiet && write c4 0 check "$tmp/ka.safetensors" --quiet &&
        keys 'check NET --json' 'proof.first_difference|bounds.(threats_and_pawn_pairs|together|psqt|psqt_seen)' c1 c2 c3 c4
}
check 'check' check_keys
score_keys() {
    write s1 0 score "$tmp/tiny.safetensors" "$dir" && write s2 0 score "$tmp/tiny.safetensors" "$dir/dataset/train.bullet" &&
        keys 'score NET... DIR --json' '' s1 s2
}
check 'score' score_keys
bench_keys() { # WHAT OPTION...
    what=$1
    shift
    write bench 0 bench "$what" --runs 1 "$@" && keys "bench $what --json" '' bench
}
check 'bench scan' bench_keys scan "$tmp/g.pgn"
check 'bench label' bench_keys label --positions 20 --nodes 20 --engine "$FAKE_ENGINE"
check 'bench convert' bench_keys convert --positions 100
check 'bench nnue' bench_keys nnue --positions 256
check 'bench train' bench_keys train --positions 1024
inspect_keys() {
    write i1 0 inspect --head 40 "$dir/records/train.rec" --quiet &&
        write i2 0 inspect --head 2 "$dir/dataset/train.csv.zst" --quiet && keys '' '' i1 i2
}
check 'inspect' inspect_keys
cat >"$tmp/events.py" <<'P'
# events.py LOG: the table of events in docs/JSON.md against those of the log. A row has its keys outside brackets, and
# "the same" is what the row above has.
import json, re, sys

page = open("docs/JSON.md").read().split("## `--log")[1].split("\n## ")[0]
rows, keys = {}, set()
for name, text in re.findall(r"^\| `([a-z]+)` \| (.*?) \|", page, re.M):
    keys = (keys if text.startswith("the same") else set()) | set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", text)))
    rows[name] = keys | {"time", "pid", "event"}
seen = {}
for line in open(sys.argv[1]):
    event = json.loads(line)
    seen.setdefault(event["event"], set()).update(event)
print("named:", rows, "written:", seen)
assert len(seen) >= 5 and all(seen[name] == rows[name] for name in seen)
assert set(rows) - set(seen) <= {"progress"} and rows["progress"] == rows["end"]
P
event_keys() {
    "$PLYMILL" build "$tmp/r.toml" --input "$tmp/g.pgn" -o "$tmp/logged" --engine "$FAKE_ENGINE" --quiet \
        --log "$tmp/events" >"$tmp/out" && "$python" "$tmp/events.py" "$tmp/events"
}
check 'the events of --log' event_keys
all_are_here() {
    grep '^## ' docs/JSON.md | grep -o '`[a-z][^`]* --json`' | tr -d '`' >"$tmp/headings"
    [ -s "$tmp/headings" ] || return 1
    while read -r command what _; do
        case $command in
        bench) tried="^check 'bench $what' bench_keys $what " ;;
        *) tried="write [a-z0-9]* 0 $command " ;;
        esac
        grep -q "$tried" "$0" || { echo "$command $what is not tried"; return 1; }
    done <"$tmp/headings"
}
check 'every command of the page is tried' all_are_here
finish
