#!/bin/sh
# Datasets out of a build: files of every format hold the same, what does not fit is counted or an
# error, files of a limited size, what is refused, and what is said about units.
. tests/cli/lib.sh

cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 2
[sample]
per_game = 5
min_ply = 4
[label]
nodes = 50
[filter]
mate = "keep"
capture = "keep"
[split]
shares = [60, 20, 20]
[export]
formats = ["plain"]
score_scale = 2.0
T
demo_games 40 >"$tmp/games.pgn"
export_as() {
    "$PLYMILL" export "$tmp/b" --quiet --export.formats "$@"
}
# manifest JQ-LIKE: the text stands in the manifest without its blanks.
manifest_has() {
    tr -d ' \n' <"$tmp/b/manifest.json" | grep -qF "$1" || { cat "$tmp/b/manifest.json"; return 1; }
}
records() {
    tr -d ' \n' <"$tmp/b/manifest.json" | tr '{' '\n' |
        sed -n "s|^\"name\":\"dataset/$1\",\"records\":\([0-9]*\),.*|\1|p"
}

check 'a build' "$PLYMILL" build "$tmp/recipe.toml" --input "$tmp/games.pgn" \
    --engine "$FAKE_ENGINE" --quiet -o "$tmp/b"
check 'all formats' export_as plain,bin,binpack,bullet,marlin,csv,jsonl,epd
fixed_sizes() {
    for name in train.bin:40 train.bullet:32 train.marlin:32 test.bin:40 test.bullet:32; do
        file=${name%:*}
        n=$(records "$file")
        [ "$n" -gt 0 ] && [ "$(wc -c <"$tmp/b/dataset/$file")" -eq $((n * ${name#*:})) ] ||
            { echo "$file: $n records, $(wc -c <"$tmp/b/dataset/$file") bytes"; return 1; }
    done
}
check 'trainer formats are as long as their records' fixed_sizes
# The score unit is that of the files on both sides: nothing is scaled twice.
converted() {
    "$PLYMILL" convert "$tmp/b/dataset/train.$1" "$tmp/x.plain" --quiet >/dev/null || return 1
    zstd -dcq "$tmp/b/dataset/train.plain.zst" >"$tmp/train.plain"
    same "$tmp/train.plain" "$tmp/x.plain"
}
check 'bin holds what plain holds' converted bin
check 'binpack too, but for the full-move number, which it has not' eval '
    "$PLYMILL" convert "$tmp/b/dataset/train.binpack" "$tmp/x.plain" --quiet >/dev/null &&
    grep -v "^fen" "$tmp/x.plain" >"$tmp/x" && grep -v "^fen" "$tmp/train.plain" >"$tmp/y" &&
    same "$tmp/x" "$tmp/y"'
all_fields() {
    for name in jsonl epd; do
        [ "$(zstd -dcq "$tmp/b/dataset/train.$name.zst" | wc -l)" -eq "$(records train.csv.zst)" ] ||
            return 1
    done
    [ "$(records train.csv.zst)" -gt "$(records train.plain.zst)" ] # mates
}
check 'csv, jsonl and epd hold mates too' all_fields
check 'those left out are counted by format and reason' manifest_has '"bullet:matescore":'
sums_hold() {
    (cd "$tmp/b" && sha256sum -c --quiet SHA256SUMS)
}
check 'the sums hold' sums_hold

units() {
    manifest_has '"plain":{"unit":"engineinternal","units_per_centipawn":2.0,"fitted_sigmoid_scale":' &&
        manifest_has '"binpack":{"unit":"engineinternal","units_per_centipawn":2.0,' &&
        manifest_has '"bullet":{"unit":"centipawn","units_per_centipawn":1.0,' &&
        manifest_has '"csv":{"unit":"centipawn",'
}
check 'the manifest says which unit each is in' units
# scale FORMAT: as the manifest says.
scale() {
    tr -d ' \n' <"$tmp/b/manifest.json" |
        sed "s/.*\"$1\":{\"unit\":[^}]*\"fitted_sigmoid_scale\":\([0-9]*\).*/\1/"
}
fitted() {
    cp=$(scale bullet)
    [ "$cp" -ge 20 ] && [ "$(scale plain)" -eq $((2 * cp)) ] && [ "$(scale csv)" -eq "$cp" ] || {
        echo "bullet $cp, plain $(scale plain), csv $(scale csv)"
        return 1
    }
    grep -qF -- "- \`bin\`: internal units of the engine, 2 to a centipawn; fitted sigmoid scale $((2 * cp))" \
        "$tmp/b/README.md" &&
        grep -qF -- "- \`marlin\`: centipawns; fitted sigmoid scale $cp" "$tmp/b/README.md" &&
        grep -qF 'eval_scale' "$tmp/b/README.md"
}
check 'the scale that fits the results is stated in that unit' fitted
in_report() {
    "$PLYMILL" report "$tmp/b" --quiet >/dev/null && grep -q 'Fitted sigmoid scale' "$tmp/b/report.html"
}
check 'also in the report' in_report
internal_csv() {
    export_as csv,bullet --export.score_unit internal &&
        manifest_has '"csv":{"unit":"centipawn",' &&
        manifest_has '"bullet":{"unit":"engineinternal","units_per_centipawn":2.0,'
}
check 'csv is in centipawns whatever unit is asked for' internal_csv

pieces() {
    export_as plain,csv --export.score_unit auto || return 1
    zstd -dcq "$tmp/b/dataset/train.plain.zst" >"$tmp/whole.plain"
    n=$(records train.csv.zst)
    export_as plain,csv --export.positions_per_file 20 || return 1
    for i in $(seq 0 $(((n - 1) / 20))); do
        name=train-$(printf %04d "$i")
        [ "$(zstd -dcq "$tmp/b/dataset/$name.csv.zst" | wc -l)" -le 21 ] || return 1
        zstd -dcq "$tmp/b/dataset/$name.plain.zst" || return 1
    done >"$tmp/joined.plain"
    same "$tmp/whole.plain" "$tmp/joined.plain" || return 1
    [ "$(ls "$tmp/b/dataset" | grep -c '^train-.*csv')" -eq $(((n + 19) / 20)) ] &&
        [ ! -e "$tmp/b/dataset/train.csv.zst" ] && sums_hold
}
check 'files of a limited number of positions are the whole in pieces' pieces
check "one file again" eval 'export_as csv --export.positions_per_file 1000000 && [ "$(ls "$tmp/b/dataset" | wc -l)" -eq 3 ]'

strict() {
    fails 1 '^plymill: train: record [0-9]+ \(game [A-Za-z0-9]+, ply [0-9]+\) does not fit the format bullet: mate score; without export.strict' \
        "$PLYMILL" export "$tmp/b" --quiet --export.formats bullet --strict
}
check '--strict: a mate in bullet is an error' strict
nothing_published() {
    [ -z "$(ls "$tmp/b/dataset")" ] || { ls "$tmp/b/dataset"; return 1; }
}
check 'and nothing is published' nothing_published
check '--strict: every record fits csv' "$PLYMILL" export "$tmp/b" --quiet --export.formats csv --strict
check 'the recipe keeps it' grep -qx 'strict = true' "$tmp/b/recipe.toml"
check 'and so it is an error the next time' fails 1 'does not fit the format bin: mate score' \
    "$PLYMILL" export "$tmp/b" --quiet --export.formats bin

refused() {
    reason=$1
    shift
    fails 2 "^plymill: viri holds whole games.* needs export.move = \"played\".*; here $reason" "$@"
}
check 'viri needs the moves played' refused 'export.move is "best"' \
    "$PLYMILL" export "$tmp/b" --quiet --export.formats viri
check 'and all positions of a game' refused 'sample.per_game is a number' \
    "$PLYMILL" export "$tmp/b" --quiet --export.formats viri --export.move played

# Games that lie whole in the records: chains.
cat >"$tmp/games.toml" <<'T'
[build]
shards = 2
[sample]
per_game = "all"
min_ply = 0
in_check = true
[label]
nodes = 20
[filter]
mate = "keep"
capture = "keep"
promotion = "keep"
[split]
shares = [60, 20, 20]
duplicates = "none"
leaks = "keep"
[shuffle]
by = "game"
[export]
formats = ["plain", "binpack", "viri"]
move = "played"
score_unit = "cp"
T
games() {
    "$PLYMILL" build "$tmp/games.toml" --input "$tmp/games.pgn" --engine "$FAKE_ENGINE" --quiet \
        -o "$tmp/b" "$@"
}
rm -rf "$tmp/b"
check 'a build of whole games' games
chained() {
    n=$(records train.binpack)
    [ "$n" -gt 500 ] && [ "$n" -eq "$(records train.plain.zst)" ] || { echo "$n records"; return 1; }
    [ "$(wc -c <"$tmp/b/dataset/train.binpack")" -lt $((n * 6)) ]
}
check 'binpack holds chains' chained
same_moves() {
    "$PLYMILL" convert "$tmp/b/dataset/train.$1" "$tmp/x.plain" --quiet >/dev/null || return 1
    zstd -dcq "$tmp/b/dataset/train.plain.zst" | grep -E "^($2)" >"$tmp/x"
    grep -E "^($2)" "$tmp/x.plain" >"$tmp/y"
    same "$tmp/x" "$tmp/y"
}
check 'of the moves played' same_moves binpack 'move|score|ply|result'
check 'viri holds them too' same_moves viri 'move|score|result'
# A mate of the fake engine ends a game: 36 bytes for each, 4 for a move.
check 'in games of more than ten moves' eval '
    [ "$(wc -c <"$tmp/b/dataset/train.viri")" -lt $(($(records train.viri) * 7)) ]'
check 'without chains binpack takes 34 bytes a position' eval '
    "$PLYMILL" export "$tmp/b" --quiet --export.formats binpack --export.move best &&
    [ "$(wc -c <"$tmp/b/dataset/train.binpack")" -ge $(($(records train.binpack) * 34)) ]'
whole_games() {
    "$PLYMILL" export "$tmp/b" --quiet --export.formats viri,jsonl --export.move played \
        --export.positions_per_file 300 || return 1
    ls "$tmp/b/dataset" | grep -c '^train-.*viri$' >"$tmp/n" && [ "$(cat "$tmp/n")" -gt 1 ] || return 1
    for file in "$tmp/b/dataset"/train-*.jsonl.zst; do
        zstd -dcq "$file" | sed 's/.*"game_id":"\([^"]*\)".*/\1/' | sort -u
    done >"$tmp/ids"
    [ "$(sort "$tmp/ids" | uniq -d | wc -l)" -eq 0 ]
}
check 'no game is cut by a limit on files' whole_games
check 'viri needs games in order' refused 'shuffle.by is "record"' "$PLYMILL" build \
    "$tmp/games.toml" --input "$tmp/games.pgn" --engine "$FAKE_ENGINE" --shuffle.by record -o "$tmp/no"
finish
