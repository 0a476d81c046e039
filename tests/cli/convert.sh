#!/bin/sh
# convert: files of reference tools come out byte for byte, in every direction; what does not fit is
# counted; what is damaged is located; nothing half-written keeps a name.
. tests/cli/lib.sh

vectors=tests/data/vectors
convert() {
    "$PLYMILL" convert "$@" --quiet
}
for name in edge games200 shuffled200; do
    cp "$vectors/$name.in.plain" "$tmp/$name.plain"
done
# vector NAME FORMAT: the reference file of that format, out of the text.
vector() {
    convert "$tmp/$1.plain" "$tmp/$1.$2" && same "$vectors/$1.$2" "$tmp/$1.$2"
}
for name in edge games200; do
    for format in binpack bullet.bin marlin.bin viri.bin; do
        check "$name as $format" vector "$name" "$format"
    done
done
check 'shuffled200 as binpack' vector shuffled200 binpack
# The last byte of every 40 is padding: 0xff in the reference files.
bin_vector() {
    convert "$tmp/$1.plain" "$tmp/$1.bin" || return 1
    for file in "$vectors/$1.bin" "$tmp/$1.bin"; do
        od -An -v -tx1 -w40 "$file" | cut -c1-117 >"$tmp/$(basename "$(dirname "$file")").hex"
    done
    same "$tmp/vectors.hex" "$tmp/$(basename "$tmp").hex"
}
for name in edge games200 shuffled200; do
    check "$name as bin" bin_vector "$name"
done
back() {
    convert "$vectors/$1.$2" "$tmp/back.plain" && same "$tmp/$1.plain" "$tmp/back.plain"
}
for name in edge games200 shuffled200; do
    check "$name.bin is the text again" back "$name" bin
    check "$name.binpack is the text again" back "$name" binpack
done
through() {
    convert "$tmp/edge.plain" "$tmp/t.$1" && convert "$tmp/t.$1" "$tmp/back.plain" &&
        same "$tmp/edge.plain" "$tmp/back.plain"
}
for format in csv jsonl epd plain.zst csv.zst bin.zst; do
    check "the text through $format" through "$format"
done
compressed() {
    zstd -tq "$tmp/t.csv.zst" && [ "$(zstd -dcq "$tmp/t.csv.zst" | sed -n 2p | cut -d, -f3)" = \
        'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1' ]
}
check '.zst is compressed' compressed
piped() {
    zstd -q -c "$tmp/edge.plain" | "$PLYMILL" convert --from plain - - --to binpack --quiet \
        >"$tmp/piped" && same "$vectors/edge.binpack" "$tmp/piped"
}
check 'from stdin, compressed, to stdout' piped
joined() {
    convert "$tmp/edge.plain" "$vectors/games200.bin" "$tmp/joined.plain" &&
        cat "$tmp/edge.plain" "$tmp/games200.plain" >"$tmp/want" && same "$tmp/want" "$tmp/joined.plain"
}
check 'several inputs are joined in their order' joined
# As the reference tool, which starts a chain wherever a record does not continue the last.
no_chains() {
    convert "$tmp/games200.plain" "$tmp/single.binpack" --no-chains || return 1
    [ "$(wc -c <"$tmp/single.binpack")" -eq $((8 + 34 * 200)) ] || return 1
    convert "$tmp/single.binpack" "$tmp/back.plain" && same "$tmp/games200.plain" "$tmp/back.plain"
}
check '34 bytes a record without chains' no_chains
named() {
    cp "$vectors/edge.binpack" "$tmp/odd.name"
    convert --from binpack "$tmp/odd.name" --to plain "$tmp/other.name" &&
        same "$tmp/edge.plain" "$tmp/other.name"
}
check 'formats by option' named
unchecked() {
    convert --no-validate "$vectors/games200.bin" "$tmp/u.bullet.bin" &&
        same "$vectors/games200.bullet.bin" "$tmp/u.bullet.bin"
}
check 'without validation the same bytes' unchecked
over_itself() {
    cp "$tmp/edge.plain" "$tmp/self.plain"
    convert "$tmp/self.plain" "$tmp/self.plain" && same "$tmp/edge.plain" "$tmp/self.plain"
}
check 'a file over itself' over_itself

