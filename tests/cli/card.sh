#!/bin/sh
# README.md of a build: front matter that a YAML reader and a dataset hub understand, and text that
# is true of what lies beside it.
. tests/cli/lib.sh
MAKEGAMES=${MAKEGAMES:-$(dirname "$FAKE_ENGINE")/makegames}

cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 1
[sample]
per_game = "all"
min_ply = 2
[label]
source = "lichess-eval"
[split]
shares = [60, 40, 0]
[export]
formats = ["csv", "plain", "jsonl"]
positions_per_file = 500
score_scale = 2.0
T
"$MAKEGAMES" 60 60 11 >"$tmp/a|b.pgn"
card=$tmp/b/README.md
build() {
    "$PLYMILL" build "$tmp/recipe.toml" --quiet -o "$tmp/b" --input "$tmp/a|b.pgn" "$@" >"$tmp/funnel"
}
head_of() {
    sed -n '1d; /^---$/q; p' "$card"
}
check 'a build' build
begins() {
    [ "$(head -n 1 "$card")" = --- ] && [ "$(grep -c '^---$' "$card")" -eq 2 ] &&
        head_of | grep -qx 'license: unknown' && head_of | grep -qx -- '- 1K<n<10K' &&
        ! head_of | grep -q "$(printf '\t')"
}
check 'front matter stands at the top' begins
# Every file of a format that a hub shows stands there once, under its split; and no other file.
files_are_named() {
    head_of | sed -n 's/^    - //p' | sort >"$tmp/named"
    (cd "$tmp/b" && ls dataset/*.csv.zst dataset/*.jsonl.zst) | grep -v '/test-' | sort >"$tmp/there"
    [ "$(wc -l <"$tmp/there")" -ge 6 ] && same "$tmp/there" "$tmp/named" || return 1
    head_of | awk '/split: /{ split_name = $3 }
        /^    - /{ if (index($2, "dataset/" split_name "-") != 1) { print; bad = 1 } }
        END { exit bad }'
}
check 'it names the files of each split' files_are_named
if python3 -c 'import yaml' 2>/dev/null; then
    cat >"$tmp/read.py" <<'P'
import os, sys, yaml
folder = sys.argv[1]
text = open(folder + "/README.md", encoding="utf-8").read()
assert text.startswith("---\n")
head = yaml.safe_load(text[4:text.index("\n---\n", 4) + 1])
assert head["license"] == sys.argv[2]
assert head["size_categories"] == ["1K<n<10K"], head["size_categories"]
assert head["task_categories"] == ["tabular-regression"]
assert "chess" in head["tags"]
assert [c["config_name"] for c in head["configs"]] == ["csv", "jsonl"]
assert [c.get("default", False) for c in head["configs"]] == [True, False]
for config in head["configs"]:
    assert [d["split"] for d in config["data_files"]] == ["train", "validation"]
    for data in config["data_files"]:
        for path in data["path"]:
            assert os.path.exists(folder + "/" + path), path
            assert config["config_name"] in path and data["split"] in path
P
    check 'a YAML reader takes it' python3 "$tmp/read.py" "$tmp/b" unknown
else
    skip 'a YAML reader takes it' 'no python3 with yaml'
fi

rows() {
    sed -n "/^## $1/,/^## [^$(printf %.1s "$1")]/p" "$card" | grep '^| '
}
sources_are_there() {
    grep -qF "| a\\|b.pgn | \`$(sha256sum <"$tmp/a|b.pgn" | cut -d' ' -f1)\` | $(wc -c <"$tmp/a|b.pgn") | 60 games |" \
        "$card"
}
check 'the sources with their digests' sources_are_there
fates_add_up() {
    rows 'What became' | awk -F'|' '$2 !~ /sampled/ { for (i = 3; i < 6; i++) sum[i] += $i }
        $2 ~ /sampled/ { for (i = 3; i < 6; i++) if ($i != sum[i]) bad = 1; seen = 1 }
        END { exit bad || !seen || sum[3] < 100 }'
}
check 'the fates add up' fates_add_up
shared_are_told() {
    for key in label board leak; do
        before=$(sed -n "s/^ *\"in several splits: $key key\": \([0-9]*\),*$/\1/p" "$tmp/b/manifest.json")
        after=$(sed -n "s/^ *\"left in several splits: $key key\": \([0-9]*\),*$/\1/p" "$tmp/b/manifest.json")
        rows Splits | grep -q "^| $key key (.*) | $before | $after |$" || return 1
    done
    [ "$before" -gt 0 ] && [ "$after" -eq 0 ]
}
check 'what stands in several splits' shared_are_told
units_are_told() {
    grep -qE '^- `csv`: centipawns(;|$)' "$card" &&
        grep -qE '^- `plain`: internal units of the engine, 2 to a centipawn(;|$)' "$card"
}
check 'the units' units_are_told
# The recipe of the card and the sources make the same build.
again() {
    sed -n '/^```toml$/,/^```$/p' "$card" | sed '1d;$d' >"$tmp/again.toml"
    "$PLYMILL" build "$tmp/again.toml" --quiet -o "$tmp/again" --input "$tmp/a|b.pgn" >/dev/null &&
        same "$card" "$tmp/again/README.md"
}
check 'its recipe makes the same build' again

license() {
    before=$(sha256sum <"$tmp/b/manifest.json")
    build --export.license cc0-1.0 && head_of | grep -qx 'license: cc0-1.0' &&
        grep -q '^Licence: `cc0-1.0`.$' "$card" && [ "$(sha256sum <"$tmp/b/manifest.json")" = "$before" ]
}
check 'a licence changes the card and nothing else' license
check 'what is no licence id' fails 2 'export.license: expected an id' \
    "$PLYMILL" build "$tmp/recipe.toml" -o "$tmp/none" --export.license 'a: b'
no_viewer() {
    build --export.formats plain && head_of | grep -qx 'viewer: false' && ! head_of | grep -q configs
}
check 'formats that no hub shows switch its viewer off' no_viewer
unsplit() {
    rm -rf "$tmp/b"
    build --export.formats csv --export.positions_per_file 100000 --split.shares 0,0,100 &&
        [ "$(head_of | sed -n 's/^    - //p')" = dataset/test-0000.csv.zst ]
}
check 'an empty split is left out' unsplit
finish
