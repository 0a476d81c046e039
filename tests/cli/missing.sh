#!/bin/sh
# Where a library is not installed, make says so in one line, with what installs it.
. tests/cli/lib.sh

# A compiler that finds all headers but those that $lost names, and these only in -I/elsewhere.
cat >"$tmp/cc" <<'T'
#!/bin/sh
[ "$1" = -dumpmachine ] && exec echo x86_64-linux-gnu
case $* in *' -x c -'*) ;; *) exit 1 ;; esac
case " $* " in *' -I/elsewhere '*) exit 0 ;; esac
header=$(sed 's/.*<\(.*\)>.*/\1/')
case " $lost " in *" $header "*) exit 1 ;; esac
T
chmod +x "$tmp/cc"
# make_fails PATTERN HEADERS
make_fails() {
    rm -rf "$tmp/out"
    env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES lost="$2" make --no-print-directory BUILD="$tmp/out" CC="$tmp/cc" \
        >"$tmp/said" 2>&1 </dev/null
    [ $? -eq 2 ] && [ "$(wc -l <"$tmp/said")" -eq 1 ] && grep -qE "$1" "$tmp/said" || { head "$tmp/said"; return 1; }
}
check 'a header that is not there' make_fails \
    'missing: jansson.h. On Debian: apt-get install libjansson-dev, or make demo' jansson.h
check 'several' make_fails \
    'missing: zlib.h openssl/sha.h. On Debian: apt-get install zlib1g-dev libssl-dev, or' 'openssl/sha.h zlib.h'
elsewhere() {
    rm -rf "$tmp/out"
    env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES lost=jansson.h make --no-print-directory BUILD="$tmp/out" \
        CC="$tmp/cc" CFLAGS=-I/elsewhere "$tmp/out/release/libraries" >"$tmp/said" 2>&1 </dev/null || {
        head "$tmp/said"; return 1; }
}
check 'a folder that CFLAGS name' elsewhere
none() {
    rm -rf "$tmp/out"
    env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES make --no-print-directory BUILD="$tmp/out" CC=/no/such/cc \
        >"$tmp/said" 2>&1 </dev/null
    [ $? -eq 2 ] && grep -q 'no compiler (/no/such/cc). On Debian: apt-get install gcc libc6-dev' "$tmp/said" || {
        head "$tmp/said"; return 1; }
}
check 'no compiler' none
finish
