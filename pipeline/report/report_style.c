/* SPDX-License-Identifier: MIT */
/*
 * Colours stand once, as variables of a theme; everything else refers to them. Texts have a
 * contrast of 4.5 or more to what they stand on, in both themes.
 */
#include "pipeline/report/report_style.h"

static const char colours[] =
    ":root{color-scheme:light dark;--paper:#fcfcfa;--ink:#1d2125;--soft:#59616a;--rule:#d8dad5;"
    "--grid:#e9eae6;--edge:#00000047;--first:#2c5f8a;--second:#a8501f;--lost:#84919d;--track:#"
    "eef0ed;"
    "--white:#ece8dd;--draw:#a3abb2;--black:#3a4046;--unknown:#d5c9a8;"
    "--on-white:#1d2125;--on-draw:#15181b;--on-black:#f4f4f2;"
    "--d1:#d6e3ee;--d2:#a9c6de;--d3:#74a3c8;--d4:#3b739f;--d5:#1d4b73;"
    "--on-low:#15181b;--on-high:#ffffff;"
    "--light-square:#efe9da;--dark-square:#c3b79d;--best-move:#7fa650;"
    "--piece-white:#ffffff;--piece-black:#1d2125;--outline-white:#1d2125;--outline-black:#1d2125}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#16191c;--ink:#e3e5e7;--soft:#a2abb3;"
    "--rule:#373d43;--grid:#272c31;--edge:#ffffff38;--first:#79afdd;--second:#e39a66;--lost:#"
    "73808b;"
    "--track:#22272b;--white:#dcd8cc;--draw:#7d868e;--black:#07090a;--unknown:#6f6647;"
    "--on-draw:#101214;"
    "--d1:#1e3344;--d2:#285070;--d3:#336b96;--d4:#67a5d6;--d5:#bfe0fb;"
    "--on-low:#f2f5f7;--on-high:#101214;"
    "--light-square:#b9b2a0;--dark-square:#8b8471;--best-move:#5f8f3a}}\n";

static const char text[] =
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:17px/1.55 Charter,"
    "\"Bitstream Charter\",\"Sitka Text\",Cambria,Georgia,serif;-webkit-text-size-adjust:100%}\n"
    "main{max-width:936px;margin:0 auto;padding:48px 24px 64px}\n"
    "h1{font-size:34px;line-height:1.15;font-weight:600;letter-spacing:-.01em;margin:0 0 6px}\n"
    "h2{font-size:23px;line-height:1.25;font-weight:600;margin:64px 0 8px;padding-top:14px;"
    "border-top:1px solid var(--rule)}\n"
    "h3{font-size:17px;font-weight:600;margin:32px 0 6px}\n"
    "p{margin:0 0 12px}\n"
    ".id{color:var(--soft);margin-bottom:24px}\n"
    ".code,.id code,.digest td{font:12.5px/1.5 ui-monospace,\"SF Mono\",Menlo,Consolas,"
    "\"DejaVu Sans Mono\",monospace;overflow-wrap:anywhere}\n"
    ".warning{border-left:3px solid var(--second);padding-left:12px}\n"
    ".lead{font-size:20px;line-height:1.5}\n"
    "footer{margin-top:64px;padding-top:14px;border-top:1px solid var(--rule);color:var(--soft);"
    "font-size:15px}\n";

