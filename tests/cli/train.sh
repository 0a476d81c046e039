#!/bin/sh
# Training that is killed, stopped and gone on with; the presets.
. tests/cli/lib.sh

printf '[sample]\nper_game = 5\n[label]\nnodes = 50\n[split]\nshares = [60, 20, 20]\n' >"$tmp/r.toml"
demo_games 200 >"$tmp/g.pgn"
dir=$tmp/b
check 'a build' "$PLYMILL" build "$tmp/r.toml" --engine "$FAKE_ENGINE" --input "$tmp/g.pgn" -o "$dir" --quiet

# best with all that it can: an average has a place of its own in a checkpoint.
train() {
    out=$1
    shift
    "$PLYMILL" train "$dir" -o "$out" --train.epochs 5 --train.average "${average:-0.9}" --train.wdl 0.25 \
        --train.batch 64 --train.checkpoint_s 0 "$@"
}
check 'a training in one go' train "$tmp/whole.safetensors" --quiet
check 'leaves no checkpoint' test ! -e "$tmp/whole.safetensors.checkpoint"

killed() {
    at=$1
    shift
    PLYMILL_FAULT=rename:$at:kill train "$tmp/cut.safetensors" --quiet "$@"
    [ $? -eq 137 ] && [ ! -e "$tmp/cut.safetensors" ]
}
goes_on() {
    train "$tmp/cut.safetensors" "$@" 2>"$tmp/err" || return 1
    same "$tmp/whole.safetensors" "$tmp/cut.safetensors" &&
        same "$tmp/whole.train.csv" "$tmp/cut.train.csv" &&
        [ ! -e "$tmp/cut.safetensors.checkpoint" ]
}
check 'killed at the third checkpoint' killed 3
check 'goes on' goes_on --threads 2
check 'after the epochs that were done' sh -c '! grep -q "^epoch [12]/" "$0" && grep -q "^epoch 3/5: " "$0"' "$tmp/err"
rm "$tmp/cut.safetensors" "$tmp/cut.train.csv"
# Five checkpoints and the log; the net is the seventh.
check 'killed between log and net' killed 7
check 'writes it' goes_on --isa scalar
check 'without another epoch' sh -c '! grep -q "^epoch " "$0"' "$tmp/err"

rm "$tmp/cut.safetensors"
check 'killed again' killed 2
other_options() {
    train "$tmp/cut.safetensors" --train.seed 1 2>"$tmp/err" &&
        grep -q 'warning: .*cut.safetensors.checkpoint is of a training with other options or positions: starting anew' \
            "$tmp/err" && ! cmp -s "$tmp/whole.safetensors" "$tmp/cut.safetensors"
}
check 'other options do not go on' other_options
rm "$tmp/cut.safetensors"
check 'killed once more' killed 2
damaged() {
    printf x | dd of="$tmp/cut.safetensors.checkpoint" bs=1 seek=5000 conv=notrunc 2>/dev/null
    goes_on && grep -q 'cut.safetensors.checkpoint is damaged: starting anew' "$tmp/err"
}
check 'a damaged checkpoint is not used' damaged

stopped() {
    rm "$tmp/cut.safetensors"
    "$PLYMILL" train "$dir" -o "$tmp/cut.safetensors" --train.epochs 100000 2>"$tmp/err" &
    pid=$!
    until_true grep -q '^epoch 2/' "$tmp/err"
    kill -INT "$pid"
    wait "$pid"
    [ $? -eq 75 ] && [ -e "$tmp/cut.safetensors.checkpoint" ] && [ ! -e "$tmp/cut.safetensors" ] &&
        grep -qE 'stopped after epoch [0-9]+; the same command goes on from there$' "$tmp/err"
}
check 'a signal stops it after an epoch' stopped
check 'all results unknown: no scale to fit' fails 1 'no game.s result is known' \
    env PLYMILL="$PLYMILL" sh -c 'sed "s/^\[Result .*/[Result \"*\"]/; s/ \(1-0\|0-1\|1\/2-1\/2\)\$/ */" "$1" >"$2/u.pgn" &&
        "$PLYMILL" build "$2/r.toml" --engine "$3" --input "$2/u.pgn" -o "$2/u" --quiet &&
        "$PLYMILL" train "$2/u" -o "$2/u.safetensors" --train.scale 0 --quiet' sh "$tmp/g.pgn" "$tmp" "$FAKE_ENGINE"
