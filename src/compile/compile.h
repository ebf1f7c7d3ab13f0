/* compile.h - the third tier: a shape as one C function, or a large one as kernels for sequences
 * of its ops, compiled by the system's compiler.
 *
 *   generate.c   the text for a shape, or for sequences of ops that recur in it
 *   fuse.c       these sequences; fuse_kernel.c: their kernels
 *   access.c     what an op reads and writes
 *   sources.c    the blocks of the library as texts, which the generated file includes
 *   cache.c      files in the user's cache directory that can be trusted
 *   compile.c    compilers as child processes, and loading what they made
 */
#ifndef LIEDER_COMPILE_H
#define LIEDER_COMPILE_H

#include <sys/types.h>

#include "base/text.h"
#include "model/system/system.h"

/* ------------------------------------------------------------------ access.c */

/* STORED: what a kernel for a sequence has written is read by another op */
enum { ACCESS_READS = 1, ACCESS_WRITES = 2, ACCESS_SETS = 4, ACCESS_STORED = 8 };

/* Tells which places an op reads, may write and (with WRITES) is sure to set. Reads come before
 * writes. */
typedef void AccessSeen(void *user, uint32_t place, uint32_t n, int how);
void op_accesses(const Program *p, const Op *op, AccessSeen *see, void *user);

/* ------------------------------------------------------------------ fuse.c */

/* One kernel for a sequence of ops. The ops work on a local record: the alarm, zeros, then the
 * blocks. */
typedef struct FusedKernel {
    Program part;           /* of it at, isa and the size of the local record */
    OpList ops;             /* at[] in part; components of the first instance */
    VEC(uint32_t) blocks;   /* where they start in the local record */
    VEC(uint32_t) argument; /* by block: where it stands in at[] of an instance, or NOWHERE */
    uint32_t narguments;
    VEC(uint8_t) how;  /* by place of the local record: ACCESS_... */
    VEC(double) known; /* by place: what it is for good in all instances, or NaN */
} FusedKernel;

typedef struct Fusion {
    VEC(FusedKernel) kernels;
    Fused fused; /* ops without a kernel get that with the number of their component */
} Fusion;

/* Of what is known those are kept that kernels take for granted. False: memory ran out. No kernels:
 * nothing recurs. */
bool fusion_make(const Program *p, KnownList *known, Fusion *fusion, const LiederAllocator *alloc);
void fusion_drop(Fusion *fusion, const LiederAllocator *alloc);

/* ------------------------------------------------------------------ generate.c */

/* ops: beyond the first a compiler takes more than half a second, beyond the second too long */
enum { COMPILE_SOON_OPS = 60, COMPILE_MAX_OPS = 600 };

/* why blocks of a shape cannot be written as C, or NULL */
const char *shape_without_text(const SystemShape *ss);
/* why a shape stays with the precompiled kernels, or NULL */
const char *shape_uncompilable(const SystemShape *ss);
/* what a compiler would be given: "function", "sequences", or "-": nothing */
const char *shape_form(const SystemShape *ss);
/* length of the function for a whole shape */
size_t shape_ops(const SystemShape *ss);
/* false: memory ran out. `blocks`: the file needs the classes of the shape for other things, too */
bool shape_generate(const LiederSystem *system, const SystemShape *ss, bool blocks, TextBuffer *to);
/* parts of such texts: the classes of a program; the C call of an op, "Body_inward_one(rec, at,
 * call, 1)"; the complements of a program on a record that stands in memory */
bool head_generate(const LiederSystem *system, const Program *p, TextBuffer *to);
const char *op_call(const Program *p, const Op *op, char *text, size_t size);
bool complements_generate(const LiederSystem *system, const SystemShape *ss, const Program *p,
                          TextBuffer *to);
bool fusion_generate(const LiederSystem *system, const SystemShape *ss, const Fusion *fusion,
                     TextBuffer *to);

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

/* the system's C compiler, or "" */
void compiler_find(char *path, size_t size);

/* Starts to compile the shapes of a system, the most laborious first; those that are in the cache
 * are loaded at once. `share`: shapes with less than this part of the work are left out. NULL:
 * memory ran out. */
Compilation *compilation_begin(LiederSystem *system, double share);
/* Takes up what is ready: from now on it is used. True: all is done. Not while another thread
 * evaluates the system. */
bool compilation_poll(Compilation *c);
/* what did not work becomes one warning; compilers still at work are stopped */
void compilation_end(Compilation *c);

#endif
