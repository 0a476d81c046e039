#!/bin/sh
# The shards of a build on a real Slurm of two nodes on this machine (../shared/slurm): eight shards as
# an array, a node killed in the middle of a task, the controller killed once, a task preempted, a node
# whose engine labels differently. The dataset is that of a single machine, byte by byte. Minutes.
#   SLURM_TEST_PORT=N   first port of the cluster (default: by the process number)
. tests/cli/lib.sh

cluster=../shared/slurm/devcluster.sh
missing=
for program in slurmctld slurmd sbatch munged; do
    command -v "$program" >/dev/null || missing="$missing $program"
done
[ -x "$cluster" ] || missing="$missing $cluster"
[ "$(id -u)" = 0 ] || missing="$missing root"
if [ -n "$missing" ]; then
    skip 'builds on Slurm' "missing:$missing"
    finish
fi
chmod 755 "$tmp" # munge asks that all may reach its socket
export SLURM_DEV_DIR="$tmp/slurm" BASE_PORT="${SLURM_TEST_PORT:-$((18000 + $$ % 12000))}" CPUS=2
eval "$("$cluster" env)"
trap '"$cluster" down >/dev/null 2>&1; rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# Without RequeueExit, which is the administrator's: tasks have to put themselves back.
start_cluster() {
    "$cluster" up && sed -i '/^RequeueExit/d' "$SLURM_CONF" && scontrol reconfigure
}
check 'a cluster of two nodes' start_cluster
[ "$bad" -eq 0 ] || finish

stockfish=$(command -v stockfish || echo /usr/games/stockfish)
zstd -dcq configs/demo.pgn.zst | awk '/^\[Event /{n++} n>160{exit} {print}' >"$tmp/games.pgn"
# recipe NODES
recipe() {
    cat <<T
[build]
shards = 8
[label]
nodes = $1
workers = 2
[split]
shares = [60, 20, 20]
[export]
formats = ["csv", "bullet"]
T
}
recipe 200 >"$tmp/fake.toml"
recipe 250000 >"$tmp/stockfish.toml"

# sampled RECIPE DIR ENGINE
sampled() {
    "$PLYMILL" sample "$1" --input "$tmp/games.pgn" --quiet -o "$2" >/dev/null &&
        "$PLYMILL" label "$2" --begin --engine "$3" --quiet
}
submit() {
    directory=$1
    shift
    "$PLYMILL" submit "$directory" --slurm --checkpoint 2 -- --time=30 "$@" >"$tmp/jobs" || return 1
    label=$(sed -n 's/^label //p' "$tmp/jobs")
    last=$(sed -n 's/^finish //p' "$tmp/jobs")
    [ -n "$last" ]
}
# until_true SECONDS COMMAND...: seconds of a machine that has nothing else to do; others take longer.
until_true() {
    left=$(($1 * ${SLURM_TEST_PATIENCE:-5}))
    shift
    while ! "$@"; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || { echo "waited in vain for: $*"; squeue; return 1; }
        sleep 1
    done
}
running_on() {
    [ "$(squeue -h -t running -w "$1" -j "$label" -o %i 2>/dev/null | wc -l)" -gt 0 ]
}
ended() {
    squeue -h -j "$1" >"$tmp/queue" 2>/dev/null && [ ! -s "$tmp/queue" ]
}
checkpoint_there() {
    ls "$1"/shards/*.checkpoint >/dev/null 2>&1
}
logs() {
    tail -n 3 "$1"/slurm/*.log
}
same_build() {
    grep -v ' recipe.toml' "$1/SHA256SUMS" >"$tmp/x"
    grep -v ' recipe.toml' "$2/SHA256SUMS" >"$tmp/y"
    [ "$(wc -l <"$tmp/x")" -gt 20 ] && same "$tmp/x" "$tmp/y"
}

# through NAME ENGINE: one machine, then the cluster with its accidents.
through() {
    name=$1 engine=$2 one=$tmp/one-$1 b=$tmp/$1
    check "$name: one machine" "$PLYMILL" build "$tmp/$name.toml" --input "$tmp/games.pgn" \
        --engine "$engine" --quiet -o "$one"
    check "$name: sampled and begun" sampled "$tmp/$name.toml" "$b" "$engine"
    check "$name: submitted" submit "$b"
    kill_node() {
        until_true 60 running_on n1 && until_true 60 running_on n2 &&
            until_true 60 checkpoint_there "$b" || return 1
        sleep 3
        "$cluster" crash-ctld && "$cluster" crash n2
        sleep 2
        "$cluster" start-ctld
    }
    check "$name: controller and node n2 killed in the middle of tasks" kill_node
    preempt() {
        until_true 60 running_on n1 && until_true 30 signal_task
    }
    signal_task() { # scancel tries long when a job is just beginning or ending
        for task in $(squeue -h -t running -w n1 -j "$label" -o %i); do
            timeout 5 scancel --signal=TERM --batch "$task" 2>/dev/null
            sleep 1
            grep -qs 'stopped by a signal' "$b"/slurm/label-*.log && return 0
        done
        return 1
    }
    check "$name: a task of n1 is preempted" preempt
    node_back() {
        sleep 15
        "$cluster" start n2
        # A controller may take a task for running that ended while it was away: what the shards say
        # counts, and submitting again does the rest.
        if ! until_true 150 ended "$last" >"$tmp/said"; then
            scancel "$label" "$last"
            submit "$b" && until_true 150 ended "$last"
        fi
        [ -e "$b/manifest.json" ] || { logs "$b"; scontrol show job "$last"; return 1; }
    }
    check "$name: the node comes back, and the last job ends" node_back
    restarted() {
        grep -qhi 'requeue\|stopped by a signal' "$b"/slurm/label-*.log || { logs "$b"; return 1; }
    }
    check "$name: a task went back into the queue" restarted
    check "$name: verified" "$PLYMILL" verify "$b" --quiet
    check "$name: the same bytes, shards and all" same_build "$one" "$b"
}
through fake "$FAKE_ENGINE --delay 250"
if [ -x "$stockfish" ]; then
    through stockfish "$stockfish"
else
    skip 'stockfish' 'it is not installed'
fi

# A node on which the engine is another one.
cat >"$tmp/engine.sh" <<T
#!/bin/sh
[ "\$(hostname)" = n2 ] && exec "$FAKE_ENGINE" --skill 3
exec "$FAKE_ENGINE"
T
chmod +x "$tmp/engine.sh"
differs() {
    sampled "$tmp/fake.toml" "$tmp/mixed" "$tmp/engine.sh" && submit "$tmp/mixed" || return 1
    until_true 60 ended "$label" || return 1
    grep -qh 'n2: .*this engine does not label as' "$tmp"/mixed/slurm/label-*.log || { logs "$tmp/mixed"; return 1; }
    left=$(ls "$tmp"/mixed/shards/*.labels.db | wc -l)
    [ "$left" -gt 0 ] && [ "$left" -lt 8 ] && [ ! -e "$tmp/mixed/manifest.json" ]
}
check 'a node whose engine labels differently fails its tasks with the reason' differs
rest() {
    submit "$tmp/mixed" --nodelist=n1 && until_true 60 ended "$last" && [ -e "$tmp/mixed/manifest.json" ] &&
        for split in train validation test; do
            same "$tmp/mixed/records/$split.rec" "$tmp/one-fake/records/$split.rec" || return 1
        done
}
check 'submitted again to the other node only what is left is done' rest
status_there() {
    "$PLYMILL" status "$tmp/mixed" | grep -q 'slurm: finish job'
}
check 'status says what Slurm says' status_there
finish
