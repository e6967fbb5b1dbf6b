#pragma once
// glibc's settings of malloc, which Swift's Glibc module does not show.
#include <malloc.h>
