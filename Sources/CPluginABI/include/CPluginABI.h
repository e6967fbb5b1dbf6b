#pragma once
#include <stdint.h>

// The handshake of a plugin: data that the host reads with dlsym before it calls anything. All of it is baked in when the
// plugin is built. A Swift constant of the SDK would not do: read in the plugin it shows the host's own value.

// Raised whenever the handshake changes, or what the host relies on until a plugin's types are registered: the magic, this
// struct, the name and signature of campipe_plugin_contents, and who owns what it returns. Not when the SDK changes, also not
// by a new requirement of a protocol: that changes the SDK's module and with it `sdk`, so that a plugin of before is refused
// by the hash and built again. docs/adr/0001-plugin-linkage.md has the rule.
#ifndef CAMPIPE_PLUGIN_ABI
#define CAMPIPE_PLUGIN_ABI 1
#endif

// "CAMPIPE" and a zero, as bytes.
#define CAMPIPE_PLUGIN_MAGIC UINT64_C(0x00455049504d4143)

struct campipe_plugin_handshake {
    uint64_t magic;
    uint32_t abi;
    // Bytes of this struct.
    uint32_t size;
    // The first line of `swiftc --version`: Swift has no stable layout across compilers here.
    const char *compiler;
    // The SHA-256 of the SDK's module that the plugin was built against, in hexadecimal.
    const char *sdk;
};

// Defines the handshake; stands alone in the one C file of a plugin, which its build compiles with both texts defined.
#define CAMPIPE_PLUGIN_HANDSHAKE                                                                                          \
    __attribute__((visibility("default"), used)) const struct campipe_plugin_handshake campipe_plugin_handshake = {      \
        CAMPIPE_PLUGIN_MAGIC, CAMPIPE_PLUGIN_ABI, sizeof(struct campipe_plugin_handshake), CAMPIPE_PLUGIN_COMPILER,       \
        CAMPIPE_PLUGIN_SDK};
