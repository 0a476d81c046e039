#!/bin/sh
# The progress line, colours and the log, as a terminal, a file and a scheduler see them.
. tests/cli/lib.sh

printf '[sample]\nper_game = 4\n[label]\nnodes = 20\naudit = 0\n' >"$tmp/r.toml"
demo_games 30 >"$tmp/g.pgn"
# 120 labels of 40 ms by one worker: near to five seconds.
slow="build $tmp/r.toml --input $tmp/g.pgn --workers 1 --engine"
engine="$FAKE_ENGINE --delay 40"

# Bytes as lines: what begins at a carriage return.
screen() {
    tr '\r' '\n' <"$tmp/screen" | sed 's/\x1b\[[0-9;]*[A-Za-z]//g'
}
on_terminal() {
    rm -rf "$tmp/t"
    script -qefc "stty cols $1; '$PLYMILL' $slow '$engine' -o $tmp/t $2" "$tmp/screen" >/dev/null </dev/null
}
# most_lines LOG: nothing in the first second of the 120 labels, five lines in each that follows, one at the
# end, and one for the rounding.
most_lines() {
    sed -n 's/.*"event":"end","what":"labels",.*"seconds":\([0-9.]*\),"cpu_seconds".*/\1/p' "$1" |
        awk '{ print int(($1 - 1) * 5) + 2 }'
}
redraws() {
    rm -f "$tmp/times"
    on_terminal 100 "--log $tmp/times" || return 1
    most=$(most_lines "$tmp/times")
    screen >"$tmp/lines"
    lines=$(grep -c '^labels ' "$tmp/lines")
    echo "$lines lines, and at most $most"
    [ "$lines" -ge 8 ] && [ "$lines" -le "$most" ] &&
        grep -qE '^labels [0-9]+/120 \([0-9]+ %\), [0-9.]+/s, [0-9]+ s left, [0-9.]+ of [0-9]+ cores' "$tmp/lines" &&
        grep -qE '^labels 120/120 \(100 %\), [0-9.]+/s, [0-9]+ s *$' "$tmp/lines"
}
fits() {
    on_terminal 24 || return 1
    ! screen | grep '^labels' | grep -qE '^.{24}'
}
# The progress lines that a terminal was sent, one a line.
label_lines() {
    tr '\r' '\n' <"$tmp/screen" | grep -a '^.\[J.*labels' | sed 's/^.\[J//'
}
three_lines() {
    [ -s "$tmp/screen" ] && [ "$(label_lines | wc -l)" -ge 3 ]
}
# Made narrower behind the third line: the rows that the old line fills then are taken away, the next ones fit.
resized() {
    rm -rf "$tmp/t" "$tmp/screen" "$tmp/narrow"
    script -qefc "stty cols 100; until [ -e '$tmp/narrow' ]; do sleep 0.1; done && stty cols 30 </dev/tty & '$PLYMILL' $slow '$engine' -o $tmp/t" \
        "$tmp/screen" >/dev/null </dev/null &
    until_true three_lines
    : >"$tmp/narrow"
    wait $! || return 1
    label_lines >"$tmp/lines"
    [ "$(grep -ac "$(printf '\033\\[[1-3]A')" "$tmp/screen")" -ge 1 ] && [ "$(head -n 3 "$tmp/lines" | tail -n 1 | wc -m)" -gt 40 ] &&
        [ "$(tail -n 2 "$tmp/lines" | head -n 1 | sed "s/$(printf '\033').*//" | wc -m)" -le 30 ]
}
interrupted() {
    rm -rf "$tmp/t" "$tmp/screen" "$tmp/narrow"
    script -qfc "echo \$\$ >'$tmp/pid'; exec '$PLYMILL' $slow '$engine' -o $tmp/t" "$tmp/screen" >/dev/null </dev/null &
    until_true grep -qs 'labels ' "$tmp/screen"
    kill -INT "$(cat "$tmp/pid")"
    wait
    # The error has a line of its own: the progress line before it ended.
    screen | grep -q '^plymill: .*go on with: plymill build'
}
if command -v script >/dev/null; then
    check 'a terminal sees one line, at most five times a second' redraws
    check 'on a narrow terminal it does not wrap' fits
    check 'nor on one that becomes narrow' resized
    check 'behind an interruption the error has a line of its own' interrupted
else
    skip 'progress on a terminal' 'no script(1)'
fi
in_a_file() {
    rm -rf "$tmp/f"
    "$PLYMILL" $slow "$engine" -o "$tmp/f" "$@" >/dev/null 2>"$tmp/err"
}
nothing_in_a_file() {
    in_a_file && ! grep -q '^labels' "$tmp/err"
}
check 'a file sees a line a minute: none in five seconds' nothing_in_a_file
always() {
    in_a_file --progress=always && [ "$(tr '\r' '\n' <"$tmp/err" | grep -c 'labels ')" -ge 8 ]
}
check '--progress=always redraws there, too' always
never() {
    rm -rf "$tmp/t"
    on_terminal 100 --progress=never && ! screen | grep -q '^labels ' && screen | grep -q 'games in 1 file'
}
command -v script >/dev/null && check '--progress=never leaves the line out and nothing else' never
check 'another word' fails 2 '--progress: expected auto, always or never, not "maybe"' \
    "$PLYMILL" build x --progress maybe

logged() {
    rm -rf "$tmp/l"
    "$PLYMILL" $slow "$FAKE_ENGINE" -o "$tmp/l" --quiet --log "$tmp/log" >/dev/null || return 1
    cat "$tmp/log"
    for event in '"event":"start","version":".*","command":\["build"' \
        '"event":"begin","what":"games","done":0,"total":0' \
        '"event":"end","what":"shards of samples","done":16,"total":16,' \
        '"event":"end","what":"labels","done":120,"total":120,"per_second":' \
        '"event":"finish","exit":0,"error":null,"cpu_seconds":'; do
        grep -q "$event" "$tmp/log" || { echo "no $event"; return 1; }
    done
    ! grep -vE '^\{"time":"20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-9:]{8}Z","pid":[0-9]+,"event":"[a-z]+".*\}$' "$tmp/log"
}
check '--log writes one event a line, with --quiet too' logged
# The bytes of the archives say how far reading is; those of stdin nobody knows.
games_end() {
    grep '"event":"end","what":"games"' "$tmp/bytes" | grep -o '"bytes":[0-9a-z]*,"bytes_total":[0-9a-z]*' || cat "$tmp/bytes"
    rm -f "$tmp/bytes"
}
bytes_read() {
    zstd -qkf "$tmp/g.pgn" -o "$tmp/g.pgn.zst"
    packed=$(wc -c <"$tmp/g.pgn.zst") plain=$(wc -c <"$tmp/g.pgn")
    for threads in 1 2 4; do
        "$PLYMILL" scan --threads $threads --log "$tmp/bytes" "$tmp/g.pgn.zst" "$tmp/g.pgn" >/dev/null || return 1
        [ "$(games_end)" = "\"bytes\":$((packed + plain)),\"bytes_total\":$((packed + plain))" ] || return 1
        rm -rf "$tmp/s"
        "$PLYMILL" sample "$tmp/r.toml" -o "$tmp/s" --quiet --threads $threads --log "$tmp/bytes" \
            --input "$tmp/g.pgn.zst,$tmp/g.pgn" || return 1
        [ "$(games_end)" = "\"bytes\":$((packed + plain)),\"bytes_total\":$((packed + plain))" ] || return 1
    done
    cat "$tmp/g.pgn" | "$PLYMILL" scan --log "$tmp/bytes" - "$tmp/g.pgn" >/dev/null || return 1
    [ "$(games_end)" = '"bytes":null,"bytes_total":null' ]
}
check 'reading games is measured by the bytes of the archives, stdin is not' bytes_read
appended() {
    lines=$(wc -l <"$tmp/log")
    "$PLYMILL" build "$tmp/nothing.toml" -o "$tmp/n" --log "$tmp/log" 2>/dev/null
    [ "$(wc -l <"$tmp/log")" -gt "$lines" ] &&
        tail -n 1 "$tmp/log" | grep -q '"event":"finish","exit":2,"error":".*nothing.toml'
}
check 'it is appended to, and says how a run failed' appended
# The same by the recipe: its path is kept absolute, and the command line comes first.
by_recipe() {
    printf '[build]\nlog = "by-recipe"\n' | cat - "$tmp/r.toml" >"$tmp/logged.toml"
    (cd "$tmp" && "$program" build logged.toml --input g.pgn --engine "$fake" -o by --quiet >/dev/null) || return 1
    cat "$tmp/by-recipe"
    head -n 1 "$tmp/by-recipe" | grep -q '"event":"start","version":".*","command":\["build","logged.toml"' &&
        tail -n 1 "$tmp/by-recipe" | grep -q '"event":"finish","exit":0' &&
        grep -qxF "log = \"$tmp/by-recipe\"" "$tmp/by/recipe.toml" || return 1
    lines=$(wc -l <"$tmp/by-recipe")
    "$PLYMILL" select "$tmp/by" --quiet --log "$tmp/other" >/dev/null && [ "$(wc -l <"$tmp/by-recipe")" -eq "$lines" ] &&
        tail -n 1 "$tmp/other" | grep -q '"finish"' || return 1
    "$PLYMILL" select "$tmp/by" --quiet >/dev/null && [ "$(wc -l <"$tmp/by-recipe")" -gt "$lines" ]
}
program=$(realpath "$PLYMILL") fake=$(realpath "$FAKE_ENGINE")
check 'build.log in a recipe is --log' by_recipe
one_id() {
    for way in --log --build.log; do
        "$PLYMILL" config "$tmp/r.toml" $way "$tmp/x.log" | grep -F "log = \"$tmp/x.log\"  # command line" || return 1
    done
    same_build_id "$tmp/l" "$tmp/by"
}
check 'one key of the canonical recipe, and none of the build id' one_id
check 'a log that cannot be, by a recipe' fails 1 'build.log. /nowhere/x: No such file' "$PLYMILL" build "$tmp/r.toml" --input "$tmp/g.pgn" --build.log /nowhere/x -o "$tmp/none"
check 'a log that cannot be' fails 1 '--log .*nowhere/x: No such file' "$PLYMILL" scan --log "$tmp/nowhere/x" x
odd_bytes() {
    "$PLYMILL" scan "$(printf 'a\377b')" --log "$tmp/log" 2>/dev/null
    tail -n 1 "$tmp/log" | grep -q '"exit":1,"error":"a?b: '
}
check 'names that are no UTF-8' odd_bytes

red() {
    "$PLYMILL" scan "$tmp/none" "$@" 2>&1 | grep -q "$(printf '\033')"
}
no_color() {
    ! red "$@"
}
check 'no colours in a file' no_color
check '--color=always' red --color=always
check 'NO_COLOR does not matter for that' env NO_COLOR=1 sh -c '"$0" scan none --color=always 2>&1 | grep -q "$(printf "\033")"' "$PLYMILL"
colored_terminal() {
    env TERM=xterm "$@" script -qfc "'$PLYMILL' scan none" "$tmp/screen" >/dev/null </dev/null
    grep -q "$(printf '\033\\[1;31mplymill:')" "$tmp/screen"
}
plain_terminal() {
    ! colored_terminal "$@"
}
if command -v script >/dev/null; then
    check 'colours on a terminal' colored_terminal
    check 'not with NO_COLOR' plain_terminal NO_COLOR=1
    check 'not with TERM=dumb' plain_terminal TERM=dumb
fi
finish
