/* SPDX-License-Identifier: MIT */
/*
 * The positions that an engine's signature is made of. Changing one of them changes every
 * signature.
 */
#ifndef PLYMILL_LABELER_SIGNATURE_POSITIONS_H
#define PLYMILL_LABELER_SIGNATURE_POSITIONS_H

#define SIGNATURE_POSITIONS 24
#define SIGNATURE_NODES     10000

static const char *const signature_positions[SIGNATURE_POSITIONS] = {
    "r1b2rk1/ppp2p2/2n4Q/4pB2/1bpP4/2N1P1P1/PP2KPP1/8 w - - 6 24",
    "8/1R4p1/8/4pk1p/4Nn1P/5P1K/1pr5/8 w - - 2 52",
    "8/8/8/5n2/1K6/5kp1/4q3/8 b - - 5 73",
    "r2q1knr/4bp1p/4b1p1/pQ2P3/2pNN3/1pP4P/5PP1/R1B1R1K1 b - - 4 21",
    "rnb2rk1/pp2b1pp/4p3/3pPp2/3N4/2NB2Q1/PqPK1PPP/R6R b - - 0 14",
    "r1b1qr2/2p2pkp/2p1p1pn/3pP1N1/p2P1PP1/2N4P/PPPQ4/R4RK1 b - - 0 16",
    "8/p1p1k1p1/1p2p1p1/4P1P1/1P2bP2/2P3r1/P4K2/2RR4 b - - 7 34",
    "4rr1k/4RQpp/2p2p2/pp6/5q2/5N1P/6P1/7K b - - 3 37",
    "r2qk2r/3bbppp/P2ppn2/2p3B1/2B1P3/2NP1Q2/1PP2PPP/R4RK1 w kq - 3 12",
    "8/ppp1k3/8/4N2b/3p1n2/8/2K5/6r1 b - - 5 34",
    "r1b1kbnr/pp1p2pp/5p2/3q4/4p3/2BB1N2/PPP2PPP/R2Q1RK1 w kq - 0 12",
    "8/p2pk3/4pp1B/8/2r1b3/8/P6P/4R1K1 b - - 5 32",
    "2b3k1/6pp/p4p2/4p3/1qN1P3/1P2P2P/PK2Q1P1/8 w - - 0 25",
    "7k/6pp/p7/4r3/8/1P1B3P/P1P3PK/8 b - - 1 39",
    "2r2rk1/Qp1qbpp1/4bn1p/3p4/8/1PN1P3/PB2BPPP/2R2RK1 w - - 1 15",
    "5k2/5p2/5Rb1/6P1/2rN4/2P5/3K4/8 w - - 0 55",
    "rnbq1rk1/pp2pp1p/2p3p1/4b3/8/2N3PP/PP2PPB1/R1BQ1RK1 w - - 0 12",
    "r1bqrnk1/pp2bppp/2p2n2/3p2B1/3P4/2NBP2P/PPQ1NPP1/2KR3R b - - 3 11",
    "rn1qkb1r/pp2pppp/3p1n2/2p5/2B1P3/3P1Q1P/PPP2PP1/RNB1K2R b KQkq - 0 6",
    "8/7K/4q3/4k3/8/8/8/8 w - - 34 80",
    "r1bq1rk1/ppp1npbp/3p2p1/1B2n3/8/1P2P3/PBP1NPPP/RN1Q1RK1 w - - 0 9",
    "5k2/4rpp1/1ppn4/1b1p2PN/pP1P4/P3NP2/5K2/7R b - - 2 34",
    "r1bqkb1r/pppp1ppp/5n2/6B1/1n2p3/P1N3P1/1PP2P1P/R2QKBNR b KQkq - 0 7",
    "3Bk3/p2R3p/2p2p2/2b2Pp1/2P5/8/Pr5P/7K w - - 2 30",
};

#endif