fitted() {
    train "$tmp/fit.safetensors" --train.scale 0 --quiet &&
        head -c 4000 "$tmp/fit.safetensors" | grep -aqE '"train.scale":"[1-9][0-9.e+]*"'
}
check 'a fitted scale stands in the net' fitted
preset() {
    train "$tmp/preset.safetensors" --train.preset "$1" --quiet &&
        head -c 4000 "$tmp/preset.safetensors" | grep -aq "\"train.augment\":\"$2\""
}
check 'best turns positions' preset best both
check 'tinynnue does not' preset tinynnue none
check 'there is no third' fails 2 'one of best|tinynnue' "$PLYMILL" train "$dir" -o "$tmp/x.safetensors" \
    --train.preset fast
# Positions out of a scratch file; a folder of its own shows whether anything stays there.
mkdir "$tmp/s"
streamed() {
    train "$tmp/s/net.safetensors" --train.memory 0 --quiet "$@" && same "$tmp/whole.safetensors" "$tmp/s/net.safetensors"
}
check 'no memory for positions: the same net' streamed
check 'with 3 threads' streamed --threads 3
check 'with the plain kernels' streamed --threads 1 --isa scalar
check 'with AVX2' streamed --threads 2 --isa "$(grep -qw avx2 /proc/cpuinfo && echo avx2 || echo auto)"
check 'leaves net, log and card' sh -c '[ "$(ls -A "$0" | wc -l)" -eq 3 ]' "$tmp/s"
rm -f "$tmp"/cut.*
check 'killed while it streams' killed 3 --train.memory 0
check 'leaves no scratch file' sh -c '! ls -A "$0" | grep -q "^train\.tmp-"' "$tmp"
check 'goes on out of memory' goes_on --threads 3
rm -f "$tmp"/cut.*
check 'killed in memory' killed 3
check 'goes on out of a scratch file' goes_on --train.memory 0 --threads 2
check 'no room for the scratch file' fails 75 'scratch file for [0-9]* training positions.*train.memory.*No space left' \
    env PLYMILL_FAULT=write:1:full "$PLYMILL" train "$dir" -o "$tmp/s/x.safetensors" --train.memory 0 --quiet
# Which read it is that comes out of the scratch file, is found by trying.
unreadable() {
    for n in $(seq 1 60); do
        PLYMILL_FAULT=read:$n:fail "$PLYMILL" train "$dir" -o "$tmp/s/x.safetensors" --train.memory 0 \
            --train.epochs 1 --quiet 2>"$tmp/err" && return 1
        grep -q 'cannot read training positions back from their scratch file: ' "$tmp/err" && return 0
    done
    return 1
}
check 'a scratch file that cannot be read' unreadable
other_arch() {
    average=0 train "$tmp/other.safetensors" --quiet --arch "$1" &&
        "$PLYMILL" eval "$tmp/other.safetensors" \
            'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1' >"$tmp/out" &&
        "$PLYMILL" score "$tmp/other.safetensors" "$dir" --split test >"$tmp/out"
}
check 'two views' other_arch '(768->32)x2->1x8 screlu'
check 'HalfKA' other_arch 'halfka(22528->32)x2->8->1x8'
check 'HalfKP' other_arch 'halfkp(41024->32)x2->8->8->1'
check 'averages of large feature sets are refused' fails 2 'train.average: not for' "$PLYMILL" train "$dir" \
    -o "$tmp/x.safetensors" --train.average 0.9 --arch 'halfka(22528->32)x2->8->1x8' --quiet
finish
