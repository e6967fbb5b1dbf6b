#!/bin/sh
# Builds a plugin of one module against the host's modules:
#   build.sh MODULES OUT [-Onone|-O] [SOURCES]
# MODULES holds CampipeKit.swiftmodule; SOURCES is the folder of the plugin's Swift files, named as its module.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
modules=$1
out=$2
optimize=${3:--O}
sources=${4:-$here/Sources/Threshold}
abi=$here/../../Sources/CPluginABI/include
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

clang=$(dirname "$(readlink -f "$(command -v swiftc)")")/clang
[ -x "$clang" ] || clang=clang
compiler=$(swiftc --version 2>/dev/null | head -n 1)
sdk=$(sha256sum "$modules/CampipeKit.swiftmodule" | cut -d ' ' -f 1)
printf '#include "CPluginABI.h"\nCAMPIPE_PLUGIN_HANDSHAKE\n' > "$work/handshake.c"
"$clang" -c -fPIC -O1 -I "$abi" -DCAMPIPE_PLUGIN_COMPILER="\"$compiler\"" -DCAMPIPE_PLUGIN_SDK="\"$sdk\"" \
    ${CAMPIPE_PLUGIN_ABI:+-DCAMPIPE_PLUGIN_ABI=$CAMPIPE_PLUGIN_ABI} -o "$work/handshake.o" "$work/handshake.c"

# Neither -lCampipeKit nor --no-undefined: a plugin that brought its own copy of the SDK would load, run, and lie.
swiftc "$optimize" -swift-version 6 -parse-as-library -emit-library -module-name "$(basename "$sources")" \
    -I "$modules" -o "$out" "$sources"/*.swift "$work/handshake.o"
