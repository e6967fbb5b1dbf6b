# shellcheck shell=bash
# A running demo pipeline for the checks that look at it from outside. Sourced, with the source tree as the working
# directory. CAMPIPE_URL=http://127.0.0.1:8080 aims the checks at a campipe that already runs.

fail() {
    printf 'failed: %s\n' "$*" >&2
    exit 1
}

# A port of the loopback address that is free now.
free_port() {
    local port
    for _ in $(seq 50); do
        port=$((20000 + RANDOM % 20000))
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            printf '%d' "$port"
            return 0
        fi
    done
    fail "no free port"
}

# wait_for SECONDS WHAT COMMAND...: until the command succeeds.
wait_for() {
    local deadline=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        if [ "$SECONDS" -ge "$deadline" ]; then fail "no $what in time"; fi
        sleep 0.2
    done
}

# start_demo: sets `demo_url` (the server), `stream_url` (an MJPEG stream there), `demo_folder` and `demo` (the process
# to stop); it is stopped on exit.
start_demo() {
    if [ -n "${CAMPIPE_URL:-}" ]; then
        demo_url=${CAMPIPE_URL%/} demo=
    else
        local root=$PWD
        demo_url=http://127.0.0.1:$(free_port)
        demo_folder=$(mktemp -d)
        ./campipe version >/dev/null
        (cd "$demo_folder" && exec "$root/campipe" run "$root/pipelines/home.yaml" --no-screen \
            --listen "${demo_url#http://}" >"$demo_folder/output" 2>"$demo_folder/log") &
        demo=$!
        trap stop_demo EXIT
    fi
    stream_url=$demo_url/front/stream
    wait_for 20 "picture at $demo_url" curl -fsS --max-time 2 -o /dev/null "$demo_url/readyz"
}

# stop_demo: asks it to stop, and fails when it does not leave with 0 within 15 s.
stop_demo() {
    trap - EXIT
    if [ -z "$demo" ]; then return 0; fi
    kill -TERM "$demo" 2>/dev/null || true
    local code=0
    for _ in $(seq 150); do
        if ! kill -0 "$demo" 2>/dev/null; then break; fi
        sleep 0.1
    done
    kill -KILL "$demo" 2>/dev/null && code=124
    wait "$demo" || code=$?
    if [ "$code" -ne 0 ]; then tail -n 20 "$demo_folder/log" >&2; fi
    rm -rf "$demo_folder"
    [ "$code" -eq 0 ] || fail "the demo ended with $code"
}
