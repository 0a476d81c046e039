#!/bin/sh
# check on nets of several kinds: what it prints, games out of archives, JSON.
. tests/cli/lib.sh

# A quantised.bin of zeros but for the last bias.
letters=bulletbulletbulletbulletbulletbulletbulletbulletbulletbu
{ head -c 1542 /dev/zero; printf '\300\077%s' $letters; } >"$tmp/quantised.bin"
arch='(768->1)x2->1 screlu'

check 'a quantised.bin needs its arch' fails 1 'quantised.bin needs its arch' \
    "$PLYMILL" check "$tmp/quantised.bin"
check 'a level that is none' fails 2 'expected one of auto, scalar' \
    "$PLYMILL" check "$tmp/quantised.bin" --arch "$arch" --isa sse9
check 'a file that is no net' fails 1 'not a net' "$PLYMILL" check configs/demo.pgn.zst
check 'a folder' fails 1 'not a net, but a directory' "$PLYMILL" check "$tmp"

by_arch() {
    "$PLYMILL" check "$tmp/quantised.bin" --arch "$arch" >"$tmp/given" &&
        [ "$(tail -n 1 "$tmp/given")" = 'exact: incremental = refresh = scalar' ] &&
        grep -qE '^ +scalar +reference$' "$tmp/given" &&
        grep -qE '^ +avx2 +(compared|skipped: this CPU lacks it)$' "$tmp/given" &&
        grep -qE '^ +neon +(compared|skipped: this CPU lacks it)$' "$tmp/given" &&
        grep -qE '^steps +36,156$' "$tmp/given" && grep -qE '^differences +0$' "$tmp/given" &&
        grep -qE '^ +any board +0 \.\. 0$' "$tmp/given" &&
        grep -qE '^parameters: 3,088 bytes as float, 1,544 as integers$' "$tmp/given"
}
check 'given as an option' by_arch
by_side_file() {
    echo "$arch" >"$tmp/quantised.bin.arch"
    "$PLYMILL" check "$tmp/quantised.bin" >"$tmp/side" && same "$tmp/given" "$tmp/side"
}
check 'or in a side file' by_side_file
one_level() {
    "$PLYMILL" check "$tmp/quantised.bin" --isa scalar >"$tmp/one" &&
        ! grep -qE 'avx2|neon|skipped' "$tmp/one" && grep -qE '^ +scalar +reference$' "$tmp/one"
}
check 'one instruction set' one_level
games() {
    demo_games 5 >"$tmp/g.pgn"
    "$PLYMILL" check "$tmp/quantised.bin" --games "$tmp/g.pgn" >"$tmp/games" || return 1
    grep -qE '^games from the archive +5$' "$tmp/games" &&
        [ "$(awk '$1=="steps"{gsub(",", ""); print $2}' "$tmp/games")" -gt 36200 ]
}
check 'games out of an archive' games
check 'that must be there' fails 1 'none.pgn' "$PLYMILL" check "$tmp/quantised.bin" --games "$tmp/none.pgn"
as_json() {
    "$PLYMILL" check "$tmp/quantised.bin" --json >"$tmp/json" && python3 - "$tmp/json" <<'EOF'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["arch"].startswith("(768->1)x2->1 screlu") and not d["float"] and d["verified"]
assert d["proof"]["steps"] == 36156 and d["proof"]["differences"] == 0
assert d["proof"]["kinds"]["null moves"] > 100 and len(d["proof"]["kinds"]) == 14
assert d["instruction_sets"][0] == {"isa": "scalar", "state": "reference", "differences": 0}
assert d["bounds"]["int16_safe"] and d["bounds"]["accumulators"]["loose"] == 0
EOF
}
if command -v python3 >/dev/null; then
    check '--json' as_json
else
    skip '--json' 'no python3'
fi
lite() {
    zstd -dqc ../shared/nets/nn-61e7af4bb97d.nnue.zst >"$tmp/lite.nnue" || return 1
    "$PLYMILL" check "$tmp/lite.nnue" >"$tmp/out" &&
        grep -q 'int16 accumulators are safe: none can wrap' "$tmp/out" &&
        [ "$(tail -n 1 "$tmp/out")" = 'exact: incremental = refresh = scalar' ]
}
if [ -s ../shared/nets/nn-61e7af4bb97d.nnue.zst ]; then
    check 'a real net' lite
else
    skip 'a real net' 'no ../shared/nets'
fi
finish
