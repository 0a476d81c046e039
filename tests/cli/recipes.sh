#!/bin/sh
# Recipes as files: what init writes, what config prints, and what is said of wrong ones.
. tests/cli/lib.sh

defaults() {
    "$PLYMILL" init "$tmp/d.toml" && "$PLYMILL" config "$tmp/d.toml" --bare >"$tmp/a" &&
        "$PLYMILL" config --bare >"$tmp/b" && same "$tmp/a" "$tmp/b"
}
check 'init writes the defaults' defaults
next_step() {
    "$PLYMILL" init "$tmp/no games.toml" 2>&1 | grep -q "name your games in input.files, then: .* '$tmp/no games.toml' -o" &&
        "$PLYMILL" init "$tmp/named.toml" --input g.pgn 2>"$tmp/err" &&
        [ "$(cat "$tmp/err")" = "next: plymill build $tmp/named.toml -o DIR" ]
}
check 'init says what is left to do' next_step
check 'init writes over nothing' fails 1 'd.toml: is there already' "$PLYMILL" init "$tmp/d.toml"
every_key() {
    "$PLYMILL" help recipe | sed -n 's/^  \([a-z]*\)\.\([a-z_0-9]*\) .*/\1 \2/p' >"$tmp/keys"
    [ "$(wc -l <"$tmp/keys")" -gt 50 ] || return 1
    while read -r section key; do
        sed -n "/^\[$section\]/,/^\[/p" "$tmp/d.toml" | grep -qE "^(# )?$key = " ||
            { echo "no $section.$key"; return 1; }
    done <"$tmp/keys"
}
check 'init names every key of help recipe' every_key
narrow() {
    ! grep -n '.\{101\}' "$tmp/d.toml"
}
check 'its lines are not longer than 100 columns' narrow
values() {
    "$PLYMILL" init --input games.pgn --nodes 77 --label.options.Ponder false >"$tmp/v.toml" &&
        grep -qx 'files = \["games.pgn"\]' "$tmp/v.toml" && grep -qx 'nodes = 77' "$tmp/v.toml" &&
        grep -qx '"Ponder" = "false"' "$tmp/v.toml"
}
check 'options stand in it, and it goes to standard output' values

printf '[sample]\nper_game = "all"\n\n[label]\nhash = 16\n[label.options]\n"Skill Level" = 3\n' >"$tmp/r.toml"
origins() {
    "$PLYMILL" config "$tmp/r.toml" --nodes 500 --label.options.Ponder true >"$tmp/c.toml" || return 1
    for line in "per_game = \"all\"  # $tmp/r.toml:2" "hash = 16  # $tmp/r.toml:5" \
        'nodes = 500  # command line' 'min_ply = 10  # default' '# max_ply is not set' \
        '"Ponder" = "true"  # command line' "\"Skill Level\" = \"3\"  # $tmp/r.toml:7"; do
        grep -qxF -- "$line" "$tmp/c.toml" || { echo "no line: $line"; return 1; }
    done
}
check 'config says where each value came from' origins
of_preset() { # PRESET LINE...
    preset=$1
    shift
    "$PLYMILL" config --train.preset "$preset" --train.batch 64 >"$tmp/p.toml" || return 1
    for line in "$@" 'batch = 64  # command line'; do
        grep -qxF -- "$line" "$tmp/p.toml" || { echo "no line: $line"; return 1; }
    done
    ! sed -n '/^\[train\]/,$p' "$tmp/p.toml" | grep 'is not set'
}
check 'and which the preset gives' of_preset best '# epochs = 100  # preset best' \
    '# schedule = "cosine"  # preset best' '# scale = 400  # preset best' '# factoriser = true  # preset best'
check 'of another preset others' of_preset tinynnue '# epochs = 40  # preset tinynnue' \
    '# schedule = "constant"  # preset tinynnue' '# scale = 400  # preset tinynnue'
again() {
    "$PLYMILL" config "$tmp/c.toml" --bare >"$tmp/a" &&
        "$PLYMILL" config "$tmp/r.toml" --bare --nodes 500 --label.options.Ponder true >"$tmp/b" &&
        same "$tmp/a" "$tmp/b"
}
check 'what it prints is a recipe that says the same' again
of_a_build() {
    "$PLYMILL" init --input configs/demo.pgn.zst --input.max_games 5 --engine "$FAKE_ENGINE" --nodes 20 \
        >"$tmp/b.toml" && "$PLYMILL" build "$tmp/b.toml" -o "$tmp/build" --quiet >/dev/null || return 1
    "$PLYMILL" config "$tmp/build" --bare >"$tmp/a" && same "$tmp/a" "$tmp/build/recipe.toml"
}
check 'of a build directory it prints the recipe.toml' of_a_build
check 'a folder that is no build' fails 2 'is no build directory' "$PLYMILL" config "$tmp"

# wrong TEXT PATTERN: a recipe with that line 3 is refused with file, line and what was expected.
wrong() {
    printf '# a recipe\n[label]\n%s\n' "$1" >"$tmp/w.toml"
    for command in config "build -o $tmp/none"; do
        fails 2 "^plymill: $tmp/w.toml: line 3: $2" "$PLYMILL" ${command%% *} "$tmp/w.toml" \
            $(echo "$command" | cut -s -d' ' -f2-) || return 1
    done
    [ ! -e "$tmp/none" ]
}
check 'an unknown key' wrong 'noodles = 3' 'unknown key label.noodles'
check 'a wrong type' wrong 'nodes = "many"' 'label.nodes: expected a whole number'
check 'out of range' wrong 'nodes = 0' 'label.nodes: expected a number from 1 '
check 'not one of the choices' wrong 'reset = "never"' \
    'label.reset: expected one of ucinewgame.clear-hash.restart, not "never"'
check 'a missing quote' wrong 'reset = "restart' 'expected a closing quote'
check 'no value' wrong 'nodes' 'expected = behind the key'
finish
