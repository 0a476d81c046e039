#!/bin/sh
# The README's library example compiles, runs, and agrees with `plymill eval`.
. tests/cli/lib.sh

sed -n '/^```c$/,/^```$/p' README.md | sed '1d;$d' >"$tmp/example.c"
lib=${OUT:-build/release}/lib
compiles() {
    cc -std=c11 -Wall -Wextra -Werror -I. -o "$tmp/example" "$tmp/example.c" "$lib/nnue-core.a" -lm ${EXAMPLE_LDFLAGS:-}
}
check 'the example compiles without a warning' compiles
compile_line_is_there() {
    grep -qF 'cc -I. example.c build/release/lib/nnue-core.a -lm' README.md
}
check 'the README says how to compile it' compile_line_is_there
# Into a folder whose name has a blank, and out again. -o all: nothing is built for it.
make_here() {
    out=${OUT:-build/release}
    env -u MAKEFLAGS -u MFLAGS make -s -o all "$1" BUILD="${out%/*}" MODE="${out##*/}" \
        DESTDIR="$tmp/my root" prefix='/a b' >/dev/null
}
installs() {
    root="$tmp/my root/a b"
    make_here install && "$root/bin/plymill" --version | grep -q '^plymill ' &&
        [ -s "$root/share/man/man1/plymill-build.1" ] && [ -s "$root/share/plymill/demo.toml" ] &&
        make_here uninstall && [ -z "$(find "$root" -type f)" ]
}
check 'make install and uninstall take a prefix with blanks' installs
check 'it is short' test "$(wc -l <"$tmp/example.c")" -le 25

# A net to try it on: one epoch on a few positions.
printf '[label]\nnodes = 20\n' >"$tmp/r.toml"
zstd -dcq configs/demo.pgn.zst | awk '/^\[Event /{n++} n>30{exit} {print}' >"$tmp/g.pgn"
make_net() {
    "$PLYMILL" build "$tmp/r.toml" --engine "$FAKE_ENGINE" --input "$tmp/g.pgn" -o "$tmp/b" --quiet &&
        "$PLYMILL" train "$tmp/b" -o "$tmp/net.safetensors" --train.epochs 2 --quiet &&
        "$PLYMILL" quantize "$tmp/net.safetensors" -o "$tmp/int8.safetensors" --quiet
}
check 'a net to try it on' make_net
agrees() {
    got=$("$tmp/example" "$tmp/int8.safetensors") || return 1
    want=$("$PLYMILL" eval "$tmp/int8.safetensors" '4k3/8/8/8/4P3/8/8/4K3 b - - 0 1' | cut -f2)
    [ -n "$got" ] && [ "$got" = "$want" ] || { echo "$got, not $want"; return 1; }
}
check 'it prints what plymill eval prints' agrees
finish
