#pragma once
#include <sodium.h>

// libsodium's constants that are casts.
static const unsigned long long csodium_password_operations = crypto_pwhash_argon2id_OPSLIMIT_INTERACTIVE;
static const size_t csodium_password_memory = crypto_pwhash_argon2id_MEMLIMIT_INTERACTIVE;
