/* cache.c - visit compile.h.
 *
 * Code is loaded from here, so the directory must be the user's alone: it is refused if it belongs
 * to another user or if others may write to it. Files are written under a name of their own and
 * renamed when whole, so that two processes may work at once. A compiled file ends with a seal, its
 * length and hash: a file that a full disk or a crash has cut off is not loaded, which matters
 * because the loader maps a file without checking it.
 */
#include "compile/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ hashes */

CacheHash cache_hash_start(void)
{
    return (CacheHash){0xcbf29ce484222325u, 0x9e3779b97f4a7c15u};
}

/* FNV-1a on words of eight bytes, and a second one with another multiplier that mixes in the first
 */
static void hash_word(CacheHash *h, uint64_t word)
{
    h->a = (h->a ^ word) * 0x100000001b3u;
    h->a ^= h->a >> 32; /* high bits of a word change low ones, too */
    h->b = (h->b ^ word ^ (h->a >> 29)) * 0xff51afd7ed558ccdu;
    h->b ^= h->b >> 32;
}

void cache_hash_add(CacheHash *h, const void *data, size_t n)
{
    const unsigned char *p = data;
    uint64_t word;
    for (; n >= sizeof word; n -= sizeof word, p += sizeof word) {
        memcpy(&word, p, sizeof word);
        hash_word(h, word);
    }
    word = n; /* the length counts, too */
    for (size_t i = 0; i < n; i++)
        word = word << 8 | p[i];
    hash_word(h, word);
}

void cache_hash_key(const CacheHash *h, char key[CACHE_KEY])
{
    snprintf(key, CACHE_KEY, "%016llx%016llx", (unsigned long long)h->a, (unsigned long long)h->b);
}

/* ------------------------------------------------------------------ the directory */

/* makes a directory and those above it */
static bool make_directories(char *path)
{
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
            *p = '/';
            if (!made)
                return false;
        }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

const char *cache_directory(char *path, size_t size)
{
    const char *own = getenv("LIEDER_CACHE"), *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    int n;
    if (own && *own)
        n = snprintf(path, size, "%s", own);
    else if (xdg && *xdg == '/')
        n = snprintf(path, size, "%s/lieder", xdg);
    else if (home && *home == '/')
        n = snprintf(path, size, "%s/.cache/lieder", home);
    else
        return "there is no home directory to keep it in; LIEDER_CACHE can name one";
    if (n < 0 || (size_t)n + 128 > size)
        return "the name of the cache directory is too long";
    struct stat s;
    if (!make_directories(path) || lstat(path, &s) != 0 || !S_ISDIR(s.st_mode))
        return "the cache directory cannot be made";
    if (s.st_uid != geteuid())
        return "the cache directory belongs to someone else";
    if (s.st_mode & (S_IWGRP | S_IWOTH))
        return "others may write to the cache directory";
    return NULL;
}

/* ------------------------------------------------------------------ files */

/* writes n bytes, in as many calls as it takes; false: errno is the reason */
static bool write_all(int file, const void *data, size_t n)
{
    const char *p = data;
    while (n) {
        ssize_t written = write(file, p, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        p += written;
        n -= (size_t)written;
    }
    return true;
}

const char *cache_write(const char *path, const char *data, size_t n)
{
    char temporary[CACHE_PATH];
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int file = mkstemp(temporary);
    if (file < 0)
        return "a file cannot be made in the cache directory";
    bool ok = write_all(file, data, n);
    ok &= close(file) == 0;
    if (ok && rename(temporary, path) == 0)
        return NULL;
    unlink(temporary);
    return "a file cannot be written to the cache directory";
}

/* removes a folder of sources that was not completed */
static void remove_sources(const char *directory)
{
    size_t n;
    const Source *list = sources_list(&n);
    char path[CACHE_PATH + 64];
    for (size_t i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, list[i].name);
        unlink(path);
    }
    for (size_t i = 0; i < n; i++) { /* its folders, once they are empty */
        int length = snprintf(path, sizeof path, "%s/%s", directory, list[i].name);
        for (char *p = path + length; p > path + strlen(directory); p--)
            if (*p == '/') {
                *p = 0;
                rmdir(path);
            }
    }
    rmdir(directory);
}

