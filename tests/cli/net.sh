#!/bin/sh
# train, quantize, check, eval and score on a small build.
. tests/cli/lib.sh

printf '[sample]\nper_game = 5\n[label]\nnodes = 50\n[split]\nshares = [60, 20, 20]\n' >"$tmp/r.toml"
demo_games 200 >"$tmp/g.pgn"
dir=$tmp/b
check 'a build' "$PLYMILL" build "$tmp/r.toml" --engine "$FAKE_ENGINE" --input "$tmp/g.pgn" -o "$dir" --quiet

train() {
    out=$1
    shift
    "$PLYMILL" train "$dir" -o "$out" --quiet --train.epochs 3 "$@"
}
check 'train with one thread' train "$tmp/one.safetensors" --threads 1
check 'train with three' train "$tmp/three.safetensors" --threads 3
check 'gives the same net' same "$tmp/one.safetensors" "$tmp/three.safetensors"
check 'and the same log' same "$tmp/one.train.csv" "$tmp/three.train.csv"
check 'train without vector instructions' train "$tmp/scalar.safetensors" --isa scalar
check 'gives the same net' same "$tmp/one.safetensors" "$tmp/scalar.safetensors"
check 'another seed' train "$tmp/seed.safetensors" --train.seed 1
check 'gives another net' sh -c '! cmp -s "$0" "$1"' "$tmp/one.safetensors" "$tmp/seed.safetensors"
log_has_epochs() {
    [ "$(wc -l <"$tmp/one.train.csv")" -eq 4 ] && head -n 1 "$tmp/one.train.csv" | grep -q '^epoch,'
}
check 'the log has a line an epoch' log_has_epochs
check 'a smaller net' train "$tmp/small.safetensors" --arch '769->16->8->1'
check 'an architecture that is none' fails 2 '769' "$PLYMILL" train "$dir" -o "$tmp/x.safetensors" \
    --arch '769->x' --quiet
check 'a net needs its suffix' fails 2 'ends in .safetensors' "$PLYMILL" train "$dir" -o "$tmp/x.csv" --quiet
echo data >"$tmp/data.safetensors"
check 'a file that is no net is not replaced' fails 1 'is not replaced' \
    "$PLYMILL" train "$dir" -o "$tmp/data.safetensors" --quiet
check 'nor by quantize' fails 1 'is not replaced' \
    "$PLYMILL" quantize "$tmp/one.safetensors" -o "$tmp/data.safetensors" --quiet
check 'and is what it was' test "$(cat "$tmp/data.safetensors")" = data
says_what_it_wrote() {
    "$PLYMILL" train "$dir" -o "$tmp/one.safetensors" --train.epochs 3 2>"$tmp/err" || return 1
    tail -n 2 "$tmp/err" | head -n 1 |
        grep -qE '^validation was lowest at epoch [1-3] \(0\.[0-9]{8}\); the net is that of epoch [1-3]$' &&
        [ "$(tail -n 1 "$tmp/err")" = "wrote $tmp/one.safetensors and $tmp/one.train.csv" ] &&
        grep -qE 'train 0\.[0-9]{8}, validation 0\.[0-9]{8}, [0-9,]+ positions/s, ETA [0-9]+ s$' "$tmp/err" || { cat "$tmp/err"; return 1; }
}
check 'train says what it wrote and which epoch was best' says_what_it_wrote
check 'leaves no file' test ! -e "$tmp/x.safetensors"

attribution() {
    "$PLYMILL" quantize "$tmp/one.safetensors" -o "$tmp/int8.safetensors" --positions "$dir" >"$tmp/out" || return 1
    for row in W1 W2 W3 b1 b2 b3 h1 h2 'all, S = 24' 'all, S = 16'; do
        grep -q "^$row  *[0-9.]* *[0-9.]* *[0-9.]* *[+-][0-9.]* %$" "$tmp/out" || { echo "no row $row"; return 1; }
    done
}
check 'quantize prints what each rounding costs' attribution
check 'check proves the integer net' "$PLYMILL" check "$tmp/int8.safetensors" --quiet
check 'check proves the float net' "$PLYMILL" check "$tmp/one.safetensors" --quiet

