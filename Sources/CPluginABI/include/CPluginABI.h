#pragma once
// The number that a plugin bakes in at build time and the host compares before anything else is called.
// A Swift constant would not do: read in the plugin it shows the host's own value.
#define CAMPIPE_PLUGIN_ABI 1
