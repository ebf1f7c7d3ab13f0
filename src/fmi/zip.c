/* zip.c - archives: files deflated by zlib, one after the other, then a directory of them (PKWARE's
 * APPNOTE 6.3). Without dates, so that equal contents give equal bytes; names are UTF-8. Below 4
 * GiB; that is checked. */
#include "fmi/fmi.h"

#include <string.h>
#include <zlib.h>

enum { LOCAL_HEAD = 0x04034b50, CENTRAL_HEAD = 0x02014b50, END_HEAD = 0x06054b50 };
enum { ZIP_VERSION = 20, UTF8_NAMES = 1 << 11, DEFLATED = 8, DATE_1980 = 0x21 };

/* ------------------------------------------------------------------ bytes, the least first */

static void put(Zip *zip, TextBuffer *to, uint32_t value, int n)
{
    for (int i = 0; i < n && !zip->failed; i++)
        zip->failed = !vec_push(zip->alloc, to, (char)(value >> (8 * i)));
}

static void put_bytes(Zip *zip, TextBuffer *to, const void *data, size_t n)
{
    zip->failed = zip->failed || !vec_reserve(zip->alloc, to, to->n + n + 1);
    if (zip->failed)
        return;
    memcpy(to->items + to->n, data, n);
    to->n += n;
}

/* ------------------------------------------------------------------ writing */

static voidpf take_block(voidpf alloc, uInt n, uInt size)
{
    return memory_zeroed(alloc, (size_t)n * size + 16);
}

/* zlib tells no size; its blocks are freed by their size, which stands before them */
static voidpf take_sized(voidpf alloc, uInt n, uInt size)
{
    size_t bytes = (size_t)n * size + 16;
    char *block = take_block(alloc, n, size);
    if (!block)
        return NULL;
    memcpy(block, &bytes, sizeof bytes);
    return block + 16;
}

static void give(voidpf alloc, voidpf block)
{
    size_t bytes;
    char *begin = (char *)block - 16;
    memcpy(&bytes, begin, sizeof bytes);
    memory_free(alloc, begin, bytes);
}

/* raw deflate of all bytes; false: no memory */
static bool deflate_all(const LiederAllocator *alloc, const void *data, size_t n, TextBuffer *to)
{
    z_stream s = {.zalloc = take_sized, .zfree = give, .opaque = (voidpf)alloc};
    if (deflateInit2(&s, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    bool ok = vec_resize(alloc, to, deflateBound(&s, (uLong)n));
    if (ok) {
        s.next_in = (Bytef *)data;
        s.avail_in = (uInt)n;
        s.next_out = (Bytef *)to->items;
        s.avail_out = (uInt)to->n;
        ok = deflate(&s, Z_FINISH) == Z_STREAM_END;
        to->n = s.total_out;
    }
    deflateEnd(&s);
    return ok;
}

/* the fields that a file has in front of it and in the directory */
static void put_entry(Zip *zip, TextBuffer *to, uint32_t crc, size_t packed, size_t n, size_t name)
{
    put(zip, to, ZIP_VERSION, 2);
    put(zip, to, UTF8_NAMES, 2);
    put(zip, to, DEFLATED, 2);
    put(zip, to, 0, 2);
    put(zip, to, DATE_1980, 2);
    put(zip, to, crc, 4);
    put(zip, to, (uint32_t)packed, 4);
    put(zip, to, (uint32_t)n, 4);
    put(zip, to, (uint32_t)name, 2);
    put(zip, to, 0, 2);
}

void zip_add(Zip *zip, const char *name, const void *data, size_t n)
{
    TextBuffer packed = {0};
    size_t length = strlen(name), at = zip->bytes.n;
    zip->failed = zip->failed || n > UINT32_MAX / 2 || at > UINT32_MAX / 2 ||
                  !deflate_all(zip->alloc, data, n, &packed);
    uint32_t crc = (uint32_t)crc32(0, data, (uInt)n);
    put(zip, &zip->bytes, LOCAL_HEAD, 4);
    put_entry(zip, &zip->bytes, crc, packed.n, n, length);
    put_bytes(zip, &zip->bytes, name, length);
    put_bytes(zip, &zip->bytes, packed.items, packed.n);
    put(zip, &zip->directory, CENTRAL_HEAD, 4);
    put(zip, &zip->directory, ZIP_VERSION, 2);
    put_entry(zip, &zip->directory, crc, packed.n, n, length);
    put(zip, &zip->directory, 0, 4); /* comment, disk */
    put(zip, &zip->directory, 0, 2);
    put(zip, &zip->directory, 0, 4);
    put(zip, &zip->directory, (uint32_t)at, 4);
    put_bytes(zip, &zip->directory, name, length);
    zip->n++;
    vec_drop(zip->alloc, &packed);
}

bool zip_end(Zip *zip)
{
    size_t at = zip->bytes.n;
    put_bytes(zip, &zip->bytes, zip->directory.items, zip->directory.n);
    put(zip, &zip->bytes, END_HEAD, 4);
    put(zip, &zip->bytes, 0, 4);
    put(zip, &zip->bytes, (uint32_t)zip->n, 2);
    put(zip, &zip->bytes, (uint32_t)zip->n, 2);
    put(zip, &zip->bytes, (uint32_t)zip->directory.n, 4);
    put(zip, &zip->bytes, (uint32_t)at, 4);
    put(zip, &zip->bytes, 0, 2);
    return !zip->failed;
}

void zip_drop(Zip *zip)
{
    vec_drop(zip->alloc, &zip->bytes);
    vec_drop(zip->alloc, &zip->directory);
}