start='rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'
black='rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1'
eval_agrees() {
    "$PLYMILL" eval "$tmp/int8.safetensors" "$start" "$black" >"$tmp/a" || return 1
    printf '%s\n%s\n' "$start" "$black" | "$PLYMILL" eval "$tmp/int8.safetensors" >"$tmp/c" || return 1
    same "$tmp/a" "$tmp/c" && [ "$(wc -l <"$tmp/a")" -eq 2 ] && [ "$(cut -f1 "$tmp/a" | head -n 1)" = "$start" ]
}
check 'eval of arguments and of lines is the same' eval_agrees
start_by_word() {
    "$PLYMILL" eval "$tmp/int8.safetensors" "$start" >"$tmp/a" && "$PLYMILL" eval "$tmp/int8.safetensors" startpos >"$tmp/word" &&
        echo startpos | "$PLYMILL" eval "$tmp/int8.safetensors" >"$tmp/line" && same "$tmp/a" "$tmp/word" && same "$tmp/a" "$tmp/line"
}
check 'eval of startpos, argument and line' start_by_word
white_view() {
    side=$("$PLYMILL" eval "$tmp/int8.safetensors" "$black" | cut -f2)
    white=$("$PLYMILL" eval --white "$tmp/int8.safetensors" "$black" | cut -f2)
    [ "$side" -eq $((-white)) ]
}
check "eval --white turns Black's sign" white_view
four_decimals() {
    "$PLYMILL" eval "$tmp/one.safetensors" "$start" | cut -f2 | grep -qE '^-?[0-9]+\.[0-9]{4}$'
}
check 'a float net prints four decimals' four_decimals
check 'eval of a bad FEN' fails 1 'not a fen' "$PLYMILL" eval "$tmp/int8.safetensors" 'not a fen'
check 'and of a piece of one' fails 1 'quote each FEN' "$PLYMILL" eval "$tmp/int8.safetensors" $start
check 'eval of a folder' fails 1 'not a net' "$PLYMILL" eval "$dir" "$start"
check 'a format that the net has not' fails 2 '769->H1->H2->1 nets are written as safetensors' \
    "$PLYMILL" quantize "$tmp/one.safetensors" --to bullet -o "$tmp/q.bin" --quiet
check 'a format that is none' fails 2 'to: expected safetensors, bullet or nnue' \
    "$PLYMILL" quantize "$tmp/one.safetensors" --to onnx -o "$tmp/q.bin" --quiet
check 'a name of another format' fails 2 'such a net ends in .safetensors' \
    "$PLYMILL" quantize "$tmp/one.safetensors" -o "$tmp/q.nnue" --quiet
check 'nothing to write to' fails 2 'o NET is missing' "$PLYMILL" quantize "$tmp/one.safetensors"
check 'integers are not quantised' fails 1 'holds integers already' \
    "$PLYMILL" quantize "$tmp/int8.safetensors" -o "$tmp/q.safetensors"
check 'quantize of a file that is no net' fails 1 'not a net \(no safetensors header\)' \
    "$PLYMILL" quantize "$tmp/g.pgn" -o "$tmp/q.safetensors"
check 'a level that is none' fails 2 'expected one of auto, scalar' \
    "$PLYMILL" eval "$tmp/int8.safetensors" --isa sse9 "$start"
check 'a level that this CPU lacks' fails 1 'CPU does not have it; there are auto, scalar' \
    "$PLYMILL" eval "$tmp/int8.safetensors" --isa neon "$start"
check 'eval of a file that is no net' fails 1 'not a net: ' "$PLYMILL" eval "$tmp/g.pgn" "$start"
# A quantised.bin of zeros but for the last bias, 255 * 64: 400 centipawns for whoever is to move.
letters=bulletbulletbulletbulletbulletbulletbulletbulletbulletbu
{ head -c 1542 /dev/zero; printf '\300\077%s' $letters; } >"$tmp/quantised.bin"
quantised() {
    [ "$("$PLYMILL" eval "$tmp/quantised.bin" "$@" "$black" | cut -f2-)" = "$expected" ]
}
check 'a quantised.bin needs its arch' fails 1 'quantised.bin needs its arch' \
    "$PLYMILL" eval "$tmp/quantised.bin" "$start"
check 'of a size that fits' fails 1 'byte 1600: the file has 1600 bytes, a quantised.bin of this arch 3136' \
    "$PLYMILL" eval "$tmp/quantised.bin" --arch '(768->2)x2->1 screlu' "$start"
expected=400
check 'given as an option' quantised --arch '(768->1)x2->1 screlu'
echo '(768->1)x2->1 crelu qb=128' >"$tmp/quantised.bin.arch"
expected=$(printf '%s\t%s\t%s' -200 0 0)
check 'or in a side file; --raw and --white' quantised --raw --white
echo '(768->1)x2->1 relu' >"$tmp/quantised.bin.arch"
check 'that must be right' fails 1 'arch: ' "$PLYMILL" eval "$tmp/quantised.bin" "$start"
real_net() {
    zstd -dqc ../shared/nets/nn-62ef826d1a6d.nnue.zst >"$tmp/real.nnue" || return 1
    [ "$("$PLYMILL" eval "$tmp/real.nnue" '8/8/8/4k3/8/8/8/K7 w - - 0 1' --raw 2>"$tmp/err" | cut -f2-)" = \
        "$(printf '19\t0\t315')" ] && [ ! -s "$tmp/err" ] &&
        [ "$("$PLYMILL" eval "$tmp/real.nnue" '8/8/8/4k3/8/8/8/K7 w - - 0 1' --cp | cut -f2-)" = 9 ]
}
if [ -s ../shared/nets/nn-62ef826d1a6d.nnue.zst ]; then
    check 'eval of a real net' real_net
    zstd -dqc ../shared/nets/nn-4fd273888b72.nnue.zst >"$tmp/other.nnue"
    check 'and of one whose kind nobody describes' fails 1 'features that are not known' \
        "$PLYMILL" eval "$tmp/other.nnue" "$start"
