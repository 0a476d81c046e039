#!/bin/sh
# The report in a real browser, Debian's chromium without a window: no error on its console, every
# figure there and named, nothing fetched, nothing wider than the screen of a desktop or a phone.
# Screenshots of both widths, light and dark, and a PDF as it is printed are left in $OUT/report/.
. tests/cli/lib.sh
MAKEGAMES=${MAKEGAMES:-$(dirname "$FAKE_ENGINE")/makegames}
out=${OUT:-build/release}/report
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
browser=$(command -v chromium || command -v chromium-browser)

cat >"$tmp/recipe.toml" <<'T'
[build]
shards = 2
[sample]
per_game = "all"
min_ply = 4
[label]
source = "lichess-eval"
[split]
shares = [80, 10, 10]
[filter]
capture = "keep"
[export]
formats = ["csv", "bullet"]
T

# A build of games with evals, trained, and its net rounded.
make_report() {
    "$MAKEGAMES" 400 90 5 >"$tmp/games.pgn" &&
        "$PLYMILL" build "$tmp/recipe.toml" --quiet -o "$tmp/b" --input "$tmp/games.pgn" &&
        "$PLYMILL" train "$tmp/b" -o "$tmp/net.safetensors" --train.epochs 3 --quiet &&
        "$PLYMILL" quantize "$tmp/net.safetensors" -o "$tmp/net-int8.safetensors" --quiet &&
        "$PLYMILL" report "$tmp/b" --nets "$tmp/net.safetensors,$tmp/net-int8.safetensors" &&
        cp "$tmp/b/report.html" "$out/report.html"
}

# A small build by an engine that hangs once, for the pictures of how it did.
make_health() {
    printf '[build]\nshards = 2\n' >"$tmp/few.toml"
    "$MAKEGAMES" 150 60 5 >"$tmp/few.pgn" &&
        "$PLYMILL" build "$tmp/few.toml" --quiet -o "$tmp/h" --input "$tmp/few.pgn" --nodes 20 --workers 2 --label.audit 0 \
            --label.deadline_ms 6000 --engine "$FAKE_ENGINE --delay 60 --hang-at 70 --once $tmp/hung" &&
        "$PLYMILL" report "$tmp/h" --health && cp "$tmp/h/report.html" "$out/health.html" &&
        grep -q 'class="point-result"' "$out/health.html"
}

# browse WIDTH,HEIGHT FLAGS... URL: its messages go to $tmp/browser.
browse() {
    size=$1
    shift
    HOME=$tmp timeout 120 "$browser" --headless=old --no-sandbox --disable-gpu --no-first-run \
        --hide-scrollbars --user-data-dir="$tmp/profile" --enable-logging=stderr \
        --window-size="$size" "$@" 2>"$tmp/browser"
}

# make_probe PAGE
# The page with a script behind it that writes down what only a browser knows: how wide and tall it is,
# which elements stick out of it or lie over text or stand letter under letter, what it fetched, which
# pictures have no name.
make_probe() {
    cat "$1" - >"$tmp/probe.html" <<'T'
<script>
const found = [], width = document.documentElement.clientWidth, main = document.querySelector("main");
if (document.documentElement.scrollWidth > width) found.push("page is " + document.documentElement.scrollWidth + " wide");
for (const element of main.querySelectorAll("*")) {
    const box = element.getBoundingClientRect();
    if (element.closest(".scroll") && !element.matches(".scroll")) continue;
    if (box.width && (box.right > width + 0.5 || box.left < -0.5))
        found.push("sticks out: " + element.tagName + " " + element.textContent.slice(0, 40));
}
const words = document.createRange();
for (const element of main.querySelectorAll("th, td, dt, dd, p, h1, h2, h3, figcaption")) {
    const text = element.textContent.trim(), size = parseFloat(getComputedStyle(element).fontSize);
    words.selectNodeContents(element);
    const box = words.getBoundingClientRect();
    if (text.length > 5 && box.height > 6 * size && box.width < 5 * size) found.push("squeezed: " + text.slice(0, 40));
}
for (const svg of main.querySelectorAll("figure svg")) {
    const frame = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll("text")];
    for (const text of texts) {
        const box = text.getBoundingClientRect();
        if (box.left < frame.left - 2 || box.right > frame.right + 16 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2)
            found.push("clipped: " + text.textContent);
    }
    for (let i = 0; i < texts.length; i++)
        for (let k = 0; k < i; k++) {
            const a = texts[i].getBoundingClientRect(), b = texts[k].getBoundingClientRect();
            if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 5)
                found.push("texts overlap: " + texts[i].textContent + " / " + texts[k].textContent);
        }
    const named = (svg.getAttribute("aria-labelledby") || "").split(" ").every(id => document.getElementById(id)?.textContent.trim());
    if (svg.getAttribute("role") !== "img" || !svg.hasAttribute("aria-labelledby") || !named) found.push("no name: " + svg.outerHTML.slice(0, 80));
}
for (const figure of main.querySelectorAll("figure"))
    if (!figure.querySelector("figcaption")?.textContent.trim()) found.push("a figure without a caption");
for (const svg of main.querySelectorAll("svg"))
    if (svg.getAttribute("role") !== "img" && svg.getAttribute("aria-hidden") !== "true") found.push("a picture neither named nor hidden");
for (const region of main.querySelectorAll(".scroll"))
    if (!region.getAttribute("aria-label")) found.push("a table without a name");
