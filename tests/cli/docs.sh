#!/bin/sh
# Every command line of README.md and docs/ is run, page by page, in a folder with small stand-ins of the
# files that it names. A command line is a line of an indented block that begins with a program's name, or
# `plymill` with its arguments within a text; names alone and patterns (FILE, ...) are none. Where a block
# cannot be run the page says why, in a line before it: <!-- not run: REASON -->
. tests/cli/lib.sh
. tests/fixture.sh

# commands PAGE: "RUN<TAB>line" or the reason in place of RUN, continued lines joined.
commands() {
    awk '
        /^<!-- not run: .* -->$/ { reason = $0; sub(/^<!-- not run: /, "", reason); sub(/ -->$/, "", reason); next }
        /^    / {
            line = substr($0, 5)
            block = 1
            if (joined != "") line = joined " " line
            joined = ""
            if (line ~ /\\$/) { joined = substr(line, 1, length(line) - 1); next }
            if (line ~ /^(plymill|zstd|wget|npm|make|cc|python3?|node|cut|sh|sbatch|seq|curl|git|sudo|apt-get|\.\/[a-z]+|[A-Z_]+=[^ ]*) /)
                print (reason == "" ? "RUN" : reason) "\t" line
            next
        }
        block { reason = ""; block = 0 }
        {
            count = split($0, span, "`")
            for (i = 2; i < count; i += 2)
                if (span[i] ~ /^(time )?plymill ([a-z]+ [^ ]|--)/ && span[i] !~ /(^| )[A-Z]+( |$|\.[a-z])|\.\.\./)
                    print "RUN\t" span[i]
        }
    ' "$1"
}
check 'files for the commands' fixture "$tmp/ex"
run_here() {
    (cd "$tmp/page" && timeout 200 sh -c "$1")
    got=$?
    case $1 in
    *--fail-if*) [ $got -eq 3 ] || [ $got -eq 0 ] ;; # nets this small are not good
    *) return $got ;;
    esac
}
for page in README.md docs/*.md; do
    commands "$page" >"$tmp/commands"
    [ -s "$tmp/commands" ] || continue
    rm -rf "$tmp/page"
    cp -R "$tmp/ex" "$tmp/page" || exit 1
    while IFS="$(printf '\t')" read -r reason line; do
        line=${line%%  # *}
        line=${line#time } # which not every shell has
        missing=$(missing_fixture "$line")
        if [ "$reason" != RUN ]; then
            skip "$page: $line" "$reason"
        elif [ -n "$missing" ]; then
            skip "$page: $line" "$missing"
        else
            check "$page: $line" run_here "$line"
        fi
    done <"$tmp/commands"
done
# A reading order is no use where files have moved.
files_exist() {
    find formats labeler nnue pipeline tests -name '*.[ch]' >"$tmp/sources"
    grep -o '`[A-Za-z0-9_/]*\.[ch]`' docs/ARCHITECTURE.md | tr -d '`' | sort -u | grep -vE '_(NAME|LEVEL)\.' >"$tmp/named"
    [ "$(wc -l <"$tmp/named")" -gt 50 ] || { echo 'no files are named'; return 1; }
    while read -r file; do
        sed 's|^|/|' "$tmp/sources" | grep -q "/$file\$" || { echo "there is no $file"; return 1; }
    done <"$tmp/named"
}
check 'docs/ARCHITECTURE.md: its files are there' files_exist
enough() {
    [ "$number" -gt 30 ]
}
check 'command lines were found' enough
finish