static const char tables[] =
    /* Where a table goes on beyond an edge, that edge has a shadow; at its end the paper, which
     * moves with the table, covers it. */
    ".scroll{overflow-x:auto;margin:16px 0 24px;background:"
    "linear-gradient(to right,var(--paper) 18px,transparent) left/36px 100% no-repeat local,"
    "linear-gradient(to left,var(--paper) 18px,transparent) right/36px 100% no-repeat local,"
    "linear-gradient(to right,var(--edge),transparent) left/12px 100% no-repeat scroll,"
    "linear-gradient(to left,var(--edge),transparent) right/12px 100% no-repeat scroll}\n"
    ".scroll:focus-visible{outline:2px solid var(--first);outline-offset:4px}\n"
    "table,.facts{font:14.5px/1.45 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\","
    "Arial,sans-serif;font-variant-numeric:tabular-nums lining-nums}\n"
    "table{border-collapse:collapse;min-width:100%}\n"
    "th,td{padding:5px 0 5px 20px;text-align:left;vertical-align:baseline;font-weight:400}\n"
    "th:first-child{padding-left:0}\n"
    "thead th{color:var(--soft);font-size:13px;border-bottom:1px solid var(--rule);"
    "vertical-align:bottom}\n"
    "tbody tr+tr>*{border-top:1px solid var(--grid)}\n"
    "tbody+tbody>tr:first-child>*{border-top:1px solid var(--rule);padding-top:20px}\n"
    ".number{text-align:right;white-space:nowrap}\n"
    ".fates .number,.records .number{width:14%}\n"
    ".none{color:var(--soft)}\n"
    ".funnel .part th,.fates .part th{padding-left:16px;color:var(--soft)}\n"
    ".range{display:block;color:var(--soft);font-size:12.5px}\n"
    ".score-groups tbody th,.rounding tbody th{white-space:nowrap}\n"
    ".net>th{font-weight:600;min-width:11em;overflow-wrap:break-word}\n"
    ".whole>*,.rest>*,.best>*{font-weight:600}\n"
    ".bars{width:34%;min-width:64px;vertical-align:middle}\n"
    ".bars svg{display:block;width:100%;height:10px}\n"
    "tbody .digest td{color:var(--soft);border-top:0;padding:0 0 7px}\n"
    ".facts{display:grid;grid-template-columns:9em 1fr;margin:16px 0 24px;"
    "border-top:1px solid var(--rule)}\n"
    ".facts dt,.facts dd{margin:0;padding:6px 0;border-bottom:1px solid var(--grid)}\n"
    ".facts dt{color:var(--soft);padding-right:28px}\n"
    ".facts .code{padding-top:8px}\n";

static const char figures[] =
    ".figures{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:40px 48px;"
    "margin:24px 0}\n"
    "figure{margin:0;min-width:0}\n"
    "figure>svg{display:block;width:100%;height:auto;max-width:480px;overflow:visible}\n"
    "figcaption{color:var(--soft);font-size:15px;line-height:1.45;margin-top:6px;max-width:56ch}\n"
    "svg text{font:12px system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,"
    "sans-serif;font-variant-numeric:tabular-nums;fill:var(--ink)}\n"
    "svg .tick{fill:var(--soft)}\n"
    ".middle{text-anchor:middle}.end{text-anchor:end}\n"
    ".axis{stroke:var(--soft);stroke-width:1}\n"
    ".grid{stroke:var(--grid);stroke-width:1}\n"
    ".middle-line{stroke:var(--rule);stroke-width:1}\n"
    ".bar{fill:var(--first)}.bar-lost{fill:var(--lost)}.track{fill:var(--track)}\n"
    ".line{fill:none;stroke-width:1.8;stroke-linejoin:round}\n"
    ".first{stroke:var(--first)}.second{stroke:var(--second)}.dashed{stroke-dasharray:5 4}\n"
    ".diagonal{stroke:var(--second);stroke-width:1.2}\n"
    ".point{fill:var(--ink);stroke:var(--paper);stroke-width:1}\n"
    ".point-label{fill:var(--first);stroke:var(--paper);stroke-width:1}\n"
    ".point-result{fill:var(--paper);stroke:var(--second);stroke-width:1.6}\n"
    ".share{stroke:var(--soft);stroke-width:.5}\n"
    ".white{fill:var(--white)}.draw{fill:var(--draw)}.black{fill:var(--black)}"
    ".unknown{fill:var(--unknown)}\n"
    "svg .on-white{fill:var(--on-white)}svg .on-draw{fill:var(--on-draw)}"
    "svg .on-black{fill:var(--on-black)}\n"
    "svg .on-low{fill:var(--on-low)}svg .on-high{fill:var(--on-high)}\n"
    ".d1{fill:var(--d1)}.d2{fill:var(--d2)}.d3{fill:var(--d3)}.d4{fill:var(--d4)}"
    ".d5{fill:var(--d5)}\n";