for (const entry of performance.getEntriesByType("resource")) found.push("fetched: " + entry.name);
const ids = [...document.querySelectorAll("[id]")].map(element => element.id);
for (const id of new Set(ids)) if (ids.filter(other => other === id).length > 1) found.push("id twice: " + id);
parent.postMessage("\nPROBED " + width + " " + document.documentElement.scrollHeight + "\n" + found.map(line => "FOUND " + line + "\n").join(""), "*");
</script>
T
}

# The narrowest window has 500 pixels, so that a phone is a frame in one. framed WIDTH HEIGHT PAGE
framed() {
    cat >"$tmp/frame.html" <<T
<!DOCTYPE html><body style="margin:0"><script>
onmessage = event => document.getElementById("said").textContent = event.data;
</script><iframe src="file://$3" style="border:0;width:$1px;height:$2px"></iframe>
<pre id="said"></pre>
T
}

# probe WIDTH: leaves how tall the page is at that width in $tmp/height-WIDTH.
probe() {
    framed "$1" 900 "$tmp/probe.html"
    browse "$1,900" --virtual-time-budget=5000 --dump-dom "file://$tmp/frame.html" >"$tmp/dom" || return 1
    sed -n "s/^PROBED $1 \([0-9]*\)\$/\1/p" "$tmp/dom" >"$tmp/height-$1"
    [ -s "$tmp/height-$1" ] || { head -c 2000 "$tmp/dom"; grep CONSOLE "$tmp/browser"; return 1; }
    ! grep '^FOUND ' "$tmp/dom"
}

# Faults put into the page are found by the probe.
faults_are_seen() {
    sed 's|<main>|<main><p style="width:2000px">wide</p><figure><svg role="img"><text y="9">a text</text><text y="9">another</text></svg></figure><div style="width:1em;overflow-wrap:anywhere"><p>a narrow column</p></div>|' \
        "$tmp/probe.html" >"$tmp/faulty.html"
    framed 390 900 "$tmp/faulty.html"
    browse 390,900 --virtual-time-budget=5000 --dump-dom "file://$tmp/frame.html" >"$tmp/faults"
    for fault in 'page is' 'sticks out' 'texts overlap' 'no name' 'a figure without a caption' 'squeezed: a narrow column'; do
        grep -q "^FOUND $fault" "$tmp/faults" || { echo "not seen: $fault"; return 1; }
    done
}

quiet_console() {
    browse 1280,900 --dump-dom "file://$out/report.html" >"$tmp/dom" && grep -q '</html>' "$tmp/dom" &&
        ! grep CONSOLE "$tmp/browser"
}

# What would be said on the console is seen here.
loud_console() {
    echo '<script>console.error("a fault")</script>' | cat "$out/report.html" - >"$tmp/loud.html"
    browse 1280,900 --dump-dom "file://$tmp/loud.html" >/dev/null && grep 'CONSOLE.*a fault' "$tmp/browser"
}

figures="scores win-rate pieces phase plies openings results density-1 calibration-1 errors-1 losses-1
    board-1-1 board-1-20"
every_figure() {
    for id in $figures; do
        grep -q "aria-labelledby=\"$id-title $id-desc\"" "$tmp/dom" || { echo "no $id"; return 1; }
    done
}

# But for links to games on Lichess, which are followed by a click alone.
no_references() {
    sed 's|<a href="https://lichess.org/[A-Za-z0-9]\{8\}#[0-9]*" rel="noreferrer">||g' "$out/report.html" |
        grep -inE '(src|href|srcset|action|data|poster)="[^#]|https?:|<(script|link|iframe|img|object|embed)|url\(|@import'
    [ $? -eq 1 ]
}

# picture NAME PAGE WIDTH FLAGS...: all of the page that was probed last.
picture() {
    name=$1 page=$2 width=$3 height=$(cat "$tmp/height-$3")
    shift 3
    rm -f "$out/$name.png"
    framed "$width" "$height" "$out/$page.html"
    browse "$width,$height" "$@" --screenshot="$out/$name.png" "file://$tmp/frame.html" &&
        [ "$(wc -c <"$out/$name.png")" -gt 100000 ]
}

printed() {
    rm -f "$out/report.pdf"
    browse 1280,900 --no-pdf-header-footer --print-to-pdf="$out/report.pdf" "file://$out/report.html" &&
        [ "$(head -c 4 "$out/report.pdf")" = %PDF ]
}

if [ -z "$browser" ]; then
    skip 'the report in a browser' 'no chromium here'
    finish
fi
dark=--blink-settings=preferredColorScheme=0
check 'a report of a build and two nets' make_report
check 'no word on the console' quiet_console
check 'every figure is there' every_figure
check 'a word on the console would be seen' loud_console
check 'no reference to anything outside' no_references
make_probe "$out/report.html"
check 'nothing sticks out, overlaps or lacks a name on a desktop' probe 1280
check 'nothing sticks out, overlaps or lacks a name on a phone' probe 390
check 'what sticks out, overlaps or lacks a name would be seen' faults_are_seen
check 'a picture: desktop, light' picture desktop-light report 1280
check 'a picture: desktop, dark' picture desktop-dark report 1280 $dark
check 'a picture: phone, light' picture phone-light report 390
check 'a picture: phone, dark' picture phone-dark report 390 $dark
check 'light and dark differ' sh -c "! cmp -s '$out/desktop-light.png' '$out/desktop-dark.png'"
check 'it prints' printed
check 'a report with how the engine did' make_health
make_probe "$out/health.html"
check 'it sticks out nowhere on a desktop' probe 1280
check 'it sticks out nowhere on a phone' probe 390
check 'a picture of it: desktop' picture health-desktop health 1280
check 'a picture of it: phone' picture health-phone health 390
finish
