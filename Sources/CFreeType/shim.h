#pragma once
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_GLYPH_H
#include FT_STROKER_H

// Macros that Swift does not import.
static const FT_Int32 campipe_load_light = FT_LOAD_TARGET_LIGHT;
static const FT_Glyph_Format campipe_format_bitmap = FT_GLYPH_FORMAT_BITMAP;
