#!/bin/sh
# A build directory that is built again with another recipe, or that lost something: the right stages
# run again, nothing stale stays beside new files, and what is refused changes nothing.
. tests/cli/lib.sh

cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 2
[label]
nodes = 50
[split]
shares = [60, 20, 20]
[export]
formats = ["plain", "csv"]
score_scale = 2.0
T
demo_games 20 >"$tmp/games.pgn"
build() {
    "$PLYMILL" build "$tmp/recipe.toml" --input "$tmp/games.pgn" --engine "$FAKE_ENGINE" --quiet "$@"
}
# holds NAMES...: in dataset/.
holds() {
    [ "$(ls "$tmp/b/dataset" | tr '\n' ' ')" = "$*${*:+ }" ] ||
        { echo "dataset holds $(ls "$tmp/b/dataset")"; return 1; }
}
sums_hold() {
    (cd "$tmp/b" && sha256sum -c --quiet SHA256SUMS)
}
is_as_first() {
    same "$tmp/first/manifest.json" "$tmp/b/manifest.json" && sums_hold
}

check 'a build' build -o "$tmp/b"
cp -r "$tmp/b" "$tmp/first"
echo '<p>old</p>' >"$tmp/b/report.html"
other_formats() {
    "$PLYMILL" export "$tmp/b" --export.formats csv --quiet || return 1
    holds test.csv.zst train.csv.zst validation.csv.zst && sums_hold
}
check 'files of a format that is no longer exported go' other_formats
check 'and so does a report of the old files' test ! -e "$tmp/b/report.html"
other_selection() {
    "$PLYMILL" select "$tmp/b" --filter.capture keep --filter.mate keep --quiet || return 1
    holds && [ ! -e "$tmp/b/manifest.json" ] && [ ! -e "$tmp/b/SHA256SUMS" ]
}
check 'another selection leaves no old dataset and manifest' other_selection
plan_is() {
    "$PLYMILL" build "$tmp/b" --dry-run | tr -s ' \n' ' ' >"$tmp/plan"
    [ "$(cat "$tmp/plan")" = "$1" ] || { cat "$tmp/plan"; return 1; }
}
check 'export is to do' plan_is 'sample done label done select done export to do '
check 'and the first recipe' build -o "$tmp/b"
check 'gives the first bytes' is_as_first
user_file() {
    echo mine >"$tmp/b/dataset/notes.txt"
    "$PLYMILL" export "$tmp/b" --export.formats plain --quiet || return 1
    [ "$(cat "$tmp/b/dataset/notes.txt")" = mine ] && rm "$tmp/b/dataset/notes.txt"
}
check 'a file of the user stays' user_file
build -o "$tmp/b" >"$tmp/out"

# refused CODE PATTERN ARGUMENTS...: and every file stays as it was, recipe.toml too.
refused() {
    refused_code=$1 refused_pattern=$2
    shift 2
    (cd "$tmp/b" && find . -type f ! -name build.db -exec sha256sum {} + | sort) >"$tmp/before"
    fails "$refused_code" "$refused_pattern" "$PLYMILL" "$@" || return 1
    (cd "$tmp/b" && find . -type f ! -name build.db -exec sha256sum {} + | sort) >"$tmp/after"
    same "$tmp/before" "$tmp/after"
}
check 'other nodes are refused' refused 1 'label.nodes was 50, now 77' \
    build "$tmp/b" --nodes 77 --engine "$FAKE_ENGINE" --quiet
check 'other samples are refused' refused 1 'sample.seed was 0, now 5' \
    build "$tmp/b" --sample.seed 5 --engine "$FAKE_ENGINE" --quiet
check 'other shards are refused' refused 2 'began with 2 shards' build "$tmp/b" --shards 3 --quiet
sed '/score_scale/d' "$tmp/recipe.toml" >"$tmp/scale.toml"
echo "[input]
files = [\"$tmp/games.pgn\"]" >>"$tmp/scale.toml"
check 'an unknown scale is refused before anything is removed' refused 2 'export.score_scale' \
    build "$tmp/scale.toml" -o "$tmp/b" --engine "$FAKE_ENGINE" --quiet
check 'after all of which the build is whole' is_as_first

lost() {
    rm "$tmp/b/$1"
    build -o "$tmp/b" && [ -e "$tmp/b/$1" ] && is_as_first || return 1
    case $1 in *.db) ;; *) same "$tmp/first/$1" "$tmp/b/$1" ;; esac
}
for file in shards/0000.samples.db shards/0001.labels.db records/train.rec dataset/test.csv.zst \
    manifest.json SHA256SUMS quarantine.tsv recipe.toml; do
    check "$file is lost and made again" lost "$file"
