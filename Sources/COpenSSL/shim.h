#pragma once
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdint.h>
#include <time.h>

// OpenSSL's macros and variadic calls.

static inline int copenssl_require_tls12(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}
// A write takes what fits and may be tried again from another address; buffers are held only while they are full.
static inline void copenssl_set_stream_mode(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_COMPRESSION |
                                     SSL_OP_CIPHER_SERVER_PREFERENCE);
}
// A key with a passphrase is refused; without this OpenSSL would ask for it on the terminal.
static inline int copenssl_no_passphrase(char *buffer, int size, int is_writing, void *argument) {
    (void)buffer, (void)size, (void)is_writing, (void)argument;
    return -1;
}
static inline void copenssl_refuse_passphrases(SSL_CTX *context) {
    SSL_CTX_set_default_passwd_cb(context, copenssl_no_passphrase);
}
static inline EVP_PKEY *copenssl_new_p256_key(void) { return EVP_EC_gen("P-256"); }
// The last second in which the certificate is valid, since 1970; -1 when it does not say.
static inline int64_t copenssl_expiry(SSL_CTX *context) {
    const X509 *certificate = SSL_CTX_get0_certificate(context);
    struct tm time;
    if (!certificate || !ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time)) return -1;
    return (int64_t)timegm(&time);
}