# Scores: numbers stay, unless a scale is given; a note says where units may differ.
scores() {
    sed -n 's/^score //p' "$1" | tr '\n' ' '
}
{
    grep -v '^score' "$tmp/edge.plain" | sed -n '1,5p' | sed 's/^move.*/&\nscore 361/'
    grep -v '^score' "$tmp/edge.plain" | sed -n '6,10p' | sed 's/^move.*/&\nscore -181/'
} >"$tmp/two.plain"
kept() {
    convert "$tmp/two.plain" "$tmp/two.csv" && [ "$(cut -d, -f8 "$tmp/two.csv" | tr '\n' ' ')" = \
        'score 361 -181 ' ]
}
check 'numbers are kept' kept
scaled() {
    convert "$tmp/two.plain" "$tmp/two.csv" --from-scale 3.61 || return 1
    [ "$(cut -d, -f8 "$tmp/two.csv" | tr '\n' ' ')" = 'score 100 -50 ' ] || return 1
    convert "$tmp/two.csv" "$tmp/three.plain" --to-scale 3.28 || return 1
    [ "$(scores "$tmp/three.plain")" = '328 -164 ' ]
}
check 'or scaled to centipawns and from them' scaled
# says PATTERN COMMAND...: on stderr, with success.
says() {
    pattern=$1
    shift
    "$@" 2>"$tmp/err" >"$tmp/out" || return 1
    grep -qE -- "$pattern" "$tmp/err" || { cat "$tmp/err"; return 1; }
}
silent() {
    "$@" 2>"$tmp/err" >"$tmp/out" || return 1
    ! grep 'note' "$tmp/err"
}
check 'a note from internal units to centipawns' says 'note: scores are copied.*--from-scale' \
    "$PLYMILL" convert "$tmp/two.plain" "$tmp/two.csv"
check 'and the other way' says 'note: scores are copied.*--to-scale' \
    "$PLYMILL" convert "$tmp/two.csv" "$tmp/two.bin"
check 'none where both are used alike' silent "$PLYMILL" convert "$tmp/two.plain" "$tmp/two.bin"
check 'none where it was said' silent "$PLYMILL" convert "$tmp/two.plain" "$tmp/two.csv" \
    --from-scale 1
from_manifest() {
    mkdir -p "$tmp/build/dataset"
    cp "$tmp/two.plain" "$tmp/build/dataset/train.plain"
    cat >"$tmp/build/manifest.json" <<'T'
{"files": [{"name": "dataset/train.plain"}],
 "score_units": {"plain": {"unit": "engine internal", "units_per_centipawn": 3.61}}}
T
    says 'manifest.json says 3.61 to a centipawn.*--from-scale 3.61' "$PLYMILL" convert \
        "$tmp/build/dataset/train.plain" "$tmp/two.csv"
}
check 'the manifest of a build knows the scale' from_manifest
check 'and is printed without steps up' says "; $tmp/build/manifest.json says 3.61" "$PLYMILL" convert \
    "$tmp/build/dataset/train.plain" "$tmp/two.csv"
check 'of csv it says always' says 'csv files always hold centipawns, bin files' \
    "$PLYMILL" convert "$tmp/two.csv" "$tmp/two.bin"
check 'csv is always centipawns' fails 2 'csv files always hold centipawns' "$PLYMILL" convert \
    "$tmp/two.plain" "$tmp/two.csv" --to-scale 2
check 'a scale is a number' fails 2 'from-scale: expected a number' "$PLYMILL" convert \
    "$tmp/two.plain" "$tmp/two.csv" --from-scale 0

# Best and played, final and last exact.
cat >"$tmp/full.csv" <<'T'
game_id,ply,fen,side,played,best,score_kind,score,bound,exact_kind,exact,exact_depth,depth,nodes,limit_kind,limit,result,white_elo,black_elo,source,white_cp
abcdefgh,0,rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,w,e2e4,d2d4,cp,40,lower,cp,20,7,8,1000,nodes,1000,1-0,2000,,engine,40
abcdefgh,1,rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1,b,e7e5,c7c5,mate,-3,exact,mate,-3,7,8,1000,nodes,1000,*,2000,,engine,
abcdefgh,2,rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2,w,,g1f3,cp,99,upper,none,,0,8,1000,nodes,1000,1/2-1/2,2000,,engine,99
T
lines() {
    convert "$@" && grep -E '^(move|score)' "$tmp/f.plain" | tr '\n' ' '
}
check 'best moves and final scores' test "$(lines "$tmp/full.csv" "$tmp/f.plain" 2>/dev/null)" = \
    'move d2d4 score 40 move g1f3 score 99 '
check 'moves played' test "$(lines "$tmp/full.csv" "$tmp/f.plain" --move played 2>/dev/null)" = \
    'move e2e4 score 40 '
check 'last exact scores' test "$(lines "$tmp/full.csv" "$tmp/f.plain" --score last-exact 2>/dev/null)" \
    = 'move d2d4 score 20 '

