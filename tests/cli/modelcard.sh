#!/bin/sh
# The card beside a net: true of the files, the same for the same net, readable by hubs.
. tests/cli/lib.sh
MAKEGAMES=${MAKEGAMES:-$(dirname "$FAKE_ENGINE")/makegames}

cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 1
[sample]
per_game = 20
[label]
source = "lichess-eval"
[split]
shares = [80, 20, 0]
T
"$MAKEGAMES" 60 60 4 >"$tmp/games.pgn"
"$PLYMILL" build "$tmp/recipe.toml" --quiet -o "$tmp/b" --input "$tmp/games.pgn" >/dev/null
train() {
    mkdir -p "$1" && "$PLYMILL" train "$tmp/b" -o "$1/net.safetensors" --arch '769->8->8->1' \
        --train.preset tinynnue --train.epochs 3 --quiet
}
holds() {
    grep -qF -- "$2" "$1" || { echo "not there: $2"; cat "$1"; return 1; }
}
value_of() {
    sed -n "s/^ *\"$2\": \"\(.*\)\",*$/\1/p" "$1" | head -n 1
}
check 'a net' train "$tmp/one"
card=$tmp/one/net.card.md
about_the_net() {
    holds "$card" "- file: \`net.safetensors\`, $(stat -c %s "$tmp/one/net.safetensors") bytes, SHA-256 \`$(
        sha256sum <"$tmp/one/net.safetensors" | cut -d' ' -f1)\`" &&
        holds "$card" '- architecture: `769->8->8->1`' &&
        holds "$card" "- parameters: $((769 * 8 + 8 + 8 * 8 + 8 + 8 + 1))"
}
check 'its card says what the file is' about_the_net
# Two units, told apart: that of eval's values, and that of the last layer, of which they are made.
units() {
    "$PLYMILL" eval "$tmp/one/net.safetensors" startpos >"$tmp/value" &&
        "$PLYMILL" eval "$tmp/one/net.safetensors" startpos --cp >"$tmp/cp" && same "$tmp/value" "$tmp/cp" &&
        holds "$card" '- what `plymill eval` prints, times 1: centipawns' && holds "$card" '| unit_cp | `400` |' &&
        holds "$card" '`unit_cp` what 1.0 of the last layer is worth in'
}
check 'and in which unit its values are' units
about_the_training() {
    holds "$card" "| train.records | \`$(sha256sum <"$tmp/b/records/train.rec" | cut -d' ' -f1)\` |" &&
        holds "$card" "| train.build | \`$(value_of "$tmp/b/manifest.json" build_id)\` |" &&
        holds "$card" '| train.epochs | `3` |' &&
        holds "$card" "| last | $(tail -n 1 "$tmp/one/net.train.csv" | sed 's/,/ | /g') |"
}
check 'what it was trained on, and how' about_the_training
hub_reads() {
    [ "$(head -n 1 "$card")" = --- ] && [ "$(grep -c '^---$' "$card")" -eq 2 ] || return 1
    python3 -c 'import yaml' 2>/dev/null || return 0
    python3 - "$card" <<'P'
import sys, yaml
text = open(sys.argv[1], encoding="utf-8").read()
head = yaml.safe_load(text[4:text.index("\n---\n", 4) + 1])
assert head["license"] == "unknown" and head["library_name"] == "plymill"
assert "nnue" in head["tags"]
P
}
check 'its front matter is YAML' hub_reads
twice() {
    train "$tmp/two" && same "$tmp/one/net.card.md" "$tmp/two/net.card.md"
}
check 'the same net has the same card, elsewhere too' twice
quantised() {
    "$PLYMILL" quantize "$tmp/one/net.safetensors" -o "$tmp/one/small.safetensors" --quiet >/dev/null ||
        return 1
    small=$tmp/one/small.card.md
    holds "$small" "SHA-256 \`$(sha256sum <"$tmp/one/small.safetensors" | cut -d' ' -f1)\`" &&
        holds "$small" "- quantised from: \`net.safetensors\`, $(stat -c %s "$tmp/one/net.safetensors") bytes" &&
        holds "$small" "$(grep '^| last | 3 ' "$card")" && holds "$small" 'in integers' &&
        holds "$small" "$(grep '^| train.records ' "$card")"
}
check 'a quantised net has one, too' quantised
finish
