/* SPDX-License-Identifier: MIT */
/*
 * The recipe's keys, in the order of help and of the canonical form. See settings.h for the
 * columns.
 */
#include "pipeline/recipe/settings.h"

#include <string.h>

#include "pipeline/recipe/pieceweights.h"

#define I64 9.0e15
#define KEY(section, name, ...)                                                                    \
    {                                                                                              \
        section, name, __VA_ARGS__                                                                 \
    }

const struct settings_key settings_table[] = {
    KEY(SECTION_BUILD, "build.shards", "shards", SETTING_INTEGER, STAGE_NONE, "16", 1, 10000, NULL,
        "number of shards; fixed when a build begins, changes nothing in the dataset"),
    KEY(SECTION_BUILD, "build.shard_seed", NULL, SETTING_INTEGER, STAGE_NONE, "0", 0, I64, NULL,
        "seed of the draw that puts a game into a shard"),
    KEY(SECTION_BUILD, "build.threads", "threads", SETTING_INTEGER, STAGE_NONE, "0", 0, 1024, NULL,
        "threads of training, of reading archives and of sorting; 0: one per core"),
    KEY(SECTION_BUILD, "build.memory", NULL, SETTING_INTEGER, STAGE_NONE, "256", 1, 1048576, NULL,
        "MiB that sorting may hold before it goes on on disk"),
    KEY(SECTION_BUILD, "build.log", "log", SETTING_STRING, STAGE_NONE, NULL, 0, 0, NULL,
        "file that what is done is appended to as JSON lines, one event a line; relative to the "
        "current directory"),

    KEY(SECTION_INPUT, "input.files", "input", SETTING_STRINGS, STAGE_NONE, NULL, 0, 0, NULL,
        "archives of games: .pgn, .pgn.zst, .pgn.gz, folders of such, patterns (*?[) or - for "
        "stdin; or datasets (.plain .bin .binpack .bullet .marlin .viri .csv .jsonl .epd .rec, "
        "Lichess's evaluations and puzzles), of which every position is a sample; relative to the "
        "current directory; a file named twice is read once"),
    KEY(SECTION_INPUT, "input.seed", NULL, SETTING_INTEGER, STAGE_SAMPLE, "0", 0, I64, NULL,
        "seed of the draw of a game, for max_games and fraction"),
    KEY(SECTION_INPUT, "input.known_bad", NULL, SETTING_STRING, STAGE_SAMPLE, "drop", 0, 0,
        "drop|keep",
        "evals and results that Lichess documents as wrong, with label.source = lichess-eval"),
    KEY(SECTION_INPUT, "input.variants", NULL, SETTING_STRINGS, STAGE_SAMPLE,
        "[\"standard\", \"from-position\"]", 0, 0, "standard|from-position|chess960",
        "kinds of games to read; others are rejected as variant"),
    KEY(SECTION_INPUT, "input.min_elo", NULL, SETTING_INTEGER, STAGE_SAMPLE, NULL, 1, 9999, NULL,
        "games whose players are both rated at least this (none without both ratings)"),
    KEY(SECTION_INPUT, "input.max_elo", NULL, SETTING_INTEGER, STAGE_SAMPLE, NULL, 1, 9999, NULL,
        "games whose players are both rated at most this (none without both ratings)"),
    KEY(SECTION_INPUT, "input.time_control", NULL, SETTING_STRINGS, STAGE_SAMPLE, "[]", 0, 0,
        "ultrabullet|bullet|blitz|rapid|classical|correspondence",
        "games of these speeds: seconds + 40 * increment of the tag TimeControl below 30, 180, "
        "480, "
        "1500, 21600, or more or \"-\"; empty: all"),
    KEY(SECTION_INPUT, "input.termination", NULL, SETTING_STRINGS, STAGE_SAMPLE, "[]", 0, 0,
        "normal|time-forfeit|abandoned|rules-infraction|unterminated|adjudication",
        "games whose tag Termination says this (none without it); empty: all"),
    KEY(SECTION_INPUT, "input.results", NULL, SETTING_STRINGS, STAGE_SAMPLE, "[]", 0, 0,
        "1-0|0-1|1/2-1/2|*", "games whose tag Result says this (none without it); empty: all"),
    KEY(SECTION_INPUT, "input.exclude_bots", NULL, SETTING_BOOLEAN, STAGE_SAMPLE, "false", 0, 0,
        NULL, "leave out games with WhiteTitle or BlackTitle \"BOT\""),
    KEY(SECTION_INPUT, "input.dates", NULL, SETTING_STRING, STAGE_SAMPLE, NULL, 0, 0, NULL,
        "games of these days, by the tag UTCDate, else Date (none without one): 2013, 2013-01, "
        "2013-01-31, or two of these with .. between"),
    KEY(SECTION_INPUT, "input.max_games", NULL, SETTING_INTEGER, STAGE_SAMPLE, NULL, 1, 1e9, NULL,
        "use at most this many games: of those that would be used, the ones with the lowest draws"),
    KEY(SECTION_INPUT, "input.fraction", NULL, SETTING_REAL, STAGE_SAMPLE, "1.0", 0, 1, NULL,
        "use about this share of the games: those whose draw is below it"),
    KEY(SECTION_INPUT, "input.score_scale", NULL, SETTING_REAL, STAGE_SAMPLE, NULL, 0.001, 1000,
        NULL,
        "what one centipawn is in the scores of datasets read, with label.source = input; plain, "
        "bin and binpack must say it (Stockfish 15.1: 3.61)"),
    KEY(SECTION_INPUT, "input.allow_truncated", NULL, SETTING_BOOLEAN, STAGE_SAMPLE, "false", 0, 0,
        NULL, "take the complete games of an archive that ends too early instead of failing"),

    KEY(SECTION_SAMPLE, "sample.seed", NULL, SETTING_INTEGER, STAGE_SAMPLE, "0", 0, I64, NULL,
        "seed of the draw that picks plies"),
    KEY(SECTION_SAMPLE, "sample.per_game", NULL, SETTING_COUNT_OR_ALL, STAGE_SAMPLE, "3", 1, 100000,
        NULL,
        "positions taken from a game: the eligible plies with the smallest draws, or \"all\""),
    KEY(SECTION_SAMPLE, "sample.min_ply", NULL, SETTING_INTEGER, STAGE_SAMPLE, "10", 0, 100000,
        NULL, "first ply that may be taken (half-moves from the start of the game)"),
    KEY(SECTION_SAMPLE, "sample.max_ply", NULL, SETTING_INTEGER, STAGE_SAMPLE, NULL, 0, 100000,
        NULL, "last ply that may be taken"),
    KEY(SECTION_SAMPLE, "sample.in_check", NULL, SETTING_BOOLEAN, STAGE_SAMPLE, "false", 0, 0, NULL,
        "take positions in which the side to move is in check too"),

    KEY(SECTION_LABEL, "label.source", NULL, SETTING_STRING, STAGE_SAMPLE, "engine", 0, 0,
        "engine|lichess-eval|pgn-comment|input",
        "where labels come from: an engine; the games themselves: [%eval 0.31] of the position "
        "reached, or {+0.31/18 1s} of the position that the move was played in; or input: the "
        "scores of the datasets read"),
    KEY(SECTION_LABEL, "label.engine", "engine", SETTING_STRING, STAGE_NONE, NULL, 0, 0, NULL,
        "UCI engine with arguments; else $PLYMILL_ENGINE, stockfish in PATH, /usr/games/stockfish"),
    KEY(SECTION_LABEL, "label.nodes", "nodes", SETTING_INTEGER, STAGE_LABEL, "10000", 1, 1e12, NULL,
        "nodes to search for a label"),
    KEY(SECTION_LABEL, "label.train_nodes", NULL, SETTING_INTEGER, STAGE_LABEL, NULL, 1, 1e12, NULL,
        "nodes for positions of the training split, where they shall differ"),
    KEY(SECTION_LABEL, "label.depth", NULL, SETTING_INTEGER, STAGE_LABEL, NULL, 1, 245, NULL,
        "depth to search instead of a number of nodes"),
    KEY(SECTION_LABEL, "label.hash", "hash", SETTING_INTEGER, STAGE_LABEL, "4", 1, 33554432, NULL,
        "MiB of the engine's hash table"),
    KEY(SECTION_LABEL, "label.reset", NULL, SETTING_STRING, STAGE_LABEL, "ucinewgame", 0, 0,
        "ucinewgame|clear-hash|restart", "what makes the engine forget earlier positions"),
    KEY(SECTION_LABEL, "label.score", NULL, SETTING_STRING, STAGE_SELECT, "final", 0, 0,
        "final|last-exact",
        "the score that a dataset uses: the last line's, or the last exact one"),
    KEY(SECTION_LABEL, "label.halfmove_clock", NULL, SETTING_STRING, STAGE_LABEL, "keep", 0, 0,
        "keep|zero", "the half-move clock that is sent to the engine"),
    KEY(SECTION_LABEL, "label.audit", NULL, SETTING_REAL, STAGE_NONE, "0.001", 0, 1, NULL,
        "share of the labels that are made again by another process; a difference ends the build "
        "with exit code 3"),
    KEY(SECTION_LABEL, "label.reuse", NULL, SETTING_STRINGS, STAGE_NONE, "[]", 0, 0, NULL,
        "earlier build directories whose labels of the same engine, limit and position are taken"),
    KEY(SECTION_LABEL, "label.workers", "workers", SETTING_INTEGER, STAGE_NONE, "0", 0, 1024, NULL,
        "engine processes; 0: one per core"),
    KEY(SECTION_LABEL, "label.deadline_ms", NULL, SETTING_INTEGER, STAGE_NONE, "0", 0, 86400000,
        NULL, "time for one answer; 0: from the engine's own measured rate, at least 5000"),
    KEY(SECTION_LABEL, "label.start_deadline_ms", NULL, SETTING_INTEGER, STAGE_NONE, "20000", 1,
        86400000, NULL, "time for an engine to start"),
    KEY(SECTION_LABEL, "label.max_restarts", NULL, SETTING_INTEGER, STAGE_NONE, "10", 0, 1000000,
        NULL, "more engine restarts than this within the window end the run with exit code 75"),
    KEY(SECTION_LABEL, "label.restart_window_s", NULL, SETTING_INTEGER, STAGE_NONE, "600", 1, 86400,
        NULL, "seconds of that window"),

    KEY(SECTION_FILTER, "filter.seed", NULL, SETTING_INTEGER, STAGE_SELECT, "0", 0, I64, NULL,
        "seed of the draw that thins out for piece_weights"),
    KEY(SECTION_FILTER, "filter.mate", NULL, SETTING_STRING, STAGE_SELECT, "drop", 0, 0,
        "drop|keep", "positions whose score is a mate"),
    KEY(SECTION_FILTER, "filter.capture", NULL, SETTING_STRING, STAGE_SELECT, "drop", 0, 0,
        "drop|keep",
        "positions whose best move captures (en passant too); the move played where no best is "
        "known"),
    KEY(SECTION_FILTER, "filter.promotion", NULL, SETTING_STRING, STAGE_SELECT, "drop", 0, 0,
        "drop|keep", "positions whose best move promotes; the move played where no best is known"),
    KEY(SECTION_FILTER, "filter.max_abs_score", NULL, SETTING_INTEGER, STAGE_SELECT, NULL, 0, 1e6,
        NULL,
        "largest score that is kept, in centipawns either way; mates are left to filter.mate"),
    KEY(SECTION_FILTER, "filter.bounds", NULL, SETTING_STRING, STAGE_SELECT, "keep", 0, 0,
        "keep|drop", "positions whose score is a lower or upper bound"),
    KEY(SECTION_FILTER, "filter.pieces", NULL, SETTING_INTEGERS, STAGE_SELECT, "[2, 32]",
        PIECEWEIGHTS_LOW, PIECEWEIGHTS_HIGH, NULL,
        "fewest and most pieces on the board, kings and pawns counted"),
    KEY(SECTION_FILTER, "filter.piece_weights", NULL, SETTING_STRINGS, STAGE_SELECT, "[]", 0, 0,
        NULL,
        "wanted distribution over numbers of pieces: classes and their weights, as "
        "[\"2-10:1\", \"11-20:2\", \"21-32:2\"]; what is in no class is dropped, no class is "
        "thinned more than tenfold"),
    KEY(SECTION_FILTER, "filter.wdl_consistency", NULL, SETTING_INTEGER, STAGE_SELECT, NULL, 0, 1e6,
        NULL,
        "largest score, in centipawns, for a side that went on to lose or draw; positions beyond "
        "it are dropped"),
    KEY(SECTION_FILTER, "filter.per_opening", NULL, SETTING_INTEGER, STAGE_SELECT, NULL, 1, 1e12,
        NULL,
        "most positions from games of one opening, that is with the same board at ply 8; those "
        "with the lowest shuffle draws stay"),

    KEY(SECTION_SPLIT, "split.seed", NULL, SETTING_INTEGER, STAGE_SAMPLE, "0", 0, I64, NULL,
        "seed of the draw that puts a game into a split"),
    KEY(SECTION_SPLIT, "split.shares", NULL, SETTING_INTEGERS, STAGE_SAMPLE, "[90, 5, 5]", 0, 100,
        NULL, "percent of the games for train, validation and test"),
    KEY(SECTION_SPLIT, "split.duplicates", NULL, SETTING_STRING, STAGE_SELECT, "board", 0, 0,
        "board|label-key|none", "what makes two positions of one split duplicates"),
    KEY(SECTION_SPLIT, "split.leaks", NULL, SETTING_STRING, STAGE_SELECT, "drop-from-held-out", 0,
        0, "drop-from-held-out|keep",
        "held-out positions that occur in train, and of validation those in test"),
    KEY(SECTION_SPLIT, "split.leak_key", NULL, SETTING_STRING, STAGE_SELECT, "leak", 0, 0,
        "leak|board|label-key", "what makes a held-out position a leak"),

    KEY(SECTION_SHUFFLE, "shuffle.seed", NULL, SETTING_INTEGER, STAGE_SELECT, "0", 0, I64, NULL,
        "seed of the draw that orders records"),
    KEY(SECTION_SHUFFLE, "shuffle.by", NULL, SETTING_STRING, STAGE_SELECT, "record", 0, 0,
        "record|game",
        "what is put in order of its draw: every record alone, or whole games with "
        "their records by ply"),

    KEY(SECTION_EXPORT, "export.formats", NULL, SETTING_STRINGS, STAGE_EXPORT, "[]", 0, 0,
        "plain|bin|binpack|bullet|marlin|viri|csv|jsonl|epd", "dataset formats to write"),
    KEY(SECTION_EXPORT, "export.move", NULL, SETTING_STRING, STAGE_EXPORT, "best", 0, 0,
        "best|played",
        "the move written with a position; with label.source = lichess-eval the move played, "
        "since no best one is known"),
    KEY(SECTION_EXPORT, "export.score_unit", NULL, SETTING_STRING, STAGE_EXPORT, "auto", 0, 0,
        "auto|cp|internal",
        "unit of written scores; auto: internal for plain, bin and binpack, cp for the others; "
        "csv, jsonl and epd always hold cp"),
    KEY(SECTION_EXPORT, "export.score_scale", NULL, SETTING_REAL, STAGE_EXPORT, NULL, 0.001, 1000,
        NULL, "internal units per centipawn, for engines whose constant is not known"),
    KEY(SECTION_EXPORT, "export.compress", NULL, SETTING_BOOLEAN, STAGE_EXPORT, "true", 0, 0, NULL,
        "write text formats as .zst"),
    KEY(SECTION_EXPORT, "export.positions_per_file", NULL, SETTING_INTEGER, STAGE_EXPORT, NULL, 1,
        I64, NULL,
        "begin a new file of a split (train-0000, train-0001, ...) after so many positions"),
    KEY(SECTION_EXPORT, "export.license", NULL, SETTING_STRING, STAGE_NONE, "unknown", 0, 0, NULL,
        "licence of the dataset for its card, as hubs name it: cc0-1.0, cc-by-4.0, other, ..."),
    KEY(SECTION_EXPORT, "export.strict", NULL, SETTING_BOOLEAN, STAGE_EXPORT, "false", 0, 0, NULL,
        "a record that does not fit a format is an error, not left out and counted"),

    KEY(SECTION_TRAIN, "train.preset", NULL, SETTING_STRING, STAGE_TRAIN, "best", 0, 0,
        "best|tinynnue",
        "what the keys below are unless they are set; tinynnue is Adam at a constant rate without "
        "regularisation"),
    KEY(SECTION_TRAIN, "train.arch", "arch", SETTING_STRING, STAGE_TRAIN, "769->128->32->1", 0, 0,
        NULL,
        "architecture of the net: 769->H1->H2->1, (768->N)x2->1 with king and output buckets and "
        "screlu or crelu behind it, halfka(22528->L1)x2->L2->1xB, halfkp(41024->L1)x2->L2->L3->1"),
    KEY(SECTION_TRAIN, "train.seed", NULL, SETTING_INTEGER, STAGE_TRAIN, "0", 0, I64, NULL,
        "seed of the initial weights, the order of positions, augmentation and dropout"),
    KEY(SECTION_TRAIN, "train.epochs", NULL, SETTING_INTEGER, STAGE_TRAIN, NULL, 1, 100000, NULL,
        "passes over the training positions [best: 100; tinynnue: 40]"),
    KEY(SECTION_TRAIN, "train.batch", NULL, SETTING_INTEGER, STAGE_TRAIN, NULL, 1, 1048576, NULL,
        "positions per step [512]"),
    KEY(SECTION_TRAIN, "train.learning_rate", NULL, SETTING_REAL, STAGE_TRAIN, NULL, 1e-9, 10, NULL,
        "Adam's step size, at its highest [best: 0.005; tinynnue: 0.001]"),
    KEY(SECTION_TRAIN, "train.schedule", NULL, SETTING_STRING, STAGE_TRAIN, NULL, 0, 0,
        "cosine|constant",
        "how the step size goes: down to nothing along half a cosine, or not at all [best: cosine; "
        "tinynnue: constant]"),
    KEY(SECTION_TRAIN, "train.warmup", NULL, SETTING_REAL, STAGE_TRAIN, NULL, 0, 100000, NULL,
        "epochs over which the step size rises first [best: 1; tinynnue: 0]"),
    KEY(SECTION_TRAIN, "train.weight_decay", NULL, SETTING_REAL, STAGE_TRAIN, NULL, 0, 1000, NULL,
        "decoupled weight decay (AdamW): a step takes step size times this off each weight [best: "
        "0.3; tinynnue: 0]"),
    KEY(SECTION_TRAIN, "train.dropout", NULL, SETTING_REAL, STAGE_TRAIN, NULL, 0, 0.9, NULL,
        "share of the first hidden units that is left out at random [best: 0.1; tinynnue: 0]"),
    KEY(SECTION_TRAIN, "train.augment", NULL, SETTING_STRING, STAGE_TRAIN, NULL, 0, 0,
        "both|flip|mirror|none",
        "positions are also seen with colours swapped (flip), files mirrored, or both, drawn anew "
        "every epoch [best: both; tinynnue: none]"),
    KEY(SECTION_TRAIN, "train.factoriser", NULL, SETTING_BOOLEAN, STAGE_TRAIN, NULL, 0, 0, NULL,
        "while training the features of a piece share rows of weights for the piece, its rank, its "
        "file and, where the own king matters, its square; they are added up at the end [best: "
        "true; tinynnue: false]"),
    KEY(SECTION_TRAIN, "train.average", NULL, SETTING_REAL, STAGE_TRAIN, NULL, 0, 0.999999, NULL,
        "the net is a moving average of the weights of which a step keeps this share; 0: it is the "
        "weights [best: 0; tinynnue: 0]"),
    KEY(SECTION_TRAIN, "train.wdl", NULL, SETTING_REAL, STAGE_TRAIN, "0.0", 0, 1, NULL,
        "share of the game's result in the target, the rest is the engine's score (0: score alone, "
        "1: result alone); bullet's wdl is this number, nnue-pytorch's lambda is 1 minus it"),
    KEY(SECTION_TRAIN, "train.scale", NULL, SETTING_REAL, STAGE_TRAIN, NULL, 0, 10000, NULL,
        "centipawns of one unit of the sigmoid that turns scores into shares of a point; 0: fitted "
        "to the results of the training games [400]"),
    KEY(SECTION_TRAIN, "train.keep", NULL, SETTING_STRING, STAGE_TRAIN, NULL, 0, 0, "best|last",
        "the net of the epoch with the lowest validation loss, or of the last one [best: best; "
        "tinynnue: last]"),
    KEY(SECTION_TRAIN, "train.patience", NULL, SETTING_INTEGER, STAGE_TRAIN, NULL, 0, 100000, NULL,
        "stop after so many epochs without a lower validation loss; 0: never [best: 0; tinynnue: "
        "0]"),
    KEY(SECTION_TRAIN, "train.checkpoint_s", NULL, SETTING_INTEGER, STAGE_NONE, "60", 0, 1000000,
        NULL, "seconds between two checkpoints; 0: after every epoch"),
    KEY(SECTION_TRAIN, "train.memory", NULL, SETTING_INTEGER, STAGE_NONE, "1024", 0, 1048576, NULL,
        "MiB of positions, 48 bytes each, that training may hold; of more it reads them window by "
        "window out of a scratch file beside the net; changes nothing in the net"),
    {0},
};

