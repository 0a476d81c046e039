#!/bin/sh
# train, quantize, check, eval and score on a small build.
. tests/cli/lib.sh

printf '[sample]\nper_game = 5\n[label]\nnodes = 50\n[split]\nshares = [60, 20, 20]\n' >"$tmp/r.toml"
zstd -dcq configs/demo.pgn.zst | awk '/^\[Event /{n++} n>200{exit} {print}' >"$tmp/g.pgn"
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
check 'and the same log' same "$tmp/one.csv" "$tmp/three.csv"
check 'another seed' train "$tmp/seed.safetensors" --train.seed 1
check 'gives another net' sh -c '! cmp -s "$0" "$1"' "$tmp/one.safetensors" "$tmp/seed.safetensors"
log_has_epochs() {
    [ "$(wc -l <"$tmp/one.csv")" -eq 4 ] && head -n 1 "$tmp/one.csv" | grep -q '^epoch,'
}
check 'the log has a line an epoch' log_has_epochs
check 'a smaller net' train "$tmp/small.safetensors" --arch '769->16->8->1'
check 'an architecture that is none' fails 2 '769' "$PLYMILL" train "$dir" -o "$tmp/x.safetensors" \
    --arch '769->x' --quiet
check 'leaves no file' test ! -e "$tmp/x.safetensors"

attribution() {
    "$PLYMILL" quantize "$tmp/one.safetensors" -o "$tmp/int8.safetensors" --positions "$dir" >"$tmp/out" || return 1
    for row in W1 W2 W3 b1 b2 b3 h1 h2 'all, S = 24' 'all, S = 16'; do
        grep -q "^$row  *[0-9.]* *[0-9.]* *[0-9.]*$" "$tmp/out" || { echo "no row $row"; return 1; }
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
check 'eval of a file that is no net' fails 1 "$tmp/g.pgn" "$PLYMILL" eval "$tmp/g.pgn" "$start"
check 'eval of a net that is not there' fails 1 "$tmp/none" "$PLYMILL" eval "$tmp/none" "$start"

table() {
    "$PLYMILL" score "$tmp/one.safetensors" "$tmp/int8.safetensors" "$dir" --split test >"$tmp/out" || return 1
    for row in one.safetensors int8.safetensors constant material 'material fitted'; do
        grep -q "$row .*\[.*\].*\[" "$tmp/out" || { echo "no row $row"; cat "$tmp/out"; return 1; }
    done
    grep -qE 'int8.safetensors (is better|is worse|.*does not exclude)' "$tmp/out"
}
check 'score shows the nets beside the baselines with intervals' table
json() {
    "$PLYMILL" score "$tmp/int8.safetensors" "$dir" --json >"$tmp/out" && grep -q '"wdl_mse"' "$tmp/out"
}
check 'score --json' json
check 'a build without records' fails 1 'records' "$PLYMILL" train "$tmp" -o "$tmp/y.safetensors"
report() {
    "$PLYMILL" report "$dir" --nets "$tmp/one.safetensors,$tmp/int8.safetensors" >"$tmp/out" || return 1
    [ "$(tail -n 1 "$tmp/out")" = "$dir/report.html" ] && [ -s "$dir/report.html" ] &&
        ! grep -qE '(src|href)="?https?:' "$dir/report.html"
}
check 'report writes one page without network' report
finish