# Every record is written or counted.
counted() {
    "$PLYMILL" convert "$tmp/full.csv" "$tmp/f.plain" --to-scale 1 2>"$tmp/err" || return 1
    grep -qx '2 positions written, and read back as they were' "$tmp/err" &&
        grep -qxE '1 left out: (no result|mate score)' "$tmp/err"
}
check 'what does not fit is counted by reason' counted
only_one() {
    sed -n 1,2p "$tmp/full.csv" >"$tmp/one.csv"
    "$PLYMILL" convert "$tmp/one.csv" "$tmp/f.plain" --to-scale 1 2>"$tmp/err" &&
        grep -qx '1 position written, and read back as it was' "$tmp/err"
}
check 'one is one position' only_one
quiet_counts() {
    convert "$tmp/full.csv" "$tmp/f.plain" 2>"$tmp/err" && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
        grep -q '^1 left out: ' "$tmp/err"
}
check 'also with --quiet' quiet_counts
strict() {
    rm -f "$tmp/f.plain"
    fails 1 'full.csv: record 2 does not fit plain: (no result|mate score)' "$PLYMILL" convert \
        --strict --quiet "$tmp/full.csv" "$tmp/f.plain" && [ ! -e "$tmp/f.plain" ]
}
check '--strict makes it an error' strict
none_fits() {
    sed -n '1p;3p' "$tmp/full.csv" >"$tmp/mate.csv"
    fails 1 'the only record does not fit bullet: ' "$PLYMILL" convert --quiet \
        "$tmp/mate.csv" "$tmp/m.bullet" && [ ! -e "$tmp/m.bullet" ]
}
check 'a file of nothing is an error' none_fits

# Damage, and what it leaves.
leaves_nothing() {
    echo before >"$tmp/out.plain"
    fails "$@" "$tmp/out.plain" && [ "$(cat "$tmp/out.plain")" = before ] &&
        [ -z "$(find "$tmp" -name 'out.plain.tmp-*')" ]
}
flipped() {
    cp "$vectors/games200.$1" "$tmp/bad.$1"
    printf '\377' | dd of="$tmp/bad.$1" bs=1 seek="$2" conv=notrunc status=none
    leaves_nothing 1 "bad.$1: record [0-9]+ \\(byte [0-9]+\\): " "$PLYMILL" convert --quiet "$tmp/bad.$1"
}
check 'a wrong byte in bin' flipped bin 4000
check 'in binpack' flipped binpack 200
check 'in bullet' flipped bullet.bin 3200
check 'in marlin' flipped marlin.bin 3200
check 'in viri' flipped viri.bin 800
cut() {
    head -c -1 "$vectors/games200.$1" >"$tmp/cut.$1"
    leaves_nothing 1 "cut.$1: record [0-9]+ \\(byte [0-9]+\\): " "$PLYMILL" convert --quiet "$tmp/cut.$1"
}
for format in bin binpack bullet.bin marlin.bin viri.bin; do
    check "a cut tail in $format" cut "$format"
done
magic() {
    sed 's/^BINP/XINP/' "$vectors/edge.binpack" >"$tmp/magic.binpack"
    leaves_nothing 1 'magic.binpack: record 1 \(byte 0\): ' "$PLYMILL" convert --quiet \
        "$tmp/magic.binpack"
}
check 'a wrong magic' magic
text() {
    sed '30s/.*/move e1e8/' "$tmp/edge.plain" >"$tmp/text.plain"
    leaves_nothing 1 'text.plain: record 5 \(line 25, byte [0-9]+\): .*' "$PLYMILL" convert --quiet \
        "$tmp/text.plain"
}
check 'an illegal line of text' text
archive() {
    head -c -20 "$tmp/t.csv.zst" >"$tmp/archive.csv.zst"
    leaves_nothing 1 'archive.csv.zst: truncated at byte' "$PLYMILL" convert --quiet \
        "$tmp/archive.csv.zst"
}
check 'a cut archive' archive
disk_full() {
    rm -f "$tmp/full.plain"
    PLYMILL_FAULT=write:1:full fails 75 'full.plain' "$PLYMILL" convert --quiet \
        "$vectors/games200.bin" "$tmp/full.plain" && [ ! -e "$tmp/full.plain" ]
}
check 'a full disk' disk_full
check 'no file' fails 1 'none.bin' "$PLYMILL" convert "$tmp/none.bin" "$tmp/o.plain"
check 'no such format' fails 2 'no format "sfen"; there are plain, bin' "$PLYMILL" convert \
    --from sfen "$tmp/edge.plain" "$tmp/o.bin"
check 'a name that says nothing' fails 2 'o.txt: the name ends in no extension' "$PLYMILL" convert \
    "$tmp/edge.plain" "$tmp/o.txt"
check 'stdin has no name' fails 2 'give --from FORMAT' "$PLYMILL" convert - "$tmp/o.bin"
check 'stdout has no name' fails 2 'give --to FORMAT' "$PLYMILL" convert "$tmp/edge.plain" -
check 'rec is not written' fails 2 'rec can be read, not written' "$PLYMILL" convert \
    "$tmp/edge.plain" "$tmp/o.rec"
finish
