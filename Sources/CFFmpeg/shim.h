#pragma once
#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/parseutils.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

// Macros that Swift does not import.
static const int64_t campipe_no_pts = AV_NOPTS_VALUE;
static const int campipe_averror_eof = AVERROR_EOF;
static const int campipe_averror_again = AVERROR(EAGAIN);
static const int campipe_averror_invalid_data = AVERROR_INVALIDDATA;
static const int campipe_averror_exit = AVERROR_EXIT;
static const int campipe_averror_decoder_not_found = AVERROR_DECODER_NOT_FOUND;
static const int campipe_averror_encoder_not_found = AVERROR_ENCODER_NOT_FOUND;
static const int campipe_averror_demuxer_not_found = AVERROR_DEMUXER_NOT_FOUND;
static const int campipe_averror_protocol_not_found = AVERROR_PROTOCOL_NOT_FOUND;
static const int campipe_averror_unauthorized = AVERROR_HTTP_UNAUTHORIZED;
static const int campipe_averror_forbidden = AVERROR_HTTP_FORBIDDEN;
static const int campipe_averror_not_found = AVERROR_HTTP_NOT_FOUND;
static const int campipe_averror_unknown = AVERROR_UNKNOWN;
static const int campipe_averror_patch_welcome = AVERROR_PATCHWELCOME;
static const unsigned campipe_tag_hvc1 = MKTAG('h', 'v', 'c', '1');
