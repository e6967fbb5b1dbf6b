# shellcheck shell=sh
# What every script needs first: Debian packages and the Swift toolchain. Sourced by the launcher and by scripts/*,
# after `root` was set to the source tree. POSIX sh. Prints on standard error only.

# Who reads it may have gone.
say() { printf 'campipe: %s\n' "$*" >&2 2>/dev/null || true; }
die() {
    say "$*"
    exit 1
}

# packages_of SECTION...: the packages of these sections of scripts/packages, one a line.
packages_of() {
    for wanted in "$@"; do
        section=
        while read -r name _; do
            case $name in
            '' | '#'*) ;;
            '['*']') section=${name#\[} section=${section%\]} ;;
            *) if [ "$section" = "$wanted" ]; then printf '%s\n' "$name"; fi ;;
            esac
        done <"$root/scripts/packages"
    done
}

# missing_packages SECTION...: those that are not installed, separated by blanks.
missing_packages() {
    wanted_packages=$(packages_of "$@" | sort -u)
    # shellcheck disable=SC2086  # one word a package
    installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted_packages 2>/dev/null |
        sed -n 's/^installed //p' | tr '\n' ' ')"
    missing=
    for package in $wanted_packages; do
        case $installed in
        *" $package "*) ;;
        *) missing="$missing $package" ;;
        esac
    done
    printf '%s' "${missing# }"
}

# require_packages SECTION...: installs what is missing, as root or through sudo; does nothing when nothing is.
require_packages() {
    if ! command -v dpkg-query >/dev/null; then
        # Another distribution: its own packages may do, and the build tells what does not.
        return 0
    fi
    missing=$(missing_packages "$@")
    if [ -z "$missing" ]; then return 0; fi
    install="apt-get install --no-install-recommends $missing"
    if [ -n "${CAMPIPE_NO_INSTALL:-}" ]; then
        die "Debian packages are missing, and CAMPIPE_NO_INSTALL is set; run as root: $install"
    fi
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "Debian packages are missing, and there is no sudo; run as root: $install"
        as_root=sudo
    fi
    # shellcheck disable=SC2086
    set -- $missing
    say "installing $# Debian packages by ${as_root:+sudo }apt-get (about a minute): $missing"
    apt_log=$(mktemp)
    # The lists are fetched only when they do not know the packages, or are too old to find them on the mirror.
    {
        apt_get -s install "$@" || apt_get update || true
        apt_get install "$@" || { apt_get update && apt_get install "$@"; }
    } >"$apt_log" 2>&1 || {
        tail -n 20 "$apt_log" >&2
        die "apt-get failed, all of its words are in $apt_log; run as root: $install"
    }
    rm -f "$apt_log"
}

# apt_get ARGUMENT...: apt-get without questions, waiting for another apt-get to end.
apt_get() {
    ${as_root:-} env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
        -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@" </dev/null
}

# The oldest toolchain that builds campipe.
wanted_major=6 wanted_minor=3

# swift_candidates: every `swift` in the places where toolchains live, the preferred one first: PATH, then the folders
# in CAMPIPE_TOOLCHAINS, separated by blanks.
swift_candidates() {
    command -v swift || true
    for folder in ${CAMPIPE_TOOLCHAINS:-/opt/swift/usr/bin /usr/libexec/swift/bin /usr/local/swift/usr/bin}; do
        if [ -x "$folder/swift" ]; then printf '%s\n' "$folder/swift"; fi
    done
}

# require_swift: sets `swift` to the first toolchain that is new enough, and puts its folder first in PATH.
require_swift() {
    found=
    for swift in $(swift_candidates); do
        version=$("$swift" --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | head -n 1)
        major=${version%%.*} minor=${version#*.} minor=${minor%%.*}
        if [ "${major:-0}" -gt "$wanted_major" ] ||
            { [ "${major:-0}" -eq "$wanted_major" ] && [ "${minor:-0}" -ge "$wanted_minor" ]; }; then
            PATH=$(dirname "$swift"):$PATH
            export PATH
            return 0
        fi
        found="$found $swift is ${version:-no working toolchain};"
    done
    die "Swift $wanted_major.$wanted_minor or newer is needed; ${found:- found none in PATH or /opt/swift;}" \
        "install it from swift.org (Debian 12) into /opt/swift, or put its usr/bin into PATH"
}
