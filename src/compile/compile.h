/* compile.h - the third tier: a shape as one C function, or a large one as kernels for sequences of
 * its ops, compiled by the system's compiler. Runs use the last section, compile.c; the others are
 * its parts, some of which `src/fmi` and `src/cli` use, too. */
#ifndef LIEDER_COMPILE_H
#define LIEDER_COMPILE_H

#include <sys/types.h>

#include "base/text.h"
#include "model/system/system.h"

/* ------------------------------------------------------------------ access.c */

/* Bits of an access. STORED: of a kernel for a sequence; another op reads the result, so that it
 * must be stored. */
enum { ACCESS_READS = 1, ACCESS_WRITES = 2, ACCESS_SETS = 4, ACCESS_STORED = 8 };

/* Calls `visit` for the n places from `place` on that an op reads, may write (WRITES) and is sure
 * to set (SETS, with WRITES). An op reads before it writes. */
typedef void AccessVisit(void *user, uint32_t place, uint32_t n, int how);
void op_accesses(const Program *p, const Op *op, AccessVisit *visit, void *user);

/* ------------------------------------------------------------------ fuse.c */

/* One kernel for a sequence of ops. The ops work on a local record: the alarm, zeros, then the
 * blocks. */
typedef struct FusedKernel {
    Program part;           /* used: at, isa, lanes, zero, nzero and nreal of the local record */
    OpList ops;             /* at[] in part; components of the first instance */
    VEC(uint32_t) blocks;   /* where they start in the local record */
    VEC(uint32_t) argument; /* by block: where it stands in at[] of an instance, or NOWHERE */
    uint32_t narguments;
    VEC(uint8_t) how;  /* by place of the local record: ACCESS_... */
    VEC(double) known; /* by place: the number that it always has in all instances, or NaN */
} FusedKernel;

typedef struct Fusion {
    VEC(FusedKernel) kernels;
    /* the lists of the shape; an op without code is a sequence: its component is the number of its
     * kernel */
    Fused fused;
} Fusion;

/* known: numbers of places that never change; those that no kernel contains are removed. False:
 * memory ran out. Without kernels in *fusion nothing recurs. */
bool fusion_make(const Program *p, KnownList *known, Fusion *fusion, const LiederAllocator *alloc);
void fusion_drop(Fusion *fusion, const LiederAllocator *alloc);

/* ------------------------------------------------------------------ generate.c */

/* ops: beyond the first a compiler takes more than half a second, beyond the second too long */
enum { COMPILE_SOON_OPS = 60, COMPILE_MAX_OPS = 600 };

/* why blocks of a shape cannot be written as C, or NULL */
const char *shape_without_text(const SystemShape *ss);
/* why a shape stays with the precompiled kernels, or NULL */
const char *shape_uncompilable(const SystemShape *ss);
/* the form of generated code: "function", "sequences", or "-": none */
const char *shape_form(const SystemShape *ss);
/* length of the function for a whole shape */
size_t shape_ops(const SystemShape *ss);
/* false: memory ran out. `blocks`: includes the classes of the shape even if the function does not
 * call their blocks */
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

/* a text inside the program: its name in #include, and its bytes */
typedef struct Source {
    const char *name, *begin, *end;
} Source;
const Source *sources_list(size_t *n);

/* ------------------------------------------------------------------ cache.c */

enum { CACHE_KEY = 33, CACHE_PATH = 4096 };

/* A hash of 128 bits. Collisions are improbable but can be constructed: the directory belongs to
 * the user alone. */
typedef struct CacheHash {
    uint64_t a, b;
} CacheHash;
CacheHash cache_hash_start(void);
void cache_hash_add(CacheHash *h, const void *data, size_t n);
void cache_hash_key(const CacheHash *h, char key[CACHE_KEY]);

/* The user's directory for compiled shapes ($LIEDER_CACHE, $XDG_CACHE_HOME/lieder or
 * ~/.cache/lieder), made if it is not there. It must belong to the user and be writable for no
 * other one. Returns NULL, or what is wrong with it. */
const char *cache_directory(char *path, size_t size);
/* path: the directory of the blocks' texts, for the compiler's -I; written if it is not there.
 * Returns NULL, or what is wrong */
const char *cache_sources(const char *directory, char *path, size_t size);
/* writes a file, which gets its name when it is whole; returns NULL, or what is wrong */
const char *cache_write(const char *path, const char *data, size_t n);
/* gives a compiled file its seal and its name; false: that failed */
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
/* Takes over code that is ready, which is used from now on, and starts further compilers. True: all
 * have ended. Not while another thread evaluates the system. */
bool compilation_poll(Compilation *c);
/* stops compilers that still run, reports the first failure as a warning; c may be NULL */
void compilation_end(Compilation *c);

#endif
