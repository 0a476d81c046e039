#!/bin/sh
# label --shard: shards labeled by several who know nothing of each other give the dataset of a single
# machine, whatever becomes of them; and what submit writes for Slurm.
. tests/cli/lib.sh

cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 3
[label]
nodes = 50
workers = 2
audit = 0.05
[split]
shares = [60, 20, 20]
[export]
formats = ["csv"]
T
demo_games 60 >"$tmp/games.pgn"
scratch=$tmp/scratch
mkdir "$scratch"

# sampled DIR, begun DIR
sampled() {
    "$PLYMILL" sample "$tmp/recipe.toml" --input "$tmp/games.pgn" --quiet -o "$1" >/dev/null
}
begun() {
    sampled "$1" && "$PLYMILL" label "$1" --begin --engine "$FAKE_ENGINE" --quiet
}
# task DIR SHARD OPTIONS...
task() {
    directory=$1 shard=$2
    shift 2
    "$PLYMILL" label "$directory" --shard "$shard" --scratch "$scratch" --quiet "$@"
}
# The same in the background, as the process $!.
start() {
    directory=$1 shard=$2
    shift 2
    "$PLYMILL" label "$directory" --shard "$shard" --scratch "$scratch" --quiet "$@" 2>"$tmp/err" &
}
# Until the engine of the background task was asked so often; 24 are the signature's.
until_asked() {
    until_true was_asked "$1"
}
was_asked() {
    [ -e "$tmp/slow.log" ] && [ "$(grep -c '^go ' "$tmp/slow.log")" -ge "$1" ]
}
slow="$FAKE_ENGINE --delay 60 --log $tmp/slow.log"
finish_build() {
    "$PLYMILL" build "$1" --quiet >/dev/null && "$PLYMILL" verify "$1" --quiet >/dev/null
}
# same_build DIR: every file is that of the single machine, shards too.
same_build() {
    (cd "$tmp/one" && cat SHA256SUMS) >"$tmp/x"
    (cd "$1" && cat SHA256SUMS) >"$tmp/y"
    [ "$(wc -l <"$tmp/x")" -gt 10 ] && same "$tmp/x" "$tmp/y"
}
"$PLYMILL" build "$tmp/recipe.toml" --input "$tmp/games.pgn" --engine "$FAKE_ENGINE" --quiet -o "$tmp/one" \
    >/dev/null

check 'sampled' sampled "$tmp/b"
check 'nobody labels before it was begun' \
    fails 1 'not begun yet.*plymill label .* --begin' task "$tmp/b" 0 --engine "$FAKE_ENGINE"
check 'begun' begun "$tmp/b"
check 'another engine is told so, with the host' \
    fails 1 'this engine does not label as .* begun with: name Other here, and name Fake 1 there' \
    task "$tmp/b" 0 --engine "$FAKE_ENGINE --name Other"
check 'an engine of another signature' fails 1 'signature [0-9a-f]{64} here, and signature' \
    task "$tmp/b" 0 --engine "$FAKE_ENGINE --skill 3"
check 'another recipe' fails 1 'the recipe is not the one' task "$tmp/b" 0 --label.nodes 51
check 'no such shard' fails 1 '0003.samples.db: no such shard; the build has 3' task "$tmp/b" 3
no_lock_no_catalogue() {
    mv "$tmp/b/build.db" "$tmp/away" || return 1
    flock "$tmp/b/build.lock" "$PLYMILL" label "$tmp/b" --shard 0 --scratch "$scratch" --quiet
    result=$?
    mv "$tmp/away" "$tmp/b/build.db" && return $result
}
check 'a shard without build.db, while somebody holds the lock' no_lock_no_catalogue
again() {
    before=$(sha256sum <"$tmp/b/shards/0000.labels.db")
    task "$tmp/b" 0 && [ "$before" = "$(sha256sum <"$tmp/b/shards/0000.labels.db")" ]
}
check 'a shard that is done stays' again

