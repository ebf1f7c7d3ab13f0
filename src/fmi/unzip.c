/* unzip.c - reads archives, which may be hostile, since FMUs come from anywhere.
 *
 * Names must stay below the folder (no "..", no absolute path, no backslash), links are refused,
 * and sizes are limited in all and by entry, by the directory and again while inflating; a file
 * that exists is never overwritten. An error is one sentence that names the entry. */
#include "fmi/fmi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"

enum { CENTRAL = 0x02014b50, LOCAL = 0x04034b50, END = 0x06054b50 };
enum { CENTRAL_SIZE = 46, LOCAL_SIZE = 30, END_SIZE = 22, LONGEST_COMMENT = 65535 };
enum { STORED = 0, DEFLATED = 8, UNIX_LINK = 0120000, UNIX_TYPE = 0170000 };
/* an archive, an entry, all entries */
static const size_t MAX_ARCHIVE = (size_t)1 << 30, MAX_ENTRY = (size_t)1 << 30,
                    MAX_ALL = (size_t)1 << 31;
/* entries beyond LARGE may be packed by this ratio at most: others are made to fill disks */
static const size_t LARGE = (size_t)32 << 20, MAX_RATIO = 300;

__attribute__((format(printf, 2, 3))) static bool fail(Unzip *u, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(u->wrong, sizeof u->wrong, format, arguments);
    va_end(arguments);
    return false;
}

/* ------------------------------------------------------------------ bytes */

static uint32_t get_number(const unsigned char *at, int n)
{
    uint32_t value = 0;
    for (int i = n; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

/* the archive as bytes; false after keeping the reason */
static bool read_all(Unzip *u, const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe does not hang */
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        if (fd >= 0)
            close(fd);
        return fail(u, "%s", fd < 0 ? strerror(errno) : "it is no file");
    }
    size_t size = (size_t)st.st_size, done = 0;
    bool ok = size <= MAX_ARCHIVE || fail(u, "it is larger than %zu bytes", MAX_ARCHIVE);
    ok = ok && (vec_resize(u->alloc, &u->bytes, size) || fail(u, "not enough memory"));
    while (ok && done < size) {
        ssize_t n = read(fd, u->bytes.items + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        ok =
            n > 0 || fail(u, "it cannot be read: %s", n < 0 ? strerror(errno) : "it ends too soon");
        done += n > 0 ? (size_t)n : 0;
    }
    close(fd);
    return ok;
}

/* ------------------------------------------------------------------ the directory */

/* a name that stays below the folder */
static bool name_is_safe(const char *name)
{
    if (!*name || *name == '/' || strchr(name, '\\') || (name[0] && name[1] == ':'))
        return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        size_t n = strcspn(part, "/");
        if ((n == 2 && memcmp(part, "..", 2) == 0) || (n == 1 && *part == '.'))
            return false;
        if (!part[0])
            break;
    }
    return true;
}

/* one entry of the directory; *at moves on */
static bool read_entry(Unzip *u, size_t *at, size_t end)
{
    const unsigned char *bytes = (const unsigned char *)u->bytes.items, *c = bytes + *at;
    if (end - *at < CENTRAL_SIZE || get_number(c, 4) != CENTRAL)
        return fail(u, "its directory is damaged");
    size_t length = get_number(c + 28, 2), extra = get_number(c + 30, 2),
           comment = get_number(c + 32, 2);
    if (end - *at - CENTRAL_SIZE < length + extra + comment)
        return fail(u, "its directory is damaged");
    UnzipEntry e = {.method = (int)get_number(c + 10, 2),
                    .crc = get_number(c + 16, 4),
                    .packed = get_number(c + 20, 4),
                    .size = get_number(c + 24, 4),
                    .at = get_number(c + 42, 4)};
    if (length >= sizeof e.name || memchr(c + CENTRAL_SIZE, 0, length))
        return fail(u, "a name in it is too long");
    memcpy(e.name, c + CENTRAL_SIZE, length);
    if (!name_is_safe(e.name))
        return fail(u, "the entry '%s' would lie outside of its folder", e.name);
    if ((get_number(c + 38, 4) >> 16 & UNIX_TYPE) == UNIX_LINK)
        return fail(u, "the entry '%s' is a link", e.name);
    if (get_number(c + 8, 2) & 1)
        return fail(u, "the entry '%s' is encrypted", e.name);
    if (e.method != STORED && e.method != DEFLATED)
        return fail(u, "the entry '%s' is packed by method %d, which is not known", e.name,
                    e.method);
    if (e.size > LARGE && e.packed < e.size / MAX_RATIO)
        return fail(u, "the entry '%s' has %zu bytes, packed into %zu: no data of a model is that",
                    e.name, e.size, e.packed);
    if (e.size > MAX_ENTRY || u->total + e.size > MAX_ALL)
        return fail(u, "the entry '%s' has %zu bytes, which is too much", e.name, e.size);
    u->total += e.size;
    *at += CENTRAL_SIZE + length + extra + comment;
    return vec_push(u->alloc, &u->entries, e) || fail(u, "not enough memory");
}

/* finds the end record behind any comment, then reads the entries it counts */
static bool read_directory(Unzip *u)
{
    const unsigned char *bytes = (const unsigned char *)u->bytes.items;
    size_t n = u->bytes.n, at = n < END_SIZE ? 0 : n - END_SIZE;
    size_t first = at > LONGEST_COMMENT ? at - LONGEST_COMMENT : 0;
    if (n < END_SIZE)
        return fail(u, "it is no archive");
    while (get_number(bytes + at, 4) != END) {
        if (at == first)
            return fail(u, "it is no archive");
        at--;
    }
    size_t count = get_number(bytes + at + 10, 2), size = get_number(bytes + at + 12, 4),
           begin = get_number(bytes + at + 16, 4);
    if (begin > at || size > at - begin)
        return fail(u, "its directory is damaged");
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++)
        ok = read_entry(u, &begin, at);
    return ok;
}