else
    skip 'eval of a real net' 'no ../shared/nets'
    skip 'and of one whose kind nobody describes' 'no ../shared/nets'
fi
check 'eval of a net that is not there' fails 1 "$tmp/none" "$PLYMILL" eval "$tmp/none" "$start"

table() {
    "$PLYMILL" score "$tmp/one.safetensors" "$tmp/int8.safetensors" "$dir" --split test >"$tmp/out" || return 1
    for row in one.safetensors int8.safetensors constant material 'material fitted'; do
        grep -q "$row .*\[.*\].*\[" "$tmp/out" || { echo "no row $row"; cat "$tmp/out"; return 1; }
    done
    grep -q "^one.safetensors .*\[" "$tmp/out" && grep -qE '^int8.safetensors (is better|is worse|.*does not exclude)' "$tmp/out"
}
check 'score shows the nets beside the baselines with intervals' table
directory_first() {
    "$PLYMILL" score "$dir" "$tmp/one.safetensors" "$tmp/int8.safetensors" >"$tmp/first" &&
        same "$tmp/first" "$tmp/out"
}
check 'the build directory may come first' directory_first
check 'two directories are one too many' fails 2 'both directories' \
    "$PLYMILL" score "$dir" "$tmp/one.safetensors" "$dir"
check 'no directory is too few' fails 2 'none of the arguments' \
    "$PLYMILL" score "$tmp/one.safetensors" "$tmp/int8.safetensors"
json() {
    "$PLYMILL" score "$tmp/int8.safetensors" "$dir" --json >"$tmp/out" && grep -q '"wdl_mse"' "$tmp/out"
}
check 'score --json' json
check 'a folder that is no build' fails 1 'not a build directory' "$PLYMILL" train "$tmp" -o "$tmp/y.safetensors"
# The same games under another split: what the nets were trained on may be in its test.
other=$tmp/other
check 'another split of the games' "$PLYMILL" build "$tmp/r.toml" --engine "$FAKE_ENGINE" \
    --input "$tmp/g.pgn" --split.seed 5 -o "$other" --quiet
warned() {
    "$PLYMILL" score "$tmp/one.safetensors" "$tmp/int8.safetensors" "$other" >"$tmp/out" 2>"$tmp/err" &&
        [ "$(grep -c '^warning: .*was trained on other records (build [0-9a-f]*, split.seed 0)' "$tmp/err")" -eq 2 ] &&
        "$PLYMILL" report "$other" --nets "$tmp/int8.safetensors" 2>&1 | grep -q '^warning: ' &&
        grep -q 'trained on other records' "$other/report.html"
}
check 'a net of another split is told, float and int8' warned
not_warned() {
    "$PLYMILL" score "$tmp/one.safetensors" "$tmp/int8.safetensors" "$dir" 2>"$tmp/err" >/dev/null && [ ! -s "$tmp/err" ]
}
check 'a net of this split is not' not_warned
check 'a build without test games' "$PLYMILL" build "$tmp/r.toml" --engine "$FAKE_ENGINE" \
    --input "$tmp/g.pgn" --split.shares 100,0,0 -o "$tmp/all" --quiet
check 'has nothing to score on' fails 1 'no records in test: .*--split' \
    "$PLYMILL" score "$tmp/one.safetensors" "$tmp/all"
no_validation() {
    "$PLYMILL" train "$tmp/all" -o "$tmp/all.safetensors" --train.epochs 1 --quiet 2>&1 |
        grep -q '^warning: no validation records'
}
check 'train warns when nothing validates' no_validation
PLYMILL_ENGINE=$FAKE_ENGINE "$PLYMILL" sample "$tmp/r.toml" --input "$tmp/g.pgn" -o "$tmp/half" --quiet >/dev/null
for command in "train $tmp/half -o $tmp/h.safetensors" "score $tmp/one.safetensors $tmp/half" "report $tmp/half"; do
    check "${command%% *} of a build that is not finished" \
        fails 1 'half: not finished \(label is to do\); run: plymill build .*half$' "$PLYMILL" $command
done
report() {
    "$PLYMILL" report "$dir" --nets "$tmp/one.safetensors,$tmp/int8.safetensors" >"$tmp/out" || return 1
    [ "$(tail -n 1 "$tmp/out")" = "$dir/report.html" ] && [ -s "$dir/report.html" ] &&
        ! grep -qE 'src="?https?:|<(link|script|img|iframe)[^>]*https?:|url\(|@import' "$dir/report.html"
}
check 'report writes one page without network' report
finish
