#pragma once
#include <curl/curl.h>

// libcurl's variadic calls, one for each kind of argument.

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_data_callback(CURL *handle, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_socket_callback(CURL *handle, curl_sockopt_callback value) {
    return curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, value);
}
static inline CURLcode ccurl_set_prereq_callback(CURL *handle, curl_prereq_callback value, void *argument) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, value);
    return code ? code : curl_easy_setopt(handle, CURLOPT_PREREQDATA, argument);
}
// Called about once a second while curl waits; anything but 0 ends the transfer.
static inline CURLcode ccurl_set_progress_callback(CURL *handle, curl_xferinfo_callback value, void *argument) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, value);
    if (!code) code = curl_easy_setopt(handle, CURLOPT_XFERINFODATA, argument);
    return code ? code : curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
}
static inline CURLcode ccurl_get_socket(CURL *handle, curl_socket_t *value) {
    return curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, value);
}
static inline CURLcode ccurl_get_certificates(CURL *handle, struct curl_certinfo **value) {
    return curl_easy_getinfo(handle, CURLINFO_CERTINFO, value);
}
static inline CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode ccurl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLMcode ccurl_multi_set_long(CURLM *handle, CURLMoption option, long value) {
    return curl_multi_setopt(handle, option, value);
}
static inline CURLMcode ccurl_multi_set_callbacks(CURLM *handle, curl_socket_callback socket,
                                                  curl_multi_timer_callback timer, void *argument) {
    CURLMcode code = curl_multi_setopt(handle, CURLMOPT_SOCKETFUNCTION, socket);
    if (!code) code = curl_multi_setopt(handle, CURLMOPT_SOCKETDATA, argument);
    if (!code) code = curl_multi_setopt(handle, CURLMOPT_TIMERFUNCTION, timer);
    if (!code) code = curl_multi_setopt(handle, CURLMOPT_TIMERDATA, argument);
    return code;
}
// The result of a finished transfer; a union that Swift reads as a tuple of bytes otherwise.
static inline CURLcode ccurl_message_result(const CURLMsg *message) { return message->data.result; }
static inline long ccurl_auth_basic_and_digest(void) { return (long)(CURLAUTH_BASIC | CURLAUTH_DIGEST); }
static inline CURLcode ccurl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }
