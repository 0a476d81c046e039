#!/bin/sh
# libplynnue: what it shows, its header alone, and programs built against the installed library in a
# folder outside the tree.
. tests/cli/lib.sh

out=${OUT:-build/release}
header=nnue/core/plynnue.h

# What the header declares, by the compiler's view of it.
cc -E -P "$header" | grep -o 'plynnue_[a-z0-9_]*(' | tr -d '(' | sort -u >"$tmp/declared"
shown_by() { # FILE NM-OPTION...
    file=$1
    shift
    nm --defined-only "$@" "$file" | awk 'NF == 3 && $2 != "A" { sub("@.*", "", $3); print $3 }' | sort -u
}
functions_are_declared() { [ "$(wc -l <"$tmp/declared")" -ge 14 ]; }
archive_shows() { shown_by "$out/lib/libplynnue.a" -g >"$tmp/shown" && same "$tmp/declared" "$tmp/shown"; }
shared_shows() { shown_by "$out"/lib/libplynnue.so.* -D >"$tmp/shown" && same "$tmp/declared" "$tmp/shown"; }
check 'the header declares functions' functions_are_declared
check 'the archive shows these and no other symbol' archive_shows
check 'so does the shared library' shared_shows
never_prints_or_exits() {
    ! nm -u "$out/lib/libplynnue.a" |
        grep -E ' (_*(f|d|v|vf|vd)?printf(_chk)?|puts|putchar|fput[cs]|fwrite|write|perror|stdout|stderr|_?exit|abort|__assert_fail|signal|raise)$'
}
check 'it neither prints nor exits' never_prints_or_exits

mkdir "$tmp/alone"
cp "$header" "$tmp/alone"
printf '#include "plynnue.h"\nint main(void)\n{\n    return PLYNNUE_OK;\n}\n' >"$tmp/alone/a.c"
cp "$tmp/alone/a.c" "$tmp/alone/a.cpp"
alone() { # COMPILER STANDARD FILE
    $1 "-std=$2" -Wall -Wextra -Wpedantic -Werror -fsyntax-only "$tmp/alone/$3"
}
check 'the header alone is C99' alone cc c99 a.c
check 'and C11' alone cc c11 a.c
if command -v g++ >/dev/null; then
    check 'and C++98' alone g++ c++98 a.cpp
    check 'and C++17' alone g++ c++17 a.cpp
else
    skip 'and C++98' 'no g++'
    skip 'and C++17' 'no g++'
fi

# Installed, as a package would be made and as a user does it. -o: nothing is built for it.
make_here() { # TARGET DESTDIR PREFIX
    env -u MAKEFLAGS -u MFLAGS make -s -o all -o lib "$1" BUILD="${out%/*}" MODE="${out##*/}" \
        DESTDIR="$2" prefix="$3" >/dev/null
}
prefix="$tmp/usr"
# What a system has there before: these stay, and whatever else appears goes again.
mkdir -p "$prefix/bin" "$prefix/include" "$prefix/lib" "$prefix/share/man"
find "$prefix" | sort >"$tmp/before"
check 'make install' make_here install '' "$prefix"
links_are_there() {
    [ "$(readlink "$prefix/lib/libplynnue.so")" = libplynnue.so.0 ] &&
        [ -x "$prefix/lib/$(readlink "$prefix/lib/libplynnue.so.0")" ]
}
check 'the links of the shared library' links_are_there
places_are_named() {
    mkdir "$tmp/elsewhere" && cd "$tmp/elsewhere" || return 1
    "$prefix/bin/plymill" sample "$prefix/share/plymill/demo.toml" -o demo --quiet
    status=$?
    cd "$OLDPWD" || return 1
    [ $status -eq 0 ] && grep -q "^ExecStart=$prefix/share/plymill/newest-month.sh /srv" "$prefix/share/plymill/newest-month.service" &&
        ! grep -rE '/usr/local|"configs/' "$prefix/share/plymill"
}
check 'installed recipes and timers say where things are' places_are_named

