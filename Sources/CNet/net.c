#define _GNU_SOURCE
#include "include/CNet.h"

int cnet_accept(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
