#!/bin/sh
# label --fens: lists of positions of any origin, answers in the order of the lines.
. tests/cli/lib.sh

label() {
    "$PLYMILL" label --engine "$FAKE_ENGINE${fault:+ $fault}" --quiet --nodes 1000 "$@"
}
start='rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'
cat >"$tmp/odd" <<T
$start
4k3/8/8/8/8/8/8/4K2R w K - bm Rh7; hmvc 7; fmvn 31; id "a; b";

4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1
4k3/8/8/8/8/8/8/4K2R w - - 3 9 ; a comment
7k/5Q2/6K1/8/8/8/8/8 b - - 0 1
7k/6Q1/6K1/8/8/8/8/8 b - - 0 1
no position
4k3/8/8/8/8/8/8/8 w - - 0 1
4k3/8/8/8/8/8/8/4K2R b - - 0 1 moves e8e7
4k3/8/8/8/8/8/8/4K2R b - - 5
4k3/8/8/8/4Q3/8/8/4K3 w - - 0 1
T
# The first column and what became of it: a label, or the reason.
odd() {
    label --workers 2 --fens "$tmp/odd" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 1 ] || { echo 'exit code'; return 1; }
    awk -F '\t' '{ r = $2; for (i = 3; i <= 8; i++) r = r "|" $i;
        if ($2 ~ /^(cp|mate) -?[0-9]+$/ && $3 ~ /^(exact|lower|upper)$/ &&
            ($4 == "-" && $5 == "-" || $4 ~ /^(cp|mate) -?[0-9]+$/ && $5 ~ /^[0-9]+$/) &&
            $6 ~ /^[a-h][1-8][a-h][1-8]$/ && $7 > 0 && $8 >= 1000) r = "label";
        print $1 ": " r (NF == 8 ? "" : " (" NF " columns)") }' "$tmp/out" >"$tmp/have"
    cat >"$tmp/want" <<T
$start: label
4k3/8/8/8/8/8/8/4K2R w K - 7 31: label
4k3/8/8/8/8/8/8/4K2R w K - 0 1: label
4k3/8/8/8/8/8/8/4K2R w - - 3 9: label
7k/5Q2/6K1/8/8/8/8/8 b - - 0 1: no legal move (stalemate)|-|-|-|-|-|-
7k/6Q1/6K1/8/8/8/8/8 b - - 0 1: no legal move (checkmate)|-|-|-|-|-|-
no position: bad FEN syntax|-|-|-|-|-|-
4k3/8/8/8/8/8/8/8 w - - 0 1: impossible board|-|-|-|-|-|-
4k3/8/8/8/8/8/8/4K2R b - - 0 1 moves e8e7: bad FEN syntax|-|-|-|-|-|-
4k3/8/8/8/8/8/8/4K2R b - - 5: bad FEN syntax|-|-|-|-|-|-
4k3/8/8/8/4Q3/8/8/4K3 w - - 0 1: opponent in check|-|-|-|-|-|-
T
    same "$tmp/want" "$tmp/have" || return 1
    grep -q '^3 castling letters .* 1 lines' "$tmp/err" || { cat "$tmp/err"; return 1; }
    grep -q '7 of 11 lines got no label' "$tmp/err" || { cat "$tmp/err"; return 1; }
}
check 'usable lines are labeled, the others say why, exit 1' odd
start_by_word() {
    echo "$start" | label --workers 1 --fens - >"$tmp/a" && printf ' startpos\r\n' | label --workers 1 --fens - >"$tmp/b" &&
        [ -s "$tmp/a" ] && same "$tmp/a" "$tmp/b"
}
check 'startpos is a line as its FEN is' start_by_word

# The engine gets the label key: full-move number 1, no position without a move, no wrong right.
sent() {
    rm -f "$tmp/log"
    fault="--log $tmp/log"
    label --workers 1 --fens "$tmp/odd" >/dev/null 2>&1
    fault=
    sed -n 's/^position fen //p' "$tmp/log" >"$tmp/have"
    cat >"$tmp/want" <<T
$start
4k3/8/8/8/8/8/8/4K2R w K - 7 1
4k3/8/8/8/8/8/8/4K2R w K - 0 1
4k3/8/8/8/8/8/8/4K2R w - - 3 1
T
    same "$tmp/want" "$tmp/have" && grep -q '^go nodes 1000$' "$tmp/log"
}
check 'what the engine is sent' sent

# Many lines: more than the window between input and output holds.
awk 'BEGIN { for (i = 0; i < 9000; i++)
    printf "8/8/8/3k4/8/8/8/K6R w - - %d %d\n", i % 90, int(i / 90) + 1 }' >"$tmp/long"
