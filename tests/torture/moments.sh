#!/bin/sh
# SIGKILL at 200 random moments of a build of 1,000 games, 50 of them in each stage, each followed by
# plymill build: the same bytes, no temporary file, verify passes. At least 20 in each stage must have met
# a running one. The last moments are those of a disk that is too small, where a small file system can be
# mounted.
#   TORTURE_MOMENTS=N in each stage   TORTURE_SEED=N  others   TORTURE_GAMES=N
. tests/cli/lib.sh

moments=${TORTURE_MOMENTS:-50}
least=$((moments * 2 / 5))
cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 6
memory = 16
[sample]
per_game = 10
[label]
nodes = 50
workers = 2
audit = 0.02
[export]
formats = ["plain", "bin", "binpack", "csv", "jsonl"]
score_scale = 2.0
T
zstd -dcq configs/demo.pgn.zst |
    awk -v max="${TORTURE_GAMES:-1000}" '/^\[Event /{n++} n>max{exit} {print}' >"$tmp/games.pgn"
content_of() {
    (cd "$1" && find . -type f ! -name 'build.db*' -exec sha256sum {} + | sort)
}
build() {
    "$PLYMILL" build "$tmp/recipe.toml" --input "$tmp/games.pgn" --engine "$FAKE_ENGINE" --quiet \
        -o "$1" >/dev/null
}
# stage NAME DIR: the program itself, for a process of its own.
stage() {
    case $1 in
    sample) exec "$PLYMILL" sample "$tmp/recipe.toml" --input "$tmp/games.pgn" --quiet -o "$2" ;;
    label) exec "$PLYMILL" label "$2" --engine "$FAKE_ENGINE" --quiet ;;
    *) exec "$PLYMILL" "$1" "$2" --quiet ;;
    esac
}
now() {
    date +%s.%N
}
# Every stage once, timed; and the directory as it is before each.
prepare() {
    build "$tmp/whole" && content_of "$tmp/whole" >"$tmp/whole.txt" && mkdir "$tmp/before-sample" || return 1
    for name in sample label select export; do
        cp -r "$tmp/before-$name" "$tmp/b" || return 1
        [ "$name" = sample ] && rm -r "$tmp/b"
        start=$(now)
        (stage "$name" "$tmp/b") >"$tmp/out" || return 1
        end=$(now)
        echo "$start $end" | awk '{ print $2 - $1 }' >"$tmp/seconds-$name"
        case $name in
        sample) mv "$tmp/b" "$tmp/before-label" ;;
        label) mv "$tmp/b" "$tmp/before-select" ;;
        select) mv "$tmp/b" "$tmp/before-export" ;;
        export) content_of "$tmp/b" >"$tmp/b.txt" && same "$tmp/whole.txt" "$tmp/b.txt" && rm -r "$tmp/b" ;;
        esac || return 1
    done
}
check 'a build, and its stages one by one' prepare

right_afterwards() {
    build "$tmp/b" || return 1
    content_of "$tmp/b" >"$tmp/b.txt"
    same "$tmp/whole.txt" "$tmp/b.txt" || return 1
    left=$(find "$tmp/b" -name '*.tmp-*' -o -name '*.work*' -o -name '*-journal')
    [ -z "$left" ] || { echo "left: $left"; return 1; }
    "$PLYMILL" verify "$tmp/b" --quiet >"$tmp/out" || { cat "$tmp/out"; return 1; }
}
strike() {
    rm -rf "$tmp/b"
    [ "$1" = sample ] || cp -r "$tmp/before-$1" "$tmp/b"
    (stage "$1" "$tmp/b") >"$tmp/out" 2>"$tmp/err" &
    pid=$!
    sleep "$2"
    kill -KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    if [ $? -eq 137 ]; then
        struck=$((struck + 1))
    else
        seconds=$(echo "$seconds" | awk '{ print $1 * 0.9 }')
    fi
    right_afterwards || { echo "$1 after $2 s"; return 1; }
}
# The measured time is taken to be shorter whenever a moment came too late: a machine is not always
# equally fast.
kills_in() {
    struck=0
    seconds=$(cat "$tmp/seconds-$1")
    awk -v seed="${TORTURE_SEED:-1}" -v n="$moments" 'BEGIN { srand(seed)
        for (i = 0; i < n; i++) print rand() }' >"$tmp/moments"
    while read -r moment; do
        strike "$1" "$(echo "$moment $seconds" | awk '{ printf "%.4f", $1 * $2 }')" || return 1
    done <"$tmp/moments"
    echo "$struck" >"$tmp/struck"
    [ "$struck" -ge "$least" ] || { echo "only $struck of $moments met a running $1"; return 1; }
}
for name in sample label select export; do
    check "$name: SIGKILL at $moments random moments of $(cat "$tmp/seconds-$name") s" kills_in "$name"
    echo "# $(cat "$tmp/struck") of $moments met a running $name"
done

# A file system of so many KiB, and then of enough.
disk=$tmp/disk
mkdir "$disk"
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=64k tmpfs "$disk" 2>/dev/null; then
    trap 'umount "$disk"; rm -rf "$tmp"' EXIT
    size_of_whole=$(du -sk "$tmp/whole" | cut -f1)
    disk_full() {
        rm -rf "$disk/b" "$tmp/b"
        mount -o "remount,size=$1k" "$disk" || return 1
        build "$disk/b" 2>"$tmp/err"
        code=$?
        [ "$code" -eq 75 ] || { echo "exit code $code with $1 KiB"; cat "$tmp/err"; return 1; }
        [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -qE 'No space left on device|full' "$tmp/err" ||
            { cat "$tmp/err"; return 1; }
        mount -o "remount,size=$((size_of_whole * 8 + 65536))k" "$disk" || return 1
        ln -sfn "$disk/b" "$tmp/b"
        right_afterwards
    }
    for part in 2 10 25 40 55 70 85 97; do
        check "a disk of $part % of what the build takes" disk_full $((size_of_whole * part / 100 + 16))
    done
else
    skip 'disks that are too small' 'no file system can be mounted'
fi
finish
