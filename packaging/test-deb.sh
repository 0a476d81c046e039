#!/bin/sh
# The packages in a clean Debian 12: lintian finds no errors, they install, the program builds a training
# set with Debian's Stockfish and trains on it, the README's program runs with the library; and they go without a trace.
#   packaging/test-deb.sh FOLDER     with the packages in it; as root
# MIRROR=URL: another one than deb.debian.org.
set -eu
folder=$(cd "$1" && pwd)
program=$(ls "$folder"/plymill_*.deb)
library=$(ls "$folder"/libplynnue-dev_*.deb)
root=$folder/chroot

echo '== lintian'
lintian --fail-on error "$program" "$library"

echo '== a clean Debian 12'
rm -rf "$root"
mmdebstrap --quiet --variant=minbase bookworm "$root" ${MIRROR:+"$MIRROR"}
inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive sh -euc "$1"
}
# The way to the mirror, where there is one of its own.
cp /etc/resolv.conf "$root/etc/resolv.conf"
grep -ls Proxy /etc/apt/apt.conf.d/* | xargs -r -I{} cp {} "$root/etc/apt/apt.conf.d/"
mkdir -p "$root/packages"
cp "$program" "$library" "$root/packages"
inside 'find / -xdev -path /proc -prune -o -path /packages -prune -o \( -name "*plymill*" -o -name "*plynnue*" \) -print' >"$folder/before"

echo '== install'
# Recommends come with it: Stockfish.
inside 'apt-get update -qq; apt-get install -y -qq --install-recommends /packages/plymill_*.deb >/dev/null; plymill --version; ls -l /usr/games/stockfish'
inside 'plymill --version | grep -q "^engine: /usr/games/stockfish$"'

echo '== games to a net'
inside 'cd /tmp; plymill build /usr/share/plymill/demo.toml --input /usr/share/plymill/demo.pgn.zst \
    --input.max_games 60 --nodes 500 -o demo --quiet
    plymill train demo -o demo/net.safetensors --train.epochs 2 --quiet
    plymill quantize demo/net.safetensors -o demo/int8.safetensors --quiet
    plymill check demo/int8.safetensors --quiet
    plymill score demo/int8.safetensors demo | head -n 12
    plymill verify demo --quiet; mv demo/int8.safetensors net.safetensors; rm -r demo'

echo '== the library'
inside 'apt-get install -y -qq --no-install-recommends /packages/libplynnue-dev_*.deb gcc libc6-dev pkgconf >/dev/null
    cd /tmp
    sed -n "/^\`\`\`c$/,/^\`\`\`$/p" /usr/share/doc/plymill/README.md | sed "1d;/^\`\`\`$/,\$d" >example.c
    gcc -o example example.c $(pkg-config --cflags --libs plynnue)
    ./example net.safetensors >a; cat a
    plymill eval net.safetensors "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1" | cut -f2 | cmp - a
    rm a example example.c net.safetensors'

echo '== remove'
inside 'dpkg --purge plymill libplynnue-dev >/dev/null 2>&1'
inside 'find / -xdev -path /proc -prune -o -path /packages -prune -o \( -name "*plymill*" -o -name "*plynnue*" \) -print' >"$folder/after"
diff "$folder/before" "$folder/after"
rm -rf "$root"
echo 'the packages are good'
