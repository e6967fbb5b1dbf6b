// A C target needs one source.
#include "include/CPluginABI.h"
