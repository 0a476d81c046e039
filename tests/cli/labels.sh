#!/bin/sh
# Labels of a build: made again by the audit, asked once for equal positions, taken from earlier builds,
# and never of two engines unless that is wanted.
. tests/cli/lib.sh

zstd -dcq configs/demo.pgn.zst |
    awk -v tmp="$tmp" '/^\[Event /{n++} n>60{exit} {print > (tmp (n <= 30 ? "/a.pgn" : "/b.pgn"))}'
# The games of a.pgn once more under other ids: every position occurs twice.
sed 's|^\[Site ".*/\(.......\).*"|[Site "https://lichess.org/\1Z"|' \
    "$tmp/a.pgn" >"$tmp/twins.pgn"
cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 2
[sample]
per_game = "all"
[label]
nodes = 50
workers = 2
audit = 0
[export]
formats = ["csv"]
T
# build DIR OPTIONS...
build() {
    directory=$1
    shift
    "$PLYMILL" build "$tmp/recipe.toml" --engine "$FAKE_ENGINE${fault:+ $fault}" --quiet \
        -o "$tmp/$directory" "$@"
}
labels_of() { # DIR KEY: a number under "labels" in the manifest
    sed -n "/^  \"labels\": {/,/}/s/.*\"$2\": \([0-9]*\).*/\1/p" "$tmp/$1/manifest.json"
}
samples_of() {
    "$PLYMILL" status "$tmp/$1" | sed -n 's/^ *samples[^0-9]*\([0-9,]*\).*/\1/p' | tr -d , | head -n 1
}
content_of() {
    (cd "$tmp/$1" && sha256sum records/* dataset/* && grep '"build_id"' manifest.json)
}
same_content() {
    content_of "$1" >"$tmp/x" && content_of "$2" >"$tmp/y" && [ "$(wc -l <"$tmp/x")" -ge 5 ] &&
        same "$tmp/x" "$tmp/y"
}
searches() { # lines "go nodes 50" that the engine was sent
    grep -c '^go nodes 50$' "$tmp/log"
}

# --- the audit
audit_passes() {
    fault=--state build audited --input "$tmp/a.pgn" --label.audit 1 || return 1
    build plain --input "$tmp/a.pgn" || return 1
    same_content audited plain || return 1
    [ "$(labels_of plain audited)" -eq 0 ] || return 1
    echo "$(labels_of audited audited) audited, $(labels_of audited equal) equal"
    [ "$(labels_of audited audited)" -gt 1000 ]
}
check 'an engine that forgets passes the audit of every label' audit_passes
audit_fails() {
    fails 3 'audit: [^ ]*/[^ ]* [wb] .* [0-9]* 1: labeled again .* and then' \
        build forgetful --input "$tmp/a.pgn" --label.audit 0.01 || return 1
    ls "$tmp"/forgetful/shards/*.labels.db 2>/dev/null && { echo 'a shard was sealed'; return 1; }
    # It fails again when the build is gone on with: the audit draws what it drew.
    cp "$tmp/err" "$tmp/first"
    fails 3 'audit' build forgetful --input "$tmp/a.pgn" --label.audit 0.01
}
fault=--leaky
check 'without the clear it does not: exit 3, and the position is named' audit_fails
fault=
audit_is_drawn() {
    build tenth --input "$tmp/a.pgn" --label.audit 0.1 || return 1
    build tenth-again --input "$tmp/a.pgn" --label.audit 0.1 --workers 1 --shards 1 || return 1
    all=$(labels_of audited audited) tenth=$(labels_of tenth audited)
    echo "$tenth of $all"
    [ $((tenth * 14)) -gt "$all" ] && [ $((tenth * 7)) -lt "$all" ] || return 1
    rm -f "$tmp/log"
    fault="--log $tmp/log" build logged --input "$tmp/a.pgn" --label.audit 0.1 --workers 1 || return 1
    [ "$(searches)" -eq $((all + tenth)) ] || { echo "$(searches) searches"; return 1; }
    same_content plain logged
}
check 'a tenth is about a tenth, and searched once more' audit_is_drawn

# --- equal positions
equal_once() {
    rm -f "$tmp/log"
    fault="--log $tmp/log" build twins --input "$tmp/a.pgn,$tmp/twins.pgn" --shards 1 --workers 1 \
        --split.duplicates none || return 1
    samples=$(samples_of twins)
    equal=$(labels_of twins equal)
    echo "$samples samples, $equal equal, $(searches) searches"
    [ $((samples - equal)) -eq "$(searches)" ] && [ $((2 * equal)) -ge "$samples" ]
}
check 'equal positions are searched once in a shard' equal_once
equal_anyhow() {
    build twins-3 --input "$tmp/twins.pgn,$tmp/a.pgn" --shards 3 --split.duplicates none || return 1
    same_content twins twins-3
}
check 'which changes no byte' equal_anyhow

# --- reuse
reuse() {
    build fresh --input "$tmp/a.pgn,$tmp/b.pgn" --shards 3 || return 1
    rm -f "$tmp/log"
    fault="--log $tmp/log" build reusing --input "$tmp/a.pgn,$tmp/b.pgn" --shards 3 --workers 1 \
        --label.reuse "$tmp/plain" || return 1
    same_content fresh reusing || return 1
    reused=$(labels_of reusing reused)
    samples=$(samples_of reusing)
    echo "$reused reused, $(searches) searches, $samples samples"
    [ "$reused" -gt 1000 ] && [ "$(labels_of fresh reused)" -eq 0 ] &&
        [ $(($(searches) + reused + $(labels_of reusing equal))) -eq "$samples" ]
}
check 'labels of an earlier build are taken, with the same bytes and build id' reuse
reuse_all() {
    rm -f "$tmp/log"
    fault="--log $tmp/log" build all --input "$tmp/b.pgn" --label.reuse "$tmp/plain,$tmp/fresh" || return 1
    build b --input "$tmp/b.pgn" || return 1
    same_content all b && ! grep -q '^go nodes 50$' "$tmp/log"
}
check 'from several, so that no search is left' reuse_all
reuse_other_limit() {
    rm -f "$tmp/log"
    fault="--log $tmp/log" build limit --input "$tmp/b.pgn" --label.reuse "$tmp/fresh" --nodes 51 || return 1
    [ "$(labels_of limit reused)" -eq 0 ] && grep -q '^go nodes 51$' "$tmp/log"
}
check 'but not of another limit' reuse_other_limit
reuse_says() {
    "$PLYMILL" build "$tmp/recipe.toml" --engine "$FAKE_ENGINE" -o "$tmp/said" \
        --input "$tmp/b.pgn" --label.reuse "$tmp/fresh" 2>&1 >/dev/null |
        grep -q "^labels: $(labels_of all equal) of equal positions, $(labels_of all reused) of earlier builds"
}
check 'and the number saved is said' reuse_says
killed_reuse() {
    PLYMILL_FAULT=rename:6:kill build killed --input "$tmp/a.pgn,$tmp/b.pgn" --shards 3 \
        --label.reuse "$tmp/plain" 2>/dev/null && return 1
    build killed --input "$tmp/a.pgn,$tmp/b.pgn" --shards 3 --label.reuse "$tmp/plain" || return 1
    same_content killed fresh && [ "$(labels_of killed reused)" -eq "$(labels_of reusing reused)" ] &&
        [ "$(ls "$tmp/killed/shards" | grep -vc '^000[0-2]\.\(samples\|labels\)\.db$')" -eq 0 ]
}
check 'also when it is killed in between' killed_reuse
check 'a directory that is no build' fails 1 "label.reuse: .*$tmp" \
    build none --input "$tmp/b.pgn" --label.reuse "$tmp"

# --- two engines
# Of one name, net and reset, and with other labels: every score depends on the skill.
skill() { # SKILL DIR OPTIONS...
    "$PLYMILL" build "$tmp/recipe.toml" --engine "$FAKE_ENGINE" --quiet \
        --label.options.'Skill Level' "$1" -o "$tmp/$2" --input "$tmp/a.pgn" --label.audit 1 $3
}
mixed_reuse_audit() {
    skill 3 skill-3 || return 1
    fails 1 'another engine' skill 4 skill-4 "--label.reuse $tmp/skill-3" || return 1
    skill 4 skill-4 "--label.reuse $tmp/skill-3 --allow-mixed" || return 1
    [ "$(labels_of skill-4 reused)" -gt 1000 ] && [ "$(labels_of skill-4 audited)" -eq 0 ] || return 1
    grep -q mixed_with "$tmp/skill-4/manifest.json" || return 1
    (cd "$tmp/skill-4/records" && sha256sum ./*) >"$tmp/x"
    (cd "$tmp/skill-3/records" && sha256sum ./*) >"$tmp/y"
    same "$tmp/x" "$tmp/y"
}
check 'the audit leaves reused labels of another engine alone' mixed_reuse_audit
no_longer_mixed() {
    rm "$tmp/skill-4/shards/"*
    skill 4 skill-4 '--label.reuse=' || return 1
    skill 4 skill-4-only || return 1
    grep -q mixed_with "$tmp/skill-4/manifest.json" && return 1
    same_content skill-4 skill-4-only
}
check 'once they are removed the build is no longer mixed' no_longer_mixed
cat >"$tmp/other" <<T
#!/bin/sh
exec "$FAKE_ENGINE" --name Other "\$@"
T
chmod +x "$tmp/other"
with_other() {
    directory=$1
    shift
    "$PLYMILL" build "$tmp/recipe.toml" --engine "$tmp/other" --quiet -o "$tmp/$directory" "$@"
}
half() { # a build that was stopped in its second shard
    PLYMILL_FAULT=rename:5:kill build "$1" --input "$tmp/a.pgn" 2>/dev/null
    [ -e "$tmp/$1/shards/0000.labels.db" ] && [ ! -e "$tmp/$1/shards/0001.labels.db" ]
}
refused() {
    half two || { ls "$tmp/two/shards"; return 1; }
    fails 1 'another engine.*allow-mixed.*"Other".*"Fake 1"' with_other two --input "$tmp/a.pgn"
}
check 'another engine is refused, with both names' refused
reuse_refused() {
    fails 1 'another engine.*"Fake 1".*"Other"' with_other elsewhere --input "$tmp/b.pgn" \
        --label.reuse "$tmp/fresh"
}
check 'so are labels of another one' reuse_refused
mixed() {
    with_other two --input "$tmp/a.pgn" --allow-mixed || return 1
    grep -q '"mixed_with": "Fake 1 [0-9a-f]*"' "$tmp/two/manifest.json" || return 1
    grep -q '"name": "Other"' "$tmp/two/manifest.json" || return 1
    grep -q '^\*\*Mixed:\*\*' "$tmp/two/README.md" || return 1
    grep -q Mixed "$tmp/plain/README.md" && return 1
    (cd "$tmp/two" && sha256sum --quiet -c SHA256SUMS) || return 1
    # These engines label alike but for their names: the build id alone tells that they were two.
    (cd "$tmp/two/records" && sha256sum ./*) >"$tmp/x" && (cd "$tmp/plain/records" && sha256sum ./*) >"$tmp/y"
    same "$tmp/x" "$tmp/y" || return 1
    with_other only --input "$tmp/a.pgn" || return 1
    grep -h '"build_id"' "$tmp/two/manifest.json" "$tmp/plain/manifest.json" "$tmp/only/manifest.json" |
        sort -u | wc -l | grep -qx 3
}
check 'with --allow-mixed it goes on, and manifest and build id say so' mixed
mixed_again() {
    cp "$tmp/two/manifest.json" "$tmp/was"
    with_other two --input "$tmp/a.pgn" || return 1
    same "$tmp/was" "$tmp/two/manifest.json"
}
check 'a finished mixed build is left as it is' mixed_again
mixed_reuse() {
    fails 1 'several engines' with_other again --input "$tmp/a.pgn" --label.reuse "$tmp/two" || return 1
    with_other again --input "$tmp/b.pgn" --label.reuse "$tmp/fresh" --allow-mixed || return 1
    grep -q '"mixed_with": "Fake 1 ' "$tmp/again/manifest.json"
}
check 'labels of others may be taken with it, and are marked' mixed_reuse
mixed_audit() {
    # Its labels differ: an audit of those that are there would fail.
    sed 's/--name Other/& --skill 3/' "$tmp/other" >"$tmp/differing"
    mv "$tmp/differing" "$tmp/other" && chmod +x "$tmp/other"
    half three || return 1
    with_other three --input "$tmp/a.pgn" --allow-mixed --label.audit 1 || return 1
    [ "$(labels_of three audited)" -eq 0 ] # all were there, the second shard's not yet sealed
}
check 'the audit leaves labels of the other engine alone' mixed_audit
finish
