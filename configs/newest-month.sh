#!/bin/sh
# Builds the newest month of games that lies in a folder with its checksum, unless that was done. Does
# nothing, and says nothing, where there is nothing to do: for a timer (newest-month.timer, or cron).
#   newest-month.sh ARCHIVES RECIPE BUILDS
# ARCHIVES holds lichess_db_standard_rated_YYYY-MM.pgn.zst and sha256sums.txt as the publisher gives it;
# BUILDS gets a build directory YYYY-MM. What a build has begun the next run goes on with (exit code 75:
# it was stopped, or the disk is full). PLYMILL names the program.
set -eu
if [ "$#" -ne 3 ]; then
    sed -n '2,7s/^# *//p' "$0" >&2
    exit 2
fi
archives=$1 recipe=$2 builds=$3
plymill=${PLYMILL:-plymill}

newest=$(find "$archives" -maxdepth 1 -name 'lichess_db_standard_rated_[0-9][0-9][0-9][0-9]-[0-9][0-9].pgn.zst' |
    sort | tail -n 1)
[ -n "$newest" ] || exit 0
name=$(basename "$newest")
month=${name#lichess_db_standard_rated_}
month=${month%.pgn.zst}
build=$builds/$month
# The seal is the last file that a finished build gets.
[ -e "$build/build.db.sha256" ] && exit 0
[ -e "$archives/sha256sums.txt" ] || exit 0
sum=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1 }' "$archives/sha256sums.txt")
[ -n "$sum" ] || exit 0
# A download that is still going on has another digest. Once begun, verify looks at the input again.
if [ ! -e "$build/build.db" ] && [ "$(sha256sum <"$newest" | cut -d' ' -f1)" != "$sum" ]; then
    exit 0
fi
mkdir -p "$builds"
"$plymill" build "$recipe" --input "$newest" -o "$build" --quiet --yes
"$plymill" verify "$build" --quiet