static const char boards[] =
    ".shapes{position:absolute}\n"
    ".boards{display:grid;grid-template-columns:repeat(auto-fill,minmax(190px,1fr));gap:28px 24px;"
    "margin:24px 0}\n"
    ".board>svg{max-width:none;border:1px solid var(--rule)}\n"
    ".board figcaption{font:13.5px/1.45 system-ui,-apple-system,\"Segoe UI\",Roboto,"
    "\"Helvetica Neue\",Arial,sans-serif;font-variant-numeric:tabular-nums}\n"
    ".board b{font-weight:600;color:var(--ink)}.said,.game{display:block}\n"
    ".game{overflow-wrap:anywhere}.game a{color:var(--first)}\n"
    ".light-square{fill:var(--light-square)}.dark-square{fill:var(--dark-square)}"
    ".best-move{fill:var(--best-move);fill-opacity:.6}\n"
    ".white-piece{fill:var(--piece-white);stroke:var(--outline-white);stroke-width:.8}"
    ".black-piece{fill:var(--piece-black);stroke:var(--outline-black);stroke-width:.8}\n";

static const char media[] =
    "@media(max-width:720px){body{font-size:16px}main{padding:28px 16px 48px}"
    ".figures{grid-template-columns:minmax(0,1fr)}"
    ".boards{grid-template-columns:repeat(2,minmax(0,1fr));gap:20px "
    "14px}h1{font-size:28px}h2{margin-top:48px}"
    ".lead{font-size:18px}th,td{padding-left:12px}.bars{width:20%;min-width:40px}"
    ".facts{grid-template-columns:1fr}.facts dt{border:0;padding-bottom:0}"
    ".facts dd,.facts .code{padding-top:0}"
    "table{font-size:13.5px}.files th:first-child,.inputs th:first-child{overflow-wrap:anywhere;"
    "min-width:7.5em}.files thead .number{white-space:normal}.files th+th,.files td+td,.inputs "
    "th+th,.inputs td+td{padding-left:8px}.funnel .part th,.fates .part "
    "th{padding-left:10px}.rounding th+th,.rounding td{padding-left:7px}}\n"
    "@media print{:root{color-scheme:light;--paper:#fff;--ink:#000;--soft:#444;--rule:#bbb;"
    "--grid:#ddd;--first:#2c5f8a;--second:#a8501f;--lost:#84919d;--track:#eef0ed;"
    "--white:#f4f1e8;--draw:#a3abb2;--black:#3a4046;--unknown:#d5c9a8;--on-draw:#15181b;"
    "--on-white:#1d2125;--on-black:#f4f4f2;"
    "--d1:#d6e3ee;--d2:#a9c6de;--d3:#74a3c8;--d4:#3b739f;--d5:#1d4b73;"
    "--on-low:#15181b;--on-high:#ffffff;"
    "--light-square:#efe9da;--dark-square:#c3b79d;--best-move:#7fa650}"
    "body{font-size:10.5pt}main{max-width:none;padding:0}h2{margin-top:28px}"
    "figure,tr,h2,h3{break-inside:avoid}h2,h3{break-after:avoid}.scroll{overflow:visible;"
    "background:none}"
    ".boards{grid-template-columns:repeat(4,1fr)}.board{break-inside:avoid}"
    "svg *{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

void report_write_style(struct html *html)
{
    html_open(html, "style");
    html_raw(html, "\n");
    html_raw(html, colours);
    html_raw(html, text);
    html_raw(html, tables);
    html_raw(html, figures);
    html_raw(html, boards);
    html_raw(html, media);
    html_close(html);
}