head -n 400 "$tmp/long" >"$tmp/many"
order() {
    label --workers 1 --fens "$tmp/many" >"$tmp/one" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    cut -f 1 "$tmp/one" >"$tmp/fens"
    same "$tmp/many" "$tmp/fens" || return 1
    # Long enough for a busy machine: a position that is late twice has no label.
    fault='--hang-at 100' label --workers 3 --label.deadline_ms 3000 --label.max_restarts 1000 \
        --fens "$tmp/many" >"$tmp/three" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
    same "$tmp/one" "$tmp/three" || return 1
    zstd -q "$tmp/many" -o "$tmp/many.zst" && label --fens "$tmp/many.zst" >"$tmp/zst" || return 1
    same "$tmp/one" "$tmp/zst" || return 1
    { printf '\357\273\277'; sed 's/$/\r/' "$tmp/many"; } | label --fens - >"$tmp/crlf" || return 1
    same "$tmp/one" "$tmp/crlf" || return 1
    head -c -1 "$tmp/many" | label --fens - >"$tmp/unended" || return 1
    same "$tmp/one" "$tmp/unended"
}
check 'order and labels for any number of workers, with restarts, packed, CRLF, BOM' order
long_run() {
    label --workers 2 --fens "$tmp/long" | cut -f 1 >"$tmp/fens"
    same "$tmp/long" "$tmp/fens"
}
check '9,000 lines' long_run

# A program that waits for each answer before it writes the next line.
dialogue() {
    mkfifo "$tmp/in" "$tmp/reply"
    label --workers 2 --fens - <"$tmp/in" >"$tmp/reply" &
    exec 3>"$tmp/in" 4<"$tmp/reply"
    for clock in 1 2 3; do
        echo "4k3/8/8/8/8/8/8/4K2R w K - $clock 1" >&3
        read -r row <&4
        case $row in
        "4k3/8/8/8/8/8/8/4K2R w K - $clock 1"*) ;;
        *) echo "clock $clock: $row"; return 1 ;;
        esac
    done
    exec 3>&- 4<&-
    wait $!
}
check 'a dialogue, line by line' dialogue

line_of() { # a line of that many bytes: a position with a comment behind it
    printf '4k3/8/8/8/8/8/8/4K2R w - - 0 1 ;%*s\n' $(($1 - 32)) x
}
lengths() {
    line_of 4096 | label --fens - >"$tmp/out" || return 1
    grep -q '	cp\|	mate' "$tmp/out" || return 1
    line_of 4097 | label --fens - >"$tmp/out" 2>/dev/null && return 1
    grep -q '	line too long	' "$tmp/out" || return 1
    # Not passed over as blank, although what of it is kept is.
    printf '%5000s\n' x | label --fens - >"$tmp/out" 2>/dev/null && return 1
    grep -q '	line too long	' "$tmp/out"
}
check 'lines of 4,096 bytes, and of one more' lengths

failing() {
    fault='--die-on 8/4K2R' label --workers 1 --fens "$tmp/odd" >"$tmp/out" 2>"$tmp/err" && return 1
    [ "$(grep -c 'in the middle of a search' "$tmp/out")" -eq 3 ] || { cat "$tmp/out"; return 1; }
    head -n 1 "$tmp/out" | grep -q '	\(cp\|mate\) '
}
check 'a position that kills engines has that as its reason' failing

chess960() {
    echo 'bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9' >"$tmp/960"
    label --fens "$tmp/960" 2>/dev/null | grep -q 'UCI_Chess960 is not set' || return 1
    label --chess960 --fens "$tmp/960" >"$tmp/out" || return 1
    grep -q '	cp\|	mate' "$tmp/out"
}
check 'Chess960 positions want --chess960' chess960

: >"$tmp/empty"
check 'an empty list has no rows' label --fens "$tmp/empty"
check 'a missing file' fails 1 'nowhere.*No such file' label --fens "$tmp/nowhere"
check 'a folder' fails 1 'directory' label --fens "$tmp"
check 'list and directory exclude each other' fails 2 'one or the other' label x --fens "$tmp/odd"
check 'neither list nor directory' fails 2 'usage' label
check 'nodes 0 is refused' fails 2 'label.nodes' label --fens "$tmp/odd" --nodes 0
check 'several variations are refused' fails 1 'must be 1' label --fens "$tmp/odd" \
    --label.options.MultiPV 2
check 'an option out of range is refused' fails 1 'from -5 to 20' label --fens "$tmp/odd" \
    '--label.options.Skill Level' 21

stopped() {
    "$PLYMILL" label --engine "$FAKE_ENGINE --delay 50" --quiet --workers 1 --fens "$tmp/long" \
        >"$tmp/out" 2>"$tmp/err" &
    pid=$!
    until_true test -s "$tmp/out"
    kill -INT "$pid"
    wait "$pid"
    code=$?
    [ "$code" -eq 75 ] || { echo "exit code $code"; cat "$tmp/err"; return 1; }
    cut -f 1 "$tmp/out" >"$tmp/fens"
    head -n "$(wc -l <"$tmp/out")" "$tmp/long" >"$tmp/want"
    [ -s "$tmp/out" ] && same "$tmp/want" "$tmp/fens"
}
# A background job of a plain shell ignores SIGINT; one of env --default-signal does not.
if env --default-signal=INT true 2>/dev/null; then
    PLYMILL_PLAIN=$PLYMILL
    printf '#!/bin/sh\nexec env --default-signal=INT "%s" "$@"\n' "$PLYMILL_PLAIN" >"$tmp/plymill"
    chmod +x "$tmp/plymill"
    PLYMILL=$tmp/plymill
    check 'Ctrl-C: rows up to there, exit 75' stopped
    PLYMILL=$PLYMILL_PLAIN
fi
finish
