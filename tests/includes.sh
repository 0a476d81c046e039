#!/bin/sh
# Fails on an include that runs against the direction of dependencies (docs/ARCHITECTURE.md).
. tests/cli/lib.sh

# allowed FOLDER PREFIX...: files below FOLDER include only files below those prefixes.
allowed() {
    folder=$1
    shift
    [ -d "$folder" ] || { echo "no folder $folder"; return 1; }
    pattern=$(echo "$*" | tr ' ' '|')
    bad_lines=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' --include='*.[ch]' "$folder" |
        grep -vE "\"($pattern)")
    [ -z "$bad_lines" ] || { echo "$bad_lines"; return 1; }
}
leaf='formats/chess/types\.h formats/chess/bitboard\.h formats/chess/attacks\.h'
check 'formats/io includes nothing of ours but itself' allowed formats/io formats/io/
check 'formats/chess includes itself' allowed formats/chess formats/chess/
check 'formats includes formats' allowed formats formats/
check 'nnue/core includes itself and the leaf headers' allowed nnue/core nnue/core/ $leaf
check 'nnue/tools includes core and formats' allowed nnue/tools nnue/tools/ nnue/core/ formats/
check 'labeler includes itself and formats' allowed labeler labeler/ formats/
check 'pipeline/stages does not include cli or report' allowed pipeline/stages \
    pipeline/stages/ pipeline/recipe/ pipeline/report/progress pipeline/report/log formats/ labeler/
check 'pipeline/report does not include cli' allowed pipeline/report \
    pipeline/report/ pipeline/stages/ pipeline/recipe/ formats/ labeler/ nnue/
check 'pipeline/recipe includes itself and formats' allowed pipeline/recipe pipeline/recipe/ formats/
finish