done
leftovers() {
    for name in shards/0001.samples.db.tmp-12-journal shards/0000.labels.db.work \
        shards/0000.labels.db.work-wal shards/0001.samples.db.work records/sort.tmp-123-a1b2c3 \
        dataset/train.csv.zst.tmp-77 manifest.json.tmp-8-1; do
        echo rest >"$tmp/b/$name"
    done
    build -o "$tmp/b" || return 1
    left=$(find "$tmp/b" -name '*.tmp-*' -o -name '*.work*')
    [ -z "$left" ] || { echo "left: $left"; return 1; }
}
check 'rests of killed drivers are removed' leftovers

# Same size, other games, and a shard of the samples is lost: the labels fit no longer.
other_content() {
    cp -r "$tmp/first" "$tmp/c"
    cp "$tmp/games.pgn" "$tmp/kept.pgn"
    sed 's,lichess.org/...,lichess.org/zzz,' "$tmp/kept.pgn" >"$tmp/games.pgn"
    rm "$tmp/c/shards/0000.samples.db"
    fails 1 'its labels were made with other' "$PLYMILL" build "$tmp/c" --engine "$FAKE_ENGINE" --quiet
    status=$?
    mv "$tmp/kept.pgn" "$tmp/games.pgn"
    return "$status"
}
check 'labels are never joined with other samples' other_content

input_gone() {
    cp "$tmp/games.pgn" "$tmp/gone.pgn"
    "$PLYMILL" sample "$tmp/recipe.toml" --input "$tmp/gone.pgn" -o "$tmp/g" --quiet || return 1
    rm "$tmp/gone.pgn"
    "$PLYMILL" build "$tmp/g" --engine "$FAKE_ENGINE" --quiet || return 1
    same "$tmp/first/records/train.rec" "$tmp/g/records/train.rec" || return 1
    rm "$tmp/g/shards/0000.samples.db"
    fails 1 'gone.pgn: No such file' "$PLYMILL" build "$tmp/g" --engine "$FAKE_ENGINE" --quiet
}
check 'the input may go once it is sampled' input_gone
check 'and is asked for before what it made is removed' test -e "$tmp/g/manifest.json"

damaged() {
    head -c 5000 "$tmp/games.pgn" >"$tmp/b/$1"
    fails 1 "$1" "$PLYMILL" select "$tmp/b" --filter.capture keep || return 1
    grep -q "$2" "$tmp/err" || { cat "$tmp/err"; return 1; }
    rm "$tmp/b/$1"
    build -o "$tmp/b" && is_as_first
}
check 'a damaged shard is named, and made again once it is removed' \
    damaged shards/0001.labels.db 'is damaged (5000 bytes, not [0-9]*); remove it'
damaged_catalogue() {
    cp "$tmp/games.pgn" "$tmp/c/build.db"
    fails 1 "$tmp/c/build.db: damaged" "$PLYMILL" build "$tmp/c" --engine "$FAKE_ENGINE" --quiet &&
        fails 1 "$tmp/c/build.db: damaged" "$PLYMILL" status "$tmp/c"
}
check 'a damaged catalogue is named with its path' damaged_catalogue
nothing_yet() {
    mkdir "$tmp/n" && cp "$tmp/recipe.toml" "$tmp/n" && : >"$tmp/n/build.db"
    fails 1 'nothing was built here yet' "$PLYMILL" status "$tmp/n"
}
check 'status of a build that was killed at its start' nothing_yet

# odd NAME: a path of that name as input and as directory.
odd() {
    mkdir -p "$tmp/odd" && cp "$tmp/games.pgn" "$tmp/odd/$1.pgn"
    "$PLYMILL" build "$tmp/recipe.toml" --input "$tmp/odd/$1.pgn" --engine "$FAKE_ENGINE" --quiet \
        -o "$tmp/odd/$1" || return 1
    "$PLYMILL" build "$tmp/odd/$1" --engine "$FAKE_ENGINE" --quiet &&
        same "$tmp/first/records/test.rec" "$tmp/odd/$1/records/test.rec"
}
for name in 'a b' "it's \"so\"" 'p%20?x=y#z' 'back\slash' '~$HOME;*'; do
    check "a path with $name" odd "$name"
done
no_directory() {
    for stage in label select export; do
        fails 2 'no such recipe or build directory' "$PLYMILL" "$stage" "$tmp/none" &&
            [ ! -e "$tmp/none" ] || return 1
    done
}
check 'only build and sample make a directory' no_directory
check 'an empty directory name' fails 2 'needs a value' "$PLYMILL" build "$tmp/recipe.toml" -o ''
check 'an empty argument' fails 2 'argument 1 is empty' "$PLYMILL" status ''
line_break() {
    fails 1 'new.line' "$PLYMILL" status "$(printf 'new\nline')"
}
check 'a line break in a name stays one line' line_break
finish
