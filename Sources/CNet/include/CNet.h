#pragma once
// What Glibc's Swift module does not show: epoll, eventfd, accept4 (they need _GNU_SOURCE) and flags that do not import.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/types.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

int cnet_accept(int listener, struct sockaddr *address, socklen_t *length);