# A program out of a page, in an empty folder: nothing of the tree is in reach.
mkdir "$tmp/engine"
program_of() { # PAGE NAME
    sed -n '/^```c$/,/^```$/p' "$1" | sed '1d;/^```$/,$d' >"$tmp/engine/$2.c"
    [ -s "$tmp/engine/$2.c" ]
}
flags() {
    if command -v pkg-config >/dev/null; then
        PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags --libs plynnue
    else
        echo "-I$prefix/include -L$prefix/lib -lplynnue"
    fi
}
builds() { # NAME
    (cd "$tmp/engine" && cc -std=c11 -Wall -Wextra -Werror -o "$1" "$1.c" $(flags) ${EXAMPLE_LDFLAGS:-})
}
builds_static() { # NAME
    (cd "$tmp/engine" && cc -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -o "$1-static" "$1.c" \
        "$prefix/lib/libplynnue.a" ${EXAMPLE_LDFLAGS:-})
}
builds_cplusplus() { # NAME
    (cd "$tmp/engine" && cp "$1.c" "$1.cpp" && g++ -std=c++17 -Wall -Wextra -Werror -o "$1-cpp" "$1.cpp" $(flags) ${EXAMPLE_LDFLAGS:-})
}
run() { # PROGRAM ARGUMENT...
    name=$1
    shift
    (cd "$tmp/engine" && LD_LIBRARY_PATH="$prefix/lib" "./$name" "$@")
}
check "README's program is there" program_of README.md short
check "docs/EMBED.md's program is there" program_of docs/EMBED.md engine
readme_says_how() { grep -qF 'cc -o example example.c $(pkg-config --cflags --libs plynnue)' README.md; }
check 'the README says how to build it' readme_says_how
check 'it is short' test "$(wc -l <"$tmp/engine/short.c")" -le 25
check "README's program builds" builds short
check "docs/EMBED.md's program builds" builds engine
check 'and with the archive' builds_static engine
if command -v g++ >/dev/null; then
    check 'and as C++' builds_cplusplus engine
else
    skip 'and as C++' 'no g++'
fi

# A net to try them on: two epochs on a few positions.
printf '[label]\nnodes = 20\n' >"$tmp/r.toml"
demo_games 30 >"$tmp/g.pgn"
net="$tmp/int8.safetensors"
make_net() {
    "$PLYMILL" build "$tmp/r.toml" --engine "$FAKE_ENGINE" --input "$tmp/g.pgn" -o "$tmp/b" --quiet &&
        "$PLYMILL" train "$tmp/b" -o "$tmp/net.safetensors" --train.epochs 2 --quiet &&
        "$PLYMILL" quantize "$tmp/net.safetensors" -o "$net" --quiet
}
check 'a net to try them on' make_net
short_agrees() {
    run short "$net" >"$tmp/got" || return 1
    "$PLYMILL" eval "$net" '4k3/8/8/8/4P3/8/8/4K3 b - - 0 1' | cut -f2 >"$tmp/want" && same "$tmp/got" "$tmp/want"
}
check "README's program prints what plymill eval prints" short_agrees
# En passant, a promotion that takes, both castlings.
printf '1. e4 d5 2. exd5 c5 3. dxc6 Nf6 4. cxb7 Nc6 5. bxa8=Q e5 6. Nf3 Bd6 7. Be2 O-O 8. O-O *\n' >"$tmp/line.pgn"
uci='e2e4 d7d5 e4d5 c7c5 d5c6 g8f6 c6b7 b8c6 b7a8q e7e5 g1f3 f8d6 f1e2 e8g8 e1g1'
values_of_line() {
    "$PLYMILL" scan --fens "$tmp/line.pgn" 2>/dev/null | cut -f3 | sed 1d >"$tmp/fens" &&
        [ "$(wc -l <"$tmp/fens")" -eq 15 ] && "$PLYMILL" eval "$net" <"$tmp/fens" | cut -f2 >"$tmp/want"
}
engine_agrees() { # PROGRAM
    # shellcheck disable=SC2086
    run "$1" "$net" $uci >"$tmp/got" && same "$tmp/got" "$tmp/want"
}
check 'the values of a line' values_of_line
check "docs/EMBED.md's program prints the same" engine_agrees engine
check 'with the archive too' engine_agrees engine-static
engine_refuses() {
    run engine "$net" e2e4 e2e4 >"$tmp/got" 2>"$tmp/err" && return 1
    grep -q 'e2e4 cannot be played' "$tmp/err" && [ "$(wc -l <"$tmp/got")" -eq 1 ]
}
check 'a move that cannot be is refused' engine_refuses

uninstalls() { make_here uninstall '' "$prefix" && find "$prefix" | sort >"$tmp/after" && same "$tmp/before" "$tmp/after"; }
check 'make uninstall leaves nothing' uninstalls
# Into a folder whose name has a blank, and out again.
installs_with_blanks() {
    root="$tmp/my root/a b"
    make_here install "$tmp/my root" '/a b' && "$root/bin/plymill" --version | grep -q '^plymill ' &&
        [ -s "$root/share/man/man1/plymill-build.1" ] && [ -s "$root/share/plymill/demo.toml" ] &&
        grep -q '^prefix=/a\\ b$' "$root/lib/pkgconfig/plynnue.pc" &&
        make_here uninstall "$tmp/my root" '/a b' && [ ! -e "$root" ] && [ -d "$tmp/my root" ]
}
check 'a prefix with blanks' installs_with_blanks
finish
