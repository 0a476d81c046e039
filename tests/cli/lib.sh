# What the command line tests share. A script sources this from the project's root, calls check or
# skip once per fact, and ends with finish.
#   PLYMILL, FAKE_ENGINE  the programs under test (set by the Makefile)
#   tmp                   a folder of its own, removed at the end
PLYMILL=${PLYMILL:-build/release/plymill}
FAKE_ENGINE=${FAKE_ENGINE:-build/release/tests/fake_engine}
number=0
bad=0
tmp=$(mktemp -d) || exit 1
struck=$tmp/mark # what an engine with a fault leaves that strikes once
trap 'rm -rf "$tmp"' EXIT

# check NAME COMMAND...: the command must succeed.
check() {
    check_name=$1
    shift
    number=$((number + 1))
    if "$@" >"$tmp/check.out" 2>&1; then
        echo "ok $number - $check_name"
    else
        echo "not ok $number - $check_name"
        sed 's/^/# /' "$tmp/check.out"
        bad=$((bad + 1))
    fi
}

# skip NAME REASON
skip() {
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

# fails CODE PATTERN COMMAND...: it must end with that exit code, nothing on stdout, and one line on
# stderr that matches the pattern.
fails() {
    want=$1 pattern=$2
    shift 2
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    [ "$got" -eq "$want" ] || { echo "exit code $got, not $want"; cat "$tmp/err"; return 1; }
    [ "$(wc -l <"$tmp/err")" -eq 1 ] || { echo "not one line:"; cat "$tmp/err"; return 1; }
    grep -qE -- "$pattern" "$tmp/err" || { echo "no match for $pattern:"; cat "$tmp/err"; return 1; }
}

# same FILE FILE
same() {
    cmp -s "$1" "$2" || { echo "$1 and $2 differ"; diff "$1" "$2" | head -n 5; return 1; }
}

# python_with MODULE, ...: a Python that has them, or nothing.
python_with() {
    for each in /usr/bin/python3 python3; do
        "$each" -c "import $*" 2>/dev/null && { echo "$each"; return; }
    done
}

# demo_games N: the first N games of the demo.
demo_games() {
    zstd -dcq configs/demo.pgn.zst | awk -v last="$1" '/^\[Event /{n++} n > last{exit} {print}'
}

# keep_all: the end of a recipe by which every sample becomes a record of train.
keep_all() {
    cat <<'T'
[filter]
mate = "keep"
capture = "keep"
promotion = "keep"
[split]
shares = [100, 0, 0]
duplicates = "none"
leaks = "keep"
[export]
formats = ["csv"]
T
}

# until_true COMMAND...: asks again for a minute, as a busy machine may need, until it succeeds.
until_true() {
    for _ in $(seq 600); do
        "$@" && return
        sleep 0.1
    done
    echo "waited in vain for: $*"
    return 1
}

# late DIR: how many engines of the build were taken for hanging.
late() {
    found=$("$PLYMILL" status "$1" 2>/dev/null | sed -n 's/^ *of these for being late *//p' | tr -d ,)
    echo "${found:-0}"
}

# patiently DIR HANGS COMMAND...: a build in DIR, whose engines get $patience milliseconds for a label. On a
# busy machine an engine without a fault can take longer: then, and only then, which more late engines than
# HANGS tell, it is made again with four times the patience. $struck is no longer there each time.
patiently() {
    patient_dir=$1 hangs=$2 patience=500
    shift 2
    while :; do
        rm -rf "$patient_dir" "$struck"
        "$@"
        code=$?
        [ "$(late "$patient_dir")" -gt "$hangs" ] && [ "$patience" -lt 60000 ] || return "$code"
        patience=$((patience * 4))
    done
}

# build_fresh OPTIONS...: $tmp/recipe.toml into a new $tmp/b; the table it prints is left in $tmp/funnel.
build_fresh() {
    rm -rf "$tmp/b"
    "$PLYMILL" build "$tmp/recipe.toml" --quiet -o "$tmp/b" "$@" >"$tmp/funnel"
}

# count NAME: the number behind the name in $tmp/funnel, of all splits.
count() {
    sed 's/,//g' "$tmp/funnel" | sed -n "s/^  $1  *\\([0-9]*\\).*/\\1/p"
}

# counts NAME NUMBER NAME NUMBER...
counts() {
    while [ $# -gt 0 ]; do
        [ "$(count "$1")" = "$2" ] || { echo "$1 is not $2"; cat "$tmp/funnel"; return 1; }
        shift 2
    done
}

# build_id DIR
build_id() {
    sed -n 's/^ *"build_id": "\(.*\)".*/\1/p' "$1/manifest.json"
}

# same_build_id DIR DIR
same_build_id() {
    [ -n "$(build_id "$1")" ] && [ "$(build_id "$1")" = "$(build_id "$2")" ]
}

# same_dataset DIR DIR: records, one file of the dataset, build id.
same_dataset() {
    for file in records/train.rec records/validation.rec records/test.rec dataset/train.csv.zst; do
        same "$1/$file" "$2/$file" || return 1
    done
    same_build_id "$1" "$2"
}

finish() {
    echo "1..$number"
    [ "$bad" -eq 0 ]
    exit
}