# Stopped and killed in the middle, gone on with by another.
preempted() {
    rm -f "$tmp/slow.log"
    start "$tmp/b" 1 --engine "$slow"
    pid=$!
    until_asked 36 || return 1
    kill -TERM "$pid" "$pid" # as a scheduler and its script do, at the same time
    wait "$pid"
    code=$?
    [ "$code" -eq 75 ] || { echo "exit code $code"; cat "$tmp/err"; return 1; }
    [ -e "$tmp/b/shards/0001.labels.db.checkpoint" ] && [ -z "$(ls -A "$scratch")" ]
}
check 'SIGTERM: exit code 75, a checkpoint, nothing left in scratch' preempted
status_says() {
    "$PLYMILL" status "$tmp/b" >"$tmp/out" || return 1
    grep -q '^shards: 1 of 3 have their labels' "$tmp/out" && grep -q 'shard 1: [0-9]* labels in its checkpoint' "$tmp/out"
}
check 'status merges what the shards say' status_says
# searches SHARD HAS: as many searches as labels are missing; 24 are the signature's, and a twentieth of
# the shard is audited. The engine logs every one.
searches() {
    rm -f "$tmp/log"
    task "$tmp/b" "$1" --engine "$FAKE_ENGINE --log $tmp/log" || return 1
    asked=$(grep -c '^go ' "$tmp/log")
    samples=$("$PLYMILL" verify "$tmp/one" --quiet | awk '/^samples/{print $2}')
    echo "$asked asked, with $2 of about a third of $samples there"
    [ "$asked" -ge 24 ] && [ "$asked" -lt $((24 + samples / 3 + samples / 10 - $2)) ]
}
has=$("$PLYMILL" status "$tmp/b" | sed -n 's/.*shard 1: \([0-9]*\) labels.*/\1/p')
goes_on() {
    [ "$has" -gt 5 ] || { echo "$has in the checkpoint"; return 1; }
    searches 1 "$has" && [ ! -e "$tmp/b/shards/0001.labels.db.checkpoint" ]
}
check 'another attempt takes the checkpoint up' goes_on
killed() {
    start "$tmp/b" 2 --engine "$slow" --checkpoint 0
    pid=$!
    until_true test -e "$tmp/b/shards/0002.labels.db.checkpoint" || return 1
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    [ -e "$tmp/b/shards/0002.labels.db.checkpoint" ] && [ ! -e "$tmp/b/shards/0002.labels.db" ]
}
check 'SIGKILL: what is in the checkpoint is not lost' killed
both_at_once() {
    task "$tmp/b" 2 &
    one=$!
    task "$tmp/b" 2 &
    two=$!
    wait "$one" && wait "$two"
}
check 'two attempts at a time' both_at_once
check 'the driver takes what is there' finish_build "$tmp/b"
check 'the same bytes, shards and all' same_build "$tmp/b"
nothing_left() {
    left=$(find "$tmp/b/shards" -name '*.tmp-*' -o -name '*.work*' -o -name '*.checkpoint' -o -name ticket)
    [ -z "$left" ] || { echo "$left"; return 1; }
}
check 'and no ticket, checkpoint or temporary file' nothing_left

# Labels of other samples than those that are there now.
stale() {
    begun "$tmp/old" && task "$tmp/old" 0 && begun "$tmp/c" || return 1
    "$PLYMILL" sample "$tmp/recipe.toml" --sample.seed 7 --input "$tmp/games.pgn" --quiet -o "$tmp/new" >/dev/null &&
        "$PLYMILL" label "$tmp/new" --begin --engine "$FAKE_ENGINE" --quiet || return 1
    cp "$tmp/old/shards/0000.labels.db" "$tmp/new/shards/"
    fails 1 '0000.labels.db: its labels are of other samples' "$PLYMILL" label "$tmp/new" --quiet
}
check 'labels of other samples, published late, are refused' stale
driver_goes_on() {
    begun "$tmp/d" || return 1
    start "$tmp/d" 1 --engine "$slow" --checkpoint 0
    pid=$!
    until_true test -e "$tmp/d/shards/0001.labels.db.checkpoint" || return 1
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    [ -e "$tmp/d/shards/0001.labels.db.checkpoint" ] && finish_build "$tmp/d" && same_build "$tmp/d" &&
        [ ! -e "$tmp/d/shards/0001.labels.db.checkpoint" ]
}
check 'a driver goes on from a checkpoint as well' driver_goes_on
evals() {
    sed '/^\[export\]/,$d; s/^nodes.*/source = "lichess-eval"/' "$tmp/recipe.toml" >"$tmp/evals.toml"
    "$PLYMILL" sample "$tmp/evals.toml" --input "$tmp/games.pgn" --quiet -o "$tmp/e" >/dev/null || return 1
    cp -r "$tmp/e" "$tmp/f"
    "$PLYMILL" build "$tmp/e" --quiet >/dev/null && "$PLYMILL" label "$tmp/f" --begin --quiet || return 1
    for shard in 0 1 2; do task "$tmp/f" "$shard" || return 1; done
    finish_build "$tmp/f" && same "$tmp/e/records/train.rec" "$tmp/f/records/train.rec"
}
check 'labels out of games in shards' evals

