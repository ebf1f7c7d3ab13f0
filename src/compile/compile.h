/* compile.h - the third tier: a shape as one C function, compiled by the system's compiler.
 *
 *   generate.c   the text for a shape
 *   sources.c    the blocks of the library as texts, which the generated file includes
 *   cache.c      files in the user's cache directory that can be trusted
 *   compile.c    compilers as child processes, and loading what they made
 */
#ifndef LIEDER_COMPILE_H
#define LIEDER_COMPILE_H

#include <sys/types.h>

#include "base/text.h"
#include "model/system.h"

/* ------------------------------------------------------------------ generate.c */

enum { COMPILE_MOST_OPS = 600 }; /* beyond that a compiler takes too long */

/* why a shape stays with the precompiled kernels, or NULL */
const char *shape_uncompilable(const SystemShape *ss);
/* false: memory ran out */
bool shape_generate(const LiederSystem *system, const SystemShape *ss, TextBuffer *to);

/* ------------------------------------------------------------------ sources.c */

typedef struct Source {
    const char *name, *begin, *end;
} Source;
const Source *sources_list(size_t *n);

/* ------------------------------------------------------------------ cache.c */

enum { CACHE_KEY = 33, CACHE_PATH = 4096 };

/* 128 bits as text; collisions are excluded by chance, not against an enemy: the directory is ours
 */
typedef struct CacheHash {
    uint64_t a, b;
} CacheHash;
CacheHash cache_hash_start(void);
void cache_hash_add(CacheHash *h, const void *data, size_t n);
void cache_hash_key(const CacheHash *h, char key[CACHE_KEY]);

/* The user's directory for compiled shapes ($LIEDER_CACHE, $XDG_CACHE_HOME/lieder or
 * ~/.cache/lieder), made if it is not there. It must belong to the user and be writable to no
 * one else. NULL, or what is wrong with it. */
const char *cache_directory(char *path, size_t size);
/* directory of the blocks' texts, for the compiler's -I; written if it is not there */
const char *cache_sources(const char *directory, char *path, size_t size);
/* A file becomes visible under its final name when it is whole. */
const char *cache_write(const char *path, const char *data, size_t n);
/* gives a compiled file its seal and its name; false: could not */
bool cache_keep(const char *temporary, const char *path);
/* whether the file is there, whole, and belongs to the user */
bool cache_intact(const char *path);

/* ------------------------------------------------------------------ compile.c */

typedef struct Compilation Compilation;

/* Starts to compile the shapes of a system, the most laborious first; those that are in the cache
 * are loaded at once. `share`: shapes with less than this part of the work are left out. NULL:
 * memory ran out. */
Compilation *compilation_begin(LiederSystem *system, double share);
/* Takes up what is ready: from now on it is used. True: all is done. Not while another thread
 * evaluates the system. */
bool compilation_poll(Compilation *c);
void compilation_wait(Compilation *c);
/* what did not work becomes one warning; compilers still at work are stopped */
void compilation_end(Compilation *c);

#endif
