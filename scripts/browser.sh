# shellcheck shell=bash
# A headless Chromium for the checks, driven by chromedriver's plain HTTP, since a page with a live image never finishes
# loading. Sourced behind scripts/demo.sh; who does so calls `stop_browser` at the end.

# start_browser: sets `driver_url` and `session`.
start_browser() {
    driver_url=http://127.0.0.1:$(free_port)
    # In a process group of its own: the browser's crash handlers would outlive it.
    setsid chromedriver --port="${driver_url##*:}" --silent >/dev/null 2>&1 &
    driver=$!
    session=
    wait_for 20 "chromedriver" curl -fsS "$driver_url/status"
    session=$(call POST session '{"capabilities": {"alwaysMatch": {"browserName": "chrome", "pageLoadStrategy": "none",
        "goog:chromeOptions": {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,1040"]}}}}' |
        jq -r .sessionId)
    [ "$session" != null ] || fail "no session of Chromium"
}

stop_browser() {
    if [ -n "${session:-}" ]; then curl -s -o /dev/null --max-time 10 -X DELETE "$driver_url/session/$session" || true; fi
    if [ -n "${driver:-}" ]; then
        kill -CONT "-$driver" 2>/dev/null || true
        kill -- "-$driver" 2>/dev/null || true
        wait "$driver" 2>/dev/null || true
    fi
}

# call METHOD PATH [JSON]: prints the answer's value.
call() {
    curl -sS --max-time 60 -X "$1" -H 'Content-Type: application/json' ${3:+-d "$3"} "$driver_url/$2" | jq -r '.value'
}

# shot NAME: takes a screenshot, and keeps it.
shot() { call GET "session/$session/screenshot" | base64 -d >"$CAMPIPE_ARTIFACTS/chromium-$1.png"; }

# script JAVASCRIPT: runs it in the page and prints what it returns.
script() { call POST "session/$session/execute/sync" "$(jq -n --arg script "$1" '{script: $script, args: []}')"; }

# open_page URL
open_page() { call POST "session/$session/url" "{\"url\": \"$1\"}" >/dev/null; }