# The scripts for Slurm.
begun "$tmp/s" && task "$tmp/s" 1
print_script() {
    "$PLYMILL" submit "$tmp/s" --print "$@"
}
script_is_right() {
    print_script >"$tmp/out" || return 1
    bash -n "$tmp/out" || return 1
    grep -qx '#SBATCH --array=0-1' "$tmp/out" && grep -qx 'shards=(0 2)' "$tmp/out" &&
        grep -qx '#SBATCH --requeue' "$tmp/out" && grep -q 'scontrol requeue "$SLURM_JOB_ID"' "$tmp/out"
}
check 'submit --print: the shards that are missing' script_is_right
grouped() {
    print_script --array-max 1 >"$tmp/out" || return 1
    grep -qx '#SBATCH --array=0-0' "$tmp/out" && grep -q '^for shard in "${shards\[@\]:first:2}"' "$tmp/out"
}
check 'grouped where an array may have fewer tasks' grouped
# A task as Slurm would start it, without Slurm: scontrol is a script that says that it was called.
mkdir "$tmp/bin"
printf '#!/bin/sh\necho "$@" >>"%s/requeued"\nkill -KILL $PPID\n' "$tmp" >"$tmp/bin/scontrol"
chmod +x "$tmp/bin/scontrol"
as_slurm() {
    env PATH="$tmp/bin:$PATH" TMPDIR="$scratch" SLURM_ARRAY_TASK_ID="$1" SLURM_JOB_ID=77 bash "$tmp/label.sh"
}
task_runs() {
    print_script --array-max 1 | awk '/^#!/{n++} n==1' >"$tmp/label.sh"
    as_slurm 0 && [ -e "$tmp/s/shards/0000.labels.db" ] && [ -e "$tmp/s/shards/0002.labels.db" ]
}
task_requeues() {
    rm -f "$tmp/slow.log"
    sed "s|^engine = .*|engine = \"$slow\"|" "$tmp/s/recipe.toml" >"$tmp/slow" &&
        cp "$tmp/slow" "$tmp/s/recipe.toml"
    print_script --array-max 1 | awk '/^#!/{n++} n==1' >"$tmp/label.sh"
    env PATH="$tmp/bin:$PATH" TMPDIR="$scratch" SLURM_ARRAY_TASK_ID=0 SLURM_JOB_ID=77 \
        bash "$tmp/label.sh" 2>"$tmp/err" &
    pid=$!
    until_asked 30 || return 1
    kill -TERM "$pid"
    wait "$pid"
    grep -qx 'requeue 77' "$tmp/requeued" || { cat "$tmp/err"; return 1; }
}
check 'a preempted task puts itself back into the queue' task_requeues
check 'and does its shards when it runs again' task_runs
if command -v sbatch >/dev/null; then
    check 'submit without a word to whom' fails 2 'submit to what' "$PLYMILL" submit "$tmp/s"
else
    check 'submit where there is no Slurm' fails 1 'sbatch: No such file' "$PLYMILL" submit "$tmp/s" --slurm
fi

# GNU parallel.
if command -v parallel >/dev/null && parallel --version 2>/dev/null | grep -q '^GNU'; then
    with_parallel() {
        begun "$tmp/p" || return 1
        # The first run loses a shard; the second does what is left.
        seq 0 2 | parallel --will-cite --joblog "$tmp/joblog" -j 2 \
            "[ {} -ne 1 ] && '$PLYMILL' label '$tmp/p' --shard {} --quiet"
        seq 0 2 | parallel --will-cite --joblog "$tmp/joblog" --resume-failed -j 2 \
            "'$PLYMILL' label '$tmp/p' --shard {} --quiet" || return 1
        finish_build "$tmp/p" && same_build "$tmp/p"
    }
    check 'GNU parallel with --joblog and --resume-failed' with_parallel
else
    skip 'GNU parallel' 'it is not installed'
fi
finish
