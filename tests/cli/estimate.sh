#!/bin/sh
# What build says before it begins, and when it asks.
. tests/cli/lib.sh

demo_games 30 >"$tmp/g.pgn"
printf '[sample]\nper_game = 2\n[label]\nnodes = 20\n' >"$tmp/r.toml"
build() {
    "$PLYMILL" build "$tmp/r.toml" --input "$tmp/g.pgn" --engine "$FAKE_ENGINE" "$@"
}
says() {
    rm -rf "$tmp/b"
    want=$1
    shift
    build -o "$tmp/b" "$@" >"$tmp/out" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    grep -qE -- "$want" "$tmp/err" || { cat "$tmp/err"; return 1; }
}
check 'games and labels of a small archive are exact' says 'b: 30 games in 1 file, 30 used, 60 labels of 20 nodes$'
samples_agree() {
    grep -q '^  samples  *60 ' "$tmp/out"
}
check 'and those are the samples' samples_agree
check 'core time and time with the workers' says \
    'plymill: about [0-9.]+ core [a-z]+ \([0-9.]+ ms a label\), [0-9.]+ [a-z]+ with 3 workers$' --workers 3 --nodes 100000000
check 'little work' says 'plymill: less than a core second$'
check 'max_games' says '30 games in 1 file, about 10 used, about 20 labels' --input.max_games 10
check 'other nodes for training' says 'labels of 7 \(train\) and of 20 nodes$' --label.train_nodes 7
check 'a depth' says 'labels of 3 plies of depth$' --label.depth 3
cp "$tmp/g.pgn" "$tmp/h.pgn"
check 'two files' says '60 games in 2 files, 60 used, 120 labels' --input "$tmp/h.pgn"
quiet() {
    rm -rf "$tmp/b"
    build -o "$tmp/b" --quiet >/dev/null 2>"$tmp/err" && [ ! -s "$tmp/err" ]
}
check 'nothing with --quiet' quiet
not_twice() {
    build -o "$tmp/b" >/dev/null 2>"$tmp/err" && ! grep -q games "$tmp/err"
}
check 'nothing where the samples are there' not_twice

asked_or_done() {
    grep -q 'go on?' "$tmp/screen" || [ -e "$tmp/code" ]
}
# on_a_terminal ANSWER OPTIONS...: as a person would see it; the exit status is in $tmp/code.
on_a_terminal() {
    answer=$1
    shift
    rm -rf "$tmp/t"
    command="$PLYMILL build $tmp/r.toml --input $tmp/g.pgn --engine '$FAKE_ENGINE' -o $tmp/t $*"
    # The answer comes when the question is there: what comes earlier the terminal may drop.
    : >"$tmp/screen"
    rm -f "$tmp/code"
    {
        until_true asked_or_done
        echo "$answer"
        until_true test -e "$tmp/code"
    } | script -qfc "$command; echo \$? >'$tmp/code'" "$tmp/screen" >/dev/null
}
days='--label.nodes 1000000000000'
declined() {
    on_a_terminal n $days
    [ "$(cat "$tmp/code")" -eq 1 ] && grep -q 'core days' "$tmp/screen" && grep -q 'go on? \[y/N\]' "$tmp/screen" &&
        grep -q 'not begun: ' "$tmp/screen" && [ ! -e "$tmp/t" ]
}
accepted() {
    on_a_terminal y $days && [ "$(cat "$tmp/code")" -eq 0 ] && [ -s "$tmp/t/manifest.json" ]
}
not_asked() {
    on_a_terminal n "$@"
    [ "$(cat "$tmp/code")" -eq 0 ] && ! grep -q 'go on?' "$tmp/screen"
}
if command -v script >/dev/null; then
    check 'more than a core day is asked for; no leaves no trace' declined
    check 'yes goes on' accepted
    check 'little work is not asked for' not_asked
    check 'nor with --yes' not_asked $days --yes
else
    skip 'what a terminal is asked' 'no script(1)'
fi
no_terminal() {
    rm -rf "$tmp/b"
    build -o "$tmp/b" $days >/dev/null 2>"$tmp/err" </dev/null && grep -q 'core days' "$tmp/err"
}
check 'without a terminal nobody is asked' no_terminal
finish