bool unzip_open(Unzip *u, const LiederAllocator *alloc, const char *path)
{
    *u = (Unzip){.alloc = alloc};
    return read_all(u, path) && read_directory(u);
}

void unzip_close(Unzip *u)
{
    if (!u->alloc)
        return;
    vec_drop(u->alloc, &u->bytes);
    vec_drop(u->alloc, &u->entries);
}

const UnzipEntry *unzip_find(const Unzip *u, const char *name)
{
    for (size_t i = 0; i < u->entries.n; i++)
        if (strcmp(u->entries.items[i].name, name) == 0)
            return &u->entries.items[i];
    return NULL;
}

/* ------------------------------------------------------------------ entries */

/* unpacks an entry of known size; false: it is damaged */
static bool inflate_entry(Unzip *u, const UnzipEntry *e, const unsigned char *from, TextBuffer *to)
{
    z_stream s = {0};
    if (inflateInit2(&s, -MAX_WBITS) != Z_OK)
        return fail(u, "not enough memory");
    s.next_in = (Bytef *)from;
    s.avail_in = (uInt)e->packed;
    s.next_out = (Bytef *)to->items;
    s.avail_out = (uInt)e->size;
    int status = inflate(&s, Z_FINISH);
    /* a full buffer and nothing left to say is an end, too */
    bool ok = s.total_out == e->size && (status == Z_STREAM_END || e->size == 0);
    inflateEnd(&s);
    return ok || fail(u, "the entry '%s' is damaged", e->name);
}

bool unzip_read(Unzip *u, const UnzipEntry *e, TextBuffer *to)
{
    const unsigned char *bytes = (const unsigned char *)u->bytes.items;
    size_t n = u->bytes.n;
    if (e->at > n || n - e->at < LOCAL_SIZE || get_number(bytes + e->at, 4) != LOCAL)
        return fail(u, "the entry '%s' is damaged", e->name);
    size_t skip =
        LOCAL_SIZE + get_number(bytes + e->at + 26, 2) + get_number(bytes + e->at + 28, 2);
    if (n - e->at < skip || n - e->at - skip < e->packed)
        return fail(u, "the entry '%s' is damaged", e->name);
    if (!vec_resize(u->alloc, to, e->size + 1))
        return fail(u, "not enough memory");
    to->n = e->size;
    const unsigned char *from = bytes + e->at + skip;
    if (e->method == DEFLATED && !inflate_entry(u, e, from, to))
        return false;
    if (e->method == STORED && e->packed != e->size)
        return fail(u, "the entry '%s' is damaged", e->name);
    if (e->method == STORED)
        memcpy(to->items, from, e->size);
    to->items[e->size] = 0;
    if (crc32(0, (const Bytef *)to->items, (uInt)e->size) != e->crc)
        return fail(u, "the entry '%s' is damaged", e->name);
    return true;
}

/* makes the folders of a file and the file, which must be new */
static bool write_entry(Unzip *u, const char *folder, const UnzipEntry *e, const TextBuffer *text)
{
    char path[FILE_PATH];
    for (const char *slash = strchr(e->name, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof path, "%s/%.*s", folder, (int)(slash - e->name), e->name);
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return fail(u, "%s: %s", path, strerror(errno));
    }
    if (e->name[strlen(e->name) - 1] == '/')
        return true;
    if (snprintf(path, sizeof path, "%s/%s", folder, e->name) >= (int)sizeof path)
        return fail(u, "the name of '%s' is too long", e->name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0700);
    size_t done;
    int error = fd < 0 ? errno : file_write(fd, -1, text->items, text->n, &done);
    if (fd >= 0 && close(fd) != 0 && !error)
        error = errno;
    return !error || fail(u, "%s: %s", path, strerror(error));
}

bool unzip_extract(Unzip *u, const char *folder, const char *below)
{
    TextBuffer text = {0};
    bool ok = true;
    for (size_t i = 0; i < u->entries.n && ok; i++) {
        const UnzipEntry *e = &u->entries.items[i];
        if (strncmp(e->name, below, strlen(below)) != 0)
            continue;
        bool is_folder = e->name[strlen(e->name) - 1] == '/';
        ok = (is_folder || unzip_read(u, e, &text)) && write_entry(u, folder, e, &text);
    }
    vec_drop(u->alloc, &text);
    return ok;
}