const char *cache_sources(const char *directory, char *path, size_t size)
{
    size_t n;
    const Source *list = sources_list(&n);
    CacheHash hash = cache_hash_start();
    for (size_t i = 0; i < n; i++)
        cache_hash_add(&hash, list[i].begin, (size_t)(list[i].end - list[i].begin));
    char key[CACHE_KEY], temporary[CACHE_PATH], file[CACHE_PATH + 64];
    cache_hash_key(&hash, key);
    snprintf(path, size, "%s/blocks-%s", directory, key);
    struct stat s;
    if (lstat(path, &s) == 0 && S_ISDIR(s.st_mode))
        return NULL; /* it got its name when it was whole */
    snprintf(temporary, sizeof temporary, "%.*s/blocks.XXXXXX", CACHE_PATH - 32, directory);
    if (!mkdtemp(temporary))
        return "a folder cannot be made in the cache directory";
    const char *wrong = NULL;
    for (size_t i = 0; i < n && !wrong; i++) {
        int folder = (int)(strrchr(list[i].name, '/') - list[i].name);
        snprintf(file, sizeof file, "%s/%.*s", temporary, folder, list[i].name);
        make_directories(file);
        snprintf(file, sizeof file, "%s/%s", temporary, list[i].name);
        wrong = cache_write(file, list[i].begin, (size_t)(list[i].end - list[i].begin));
    }
    if (!wrong && rename(temporary, path) == 0)
        return NULL;
    remove_sources(temporary);
    if (lstat(path, &s) == 0 && S_ISDIR(s.st_mode))
        return NULL; /* another process was faster */
    return wrong ? wrong : "a folder cannot be made in the cache directory";
}

/* ------------------------------------------------------------------ seals */

typedef struct Seal {
    char magic[8];
    uint64_t length;
    CacheHash hash;
} Seal;
static const char MAGIC[8] = "lieder1";

/* hash of the first n bytes */
static bool hash_file(int file, uint64_t n, CacheHash *hash)
{
    char block[16384];
    *hash = cache_hash_start();
    while (n) {
        ssize_t got = read(file, block, n < sizeof block ? (size_t)n : sizeof block);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        cache_hash_add(hash, block, (size_t)got);
        n -= (uint64_t)got;
    }
    return true;
}

bool cache_keep(const char *temporary, const char *path)
{
    int file = open(temporary, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    struct stat s;
    if (file < 0)
        return false;
    Seal seal = {.length = 0};
    bool ok = fstat(file, &s) == 0 && hash_file(file, (uint64_t)s.st_size, &seal.hash);
    if (ok) {
        memcpy(seal.magic, MAGIC, sizeof MAGIC);
        seal.length = (uint64_t)s.st_size;
        ok = write_all(file, &seal, sizeof seal);
    }
    ok &= close(file) == 0;
    return ok && chmod(temporary, 0600) == 0 && rename(temporary, path) == 0;
}

bool cache_intact(const char *path)
{
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return false;
    struct stat s;
    Seal seal;
    CacheHash hash;
    bool ok =
        fstat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() &&
        !(s.st_mode & (S_IWGRP | S_IWOTH)) && s.st_size > (off_t)sizeof seal &&
        pread(file, &seal, sizeof seal, s.st_size - (off_t)sizeof seal) == (ssize_t)sizeof seal &&
        memcmp(seal.magic, MAGIC, sizeof MAGIC) == 0 &&
        seal.length == (uint64_t)s.st_size - sizeof seal && hash_file(file, seal.length, &hash) &&
        hash.a == seal.hash.a && hash.b == seal.hash.b;
    close(file);
    return ok;
}
