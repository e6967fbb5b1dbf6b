#pragma once
// What Swift does not import of V4L2: requests and codes that are macros, and ioctl, which is variadic.
#include <sys/types.h>
#include <sys/time.h>
#include <sys/select.h>
#include <errno.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>

static const unsigned long campipe_v4l2_query_capability = VIDIOC_QUERYCAP;
static const unsigned long campipe_v4l2_enumerate_formats = VIDIOC_ENUM_FMT;
static const unsigned long campipe_v4l2_get_format = VIDIOC_G_FMT;
static const unsigned long campipe_v4l2_set_format = VIDIOC_S_FMT;
static const unsigned long campipe_v4l2_get_parameters = VIDIOC_G_PARM;
static const unsigned long campipe_v4l2_set_parameters = VIDIOC_S_PARM;
static const unsigned long campipe_v4l2_request_buffers = VIDIOC_REQBUFS;
static const unsigned long campipe_v4l2_query_buffer = VIDIOC_QUERYBUF;
static const unsigned long campipe_v4l2_queue = VIDIOC_QBUF;
static const unsigned long campipe_v4l2_dequeue = VIDIOC_DQBUF;
static const unsigned long campipe_v4l2_start = VIDIOC_STREAMON;
static const unsigned long campipe_v4l2_stop = VIDIOC_STREAMOFF;

static const unsigned int campipe_v4l2_capture = V4L2_BUF_TYPE_VIDEO_CAPTURE;
static const unsigned int campipe_v4l2_mapped = V4L2_MEMORY_MMAP;
static const unsigned int campipe_v4l2_full_range = V4L2_QUANTIZATION_FULL_RANGE;

/// The call again while a signal interrupts it: 0, or the negative errno.
static inline int campipe_v4l2_call(int descriptor, unsigned long request, void *argument) {
    int result;
    do result = ioctl(descriptor, request, argument);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}