const struct settings_key *settings_find(const char *name)
{
    for (const struct settings_key *key = settings_table; key->name; key++)
        if (strcmp(key->name, name) == 0 || (key->alias && strcmp(key->alias, name) == 0))
            return key;
    return NULL;
}

unsigned settings_section_find(const char *name)
{
    for (unsigned bit = SECTION_BUILD; bit <= SECTION_TRAIN; bit <<= 1)
        if (strcmp(settings_section_name((enum settings_section)bit), name) == 0)
            return bit;
    return 0;
}

const char *settings_section_name(enum settings_section section)
{
    static const char *const names[] = {"build", "input",   "sample", "label", "filter",
                                        "split", "shuffle", "export", "train"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (1u << i == (unsigned)section)
            return names[i];
    return "";
}

const char *settings_type_words(const struct settings_key *key)
{
    switch (key->type) {
    case SETTING_STRING:
        return "a \"text\"";
    case SETTING_STRINGS:
        return "an array of \"texts\"";
    case SETTING_INTEGER:
        return "a whole number";
    case SETTING_INTEGERS:
        return "an array of whole numbers";
    case SETTING_REAL:
        return "a number";
    case SETTING_BOOLEAN:
        return "true or false";
    case SETTING_COUNT_OR_ALL:
        return "\"all\" or a whole number";
    }
    return "";
}
