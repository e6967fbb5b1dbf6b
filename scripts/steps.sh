# shellcheck shell=bash
# Runs named steps and prints what each took. Sourced by scripts/test and scripts/nightly.

# step NAME COMMAND...: runs the command; prints its name before and its time after. Sets `step_code` to its exit code
# and always succeeds, since `set -e` would not hold inside a command whose code the caller tests.
step() {
    local name=$1 began=$SECONDS
    shift
    printf '\n== %s\n' "$name"
    set +e
    (
        set -e
        "$@"
    )
    step_code=$?
    set -e
    if [ "$step_code" -eq 0 ]; then
        printf '== %s: %d s\n' "$name" "$((SECONDS - began))"
    else
        printf '== %s: FAILED (exit code %d) after %d s\n' "$name" "$step_code" "$((SECONDS - began))"
    fi
}
