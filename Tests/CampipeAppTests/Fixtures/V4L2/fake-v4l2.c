/* A camera for who has none: preloaded (LD_PRELOAD) it makes one path look like a Video4Linux device that streams from
 * mapped buffers.
 *
 *   FAKE_V4L2_DEVICE=/dev/video9   the path; it need not exist
 *   FAKE_V4L2_FILE=pictures        pictures back to back, all of FAKE_V4L2_BYTES bytes, given one after the other, again and again
 *   FAKE_V4L2_BYTES=12345          how long each is
 *   FAKE_V4L2_FORMAT=MJPG          the only format that it has
 *   FAKE_V4L2_SIZE=64x48           the only size that it has
 *   FAKE_V4L2_FPS=20               pictures a second
 *   FAKE_V4L2_PADDING=100          zeros behind each picture
 *   FAKE_V4L2_UNPLUG=10            it is gone after so many, and there again when it is opened anew
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SLOTS 8
#define SLOT_BYTES (1u << 20)

static int device = -1, memory = -1, file = -1;
static unsigned char *pool;
static int queue[SLOTS], head, waiting, streaming, given, unplug;
static uint32_t sequence, width = 64, height = 48, length, padding, format;
static double fps = 20;

static int number(const char *name, int usual) {
    const char *text = getenv(name);
    return text ? atoi(text) : usual;
}

static int system_open(const char *path, int flags, mode_t mode) {
    return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static int plug_in(void) {
    if (file < 0) {
        const char *code = getenv("FAKE_V4L2_FORMAT"), *size = getenv("FAKE_V4L2_SIZE"), *path = getenv("FAKE_V4L2_FILE");
        if (!path || (file = system_open(path, O_RDONLY | O_CLOEXEC, 0)) < 0) return -1;
        if (!code || strlen(code) != 4) code = "MJPG";
        format = v4l2_fourcc(code[0], code[1], code[2], code[3]);
        if (size) sscanf(size, "%ux%u", &width, &height);
        length = number("FAKE_V4L2_BYTES", 0);
        padding = number("FAKE_V4L2_PADDING", 0);
        fps = number("FAKE_V4L2_FPS", 20);
        unplug = number("FAKE_V4L2_UNPLUG", 0);
        memory = memfd_create("fake-v4l2", MFD_CLOEXEC);
        if (!length || length + padding > SLOT_BYTES || ftruncate(memory, SLOTS * (off_t)SLOT_BYTES)) return -1;
        pool = mmap(NULL, SLOTS * (size_t)SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    }
    head = waiting = streaming = given = 0;
    return device = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
}

#define OPEN(name)                                                                 \
    int name(const char *path, int flags, ...) {                                   \
        const char *own = getenv("FAKE_V4L2_DEVICE");                              \
        mode_t mode = 0;                                                           \
        if (flags & (O_CREAT | __O_TMPFILE)) {                                     \
            va_list rest;                                                          \
            va_start(rest, flags);                                                 \
            mode = va_arg(rest, mode_t);                                           \
            va_end(rest);                                                          \
        }                                                                          \
        return own && path && !strcmp(path, own) ? plug_in() : system_open(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

void *mmap64(void *at, size_t size, int access, int flags, int descriptor, off_t offset) {
    if (descriptor >= 0 && descriptor == device) descriptor = memory;
    return (void *)syscall(SYS_mmap, at, size, access, flags, descriptor, offset);
}
void *mmap(void *at, size_t size, int access, int flags, int descriptor, off_t offset) {
    return mmap64(at, size, access, flags, descriptor, offset);
}

static int fail(int code) {
    errno = code;
    return -1;
}

static int pace(double rate) {
    int64_t period = rate > 0 ? 1e9 / rate : 0;
    struct timespec every = {period / 1000000000, period % 1000000000};
    struct itimerspec timer = {every, every};
    streaming = rate > 0;
    return timerfd_settime(device, 0, &timer, NULL);
}

static int give(struct v4l2_buffer *buffer) {
    uint64_t ticks;
    if (unplug && given >= unplug) return fail(ENODEV);
    if (!streaming || !waiting || read(device, &ticks, 8) != 8) return fail(EAGAIN);
    int slot = queue[head];
    head = (head + 1) % SLOTS;
    waiting--;
    off_t end = lseek(file, 0, SEEK_END);
    unsigned char *target = pool + slot * (size_t)SLOT_BYTES;
    if (end < length || pread(file, target, length, given % (end / length) * (off_t)length) != length) return fail(EIO);
    memset(target + length, 0, padding);
    given++;
    sequence += ticks;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    memset(buffer, 0, sizeof *buffer);
    buffer->index = slot;
    buffer->type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    buffer->memory = V4L2_MEMORY_MMAP;
    buffer->bytesused = length + padding;
    buffer->length = SLOT_BYTES;
    buffer->m.offset = slot * SLOT_BYTES;
    buffer->sequence = sequence;
    buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_DONE;
    buffer->timestamp.tv_sec = now.tv_sec;
    buffer->timestamp.tv_usec = now.tv_nsec / 1000;
    return 0;
}

int ioctl(int descriptor, unsigned long request, ...) {
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (descriptor < 0 || descriptor != device) return syscall(SYS_ioctl, descriptor, request, argument);
    switch ((uint32_t)request) {
    case (uint32_t)VIDIOC_QUERYCAP: {
        struct v4l2_capability *capability = argument;
        memset(capability, 0, sizeof *capability);
        strcpy((char *)capability->card, "a fake");
        capability->device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
        capability->capabilities = capability->device_caps | V4L2_CAP_DEVICE_CAPS;
        return 0;
    }
    case (uint32_t)VIDIOC_ENUM_FMT: {
        struct v4l2_fmtdesc *description = argument;
        if (description->index) return fail(EINVAL);
        description->pixelformat = format;
        return 0;
    }
    case (uint32_t)VIDIOC_G_FMT:
    case (uint32_t)VIDIOC_S_FMT: {
        struct v4l2_pix_format *pix = &((struct v4l2_format *)argument)->fmt.pix;
        memset(pix, 0, sizeof *pix);
        pix->width = width;
        pix->height = height;
        pix->pixelformat = format;
        pix->sizeimage = SLOT_BYTES;
        pix->field = V4L2_FIELD_NONE;
        return 0;
    }
    case (uint32_t)VIDIOC_G_PARM:
    case (uint32_t)VIDIOC_S_PARM: {
        struct v4l2_streamparm *parameters = argument;
        parameters->parm.capture.timeperframe.numerator = 1000;
        parameters->parm.capture.timeperframe.denominator = fps * 1000;
        return 0;
    }
    case (uint32_t)VIDIOC_REQBUFS: {
        struct v4l2_requestbuffers *wanted = argument;
        if (wanted->memory != V4L2_MEMORY_MMAP) return fail(EINVAL);
        if (wanted->count > SLOTS) wanted->count = SLOTS;
        return 0;
    }
    case (uint32_t)VIDIOC_QUERYBUF: {
        struct v4l2_buffer *buffer = argument;
        buffer->length = SLOT_BYTES;
        buffer->m.offset = buffer->index * SLOT_BYTES;
        return 0;
    }
    case (uint32_t)VIDIOC_QBUF:
        if (waiting < SLOTS) queue[(head + waiting++) % SLOTS] = ((struct v4l2_buffer *)argument)->index;
        return 0;
    case (uint32_t)VIDIOC_STREAMON: return pace(fps);
    case (uint32_t)VIDIOC_STREAMOFF: return pace(0);
    case (uint32_t)VIDIOC_DQBUF: return give(argument);
    }
    return fail(ENOTTY);
}
