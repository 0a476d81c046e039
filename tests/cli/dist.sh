#!/bin/sh
# The tarball of `make dist` holds what is committed and nothing else, the same bytes every time.
. tests/cli/lib.sh

if ! git rev-parse --git-dir >/dev/null 2>&1 || [ ! -e .git ]; then
    skip 'the tarball' 'no git checkout'
    finish
fi
version=$(sed -n 's/^VERSION := //p' Makefile)
dist() {
    env -u MAKEFLAGS -u MFLAGS make -s dist BUILD="$tmp/$1" >"$tmp/out"
}
check 'make dist' dist a
has_all() {
    tar -tzf "$tmp/a/plymill-$version.tar.gz" | sed "s|^plymill-$version/||" | grep -v '/$' | grep . | sort >"$tmp/have"
    git ls-tree -r --name-only HEAD | sort >"$tmp/want"
    [ "$(wc -l <"$tmp/want")" -gt 300 ] && same "$tmp/want" "$tmp/have"
}
check 'it holds every file that is committed' has_all
again() {
    dist b && same "$tmp/a/plymill-$version.tar.gz" "$tmp/b/plymill-$version.tar.gz"
}
check 'the same bytes again' again
scripts_run() {
    mkdir "$tmp/x" && tar -xzf "$tmp/a/plymill-$version.tar.gz" -C "$tmp/x" &&
        [ -x "$tmp/x/plymill-$version/packaging/deb.sh" ] && [ -x "$tmp/x/plymill-$version/.ci/run" ] &&
        make -C "$tmp/x/plymill-$version" -s help | grep -q '^make test '
}
check 'unpacked, its Makefile speaks' scripts_run
finish
