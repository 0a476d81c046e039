#!/bin/sh
# Two Debian packages out of an installed tree: plymill, and libplynnue-dev for engines.
#   packaging/deb.sh VERSION TREE FOLDER
# TREE is what `make install DESTDIR=TREE prefix=/usr` made; the packages come to FOLDER. Equal trees
# give equal packages: their dates are that of the last change of the source (SOURCE_DATE_EPOCH).
set -eu
version=$1 tree=$2 folder=$3
here=$(cd "$(dirname "$0")/.." && pwd)
architecture=$(dpkg --print-architecture)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null || date -r "$here/NEWS.md" +%s)}
export SOURCE_DATE_EPOCH
maintainer='The plymill authors <plymill@example.org>'
work=$folder/work
rm -rf "$work"
mkdir -p "$work/debian"

# documents PACKAGE: what every package says of itself.
documents() {
    doc=$work/$1/usr/share/doc/$1
    mkdir -p "$doc"
    {
        printf 'plymill (%s) unstable; urgency=medium\n\n  * See NEWS.md.\n\n -- %s  ' "$version" "$maintainer"
        LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH"
    } | gzip -9n >"$doc/changelog.gz"
    {
        echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
        printf '\nFiles: *\nCopyright: %s\nLicense: MIT\n' "$(sed -n 's/^Copyright (c) //p' "$here/LICENSE")"
        sed '1,4d; s/^$/./; s/^/ /' "$here/LICENSE"
    } >"$doc/copyright"
}
# pack PACKAGE: its control fields come from standard input.
pack() {
    mkdir -p "$work/$1/DEBIAN"
    find "$work/$1" -type d -exec chmod 755 {} +
    size=$(du -k -s --exclude=DEBIAN "$work/$1" | cut -f1)
    {
        printf 'Package: %s\nSource: plymill\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nInstalled-Size: %s\nPriority: optional\n' \
            "$1" "$version" "$architecture" "$maintainer" "$size"
        cat
    } >"$work/$1/DEBIAN/control"
    (cd "$work/$1" && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)
    find "$work/$1" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build "$work/$1" "$folder/$1_${version}_$architecture.deb"
}

# The program with its pages, recipes and completion.
mkdir -p "$work/plymill/usr/bin" "$work/plymill/usr/share/man/man1"
rm "$tree/usr/share/plymill/folders" # dpkg takes folders away itself
cp -R "$tree/usr/share/plymill" "$tree/usr/share/bash-completion" "$work/plymill/usr/share"
for page in "$tree"/usr/share/man/man1/*.1; do
    gzip -9n <"$page" >"$work/plymill/usr/share/man/man1/$(basename "$page").gz"
done
strip --strip-unneeded -R .comment -R .note -o "$work/plymill/usr/bin/plymill" "$tree/usr/bin/plymill"
chmod 755 "$work/plymill/usr/bin/plymill"
documents plymill
cp "$here/README.md" "$here/NEWS.md" "$here"/docs/*.md "$work/plymill/usr/share/doc/plymill"
printf 'Source: plymill\n\nPackage: plymill\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O -eplymill/usr/bin/plymill 2>/dev/null | sed 's/^shlibs:Depends=//')
pack plymill <<C
Section: science
Depends: $depends
Recommends: stockfish
Suggests: zstd, python3-numpy
Description: training sets for NNUE evaluation nets of chess engines
 plymill turns archives of chess games into labeled training sets for NNUE
 nets, the same bytes every time: it checks every move, draws positions by a
 hash of the game, has UCI engines label them at a fixed number of nodes, and
 drops duplicates and leaks between the splits.
 .
 It also trains such nets, rounds them to integers, proves that their
 incremental updates are exact, and scores them on games they have not seen.
C

# The library for engines: the header, the archive and what pkg-config asks for.
libdir=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
mkdir -p "$work/libplynnue-dev$libdir/pkgconfig"
cp -R "$tree/usr/include" "$work/libplynnue-dev/usr"
strip --strip-debug --enable-deterministic-archives -o "$work/libplynnue-dev$libdir/libplynnue.a" "$tree/usr/lib/libplynnue.a"
chmod 644 "$work/libplynnue-dev$libdir/libplynnue.a"
sed "s|^libdir=.*|libdir=$libdir|" "$tree/usr/lib/pkgconfig/plynnue.pc" >"$work/libplynnue-dev$libdir/pkgconfig/plynnue.pc"
documents libplynnue-dev
pack libplynnue-dev <<C
Section: libdevel
Suggests: plymill, pkgconf
Description: NNUE nets inside a chess engine (static library and header)
 libplynnue evaluates NNUE nets with incremental updates that are exact:
 its own and those of Stockfish 12 to 19, HalfKA and bullet. It prints
 nothing, keeps no globals and knows no rules of chess.
C
rm -r "$work"
