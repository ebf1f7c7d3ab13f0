/* view_save.c - the page and a run as one file that a browser opens from the disk.
 *
 * The file holds the same bytes as the server would send, as base64 of gzip: style, script, and one
 * message with every column (view.h); and the diagram. A few lines of script unpack them. The
 * policy of the file forbids every connection.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/file.h"
#include "base/json.h"
#include "cli/view.h"
#include "view/page.h"

static void write_base64(FILE *to, const unsigned char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        unsigned v = (unsigned)bytes[i] << 16 | (i + 1 < n ? bytes[i + 1] << 8 : 0) |
                     (i + 2 < n ? bytes[i + 2] : 0);
        fputc(digits[v >> 18], to);
        fputc(digits[v >> 12 & 63], to);
        fputc(i + 1 < n ? digits[v >> 6 & 63] : '=', to);
        fputc(i + 2 < n ? digits[v & 63] : '=', to);
    }
}

static void write_part(FILE *to, const char *id, const unsigned char *bytes, size_t n)
{
    fprintf(to, "<script type=\"text/plain\" id=\"lieder-%s\">", id);
    write_base64(to, bytes, n);
    fputs("</script>\n", to);
}

/* gzip of the message; NULL: out of memory */
static unsigned char *compress_message(const char *bytes, size_t n, size_t *length)
{
    z_stream z = {0};
    if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    size_t room = deflateBound(&z, n);
    unsigned char *to = malloc(room ? room : 1);
    bool good = to && n <= UINT32_MAX && room <= UINT32_MAX;
    if (good) {
        z.next_in = (unsigned char *)bytes;
        z.avail_in = (uInt)n;
        z.next_out = to;
        z.avail_out = (uInt)room;
        good = deflate(&z, Z_FINISH) == Z_STREAM_END;
        *length = z.total_out;
    }
    deflateEnd(&z);
    if (!good)
        free(to);
    return good ? to : NULL;
}

/* text with the characters escaped that HTML would take for its own */
static void write_title(FILE *to, const char *title)
{
    for (; *title; title++)
        switch (*title) {
        case '<':
            fputs("&lt;", to);
            break;
        case '&':
            fputs("&amp;", to);
            break;
        default:
            fputc(*title, to);
        }
}

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
    "'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n<title>";

/* unpacks style, data and script, in this order, and starts */
static const char loader[] =
    "<script>\n"
    "(async () => {\n"
    "  const unpack = async (id) => {\n"
    "    const text = atob(document.getElementById(\"lieder-\" + id).textContent);\n"
    "    const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));\n"
    "    const stream = new Blob([bytes]).stream().pipeThrough(new "
    "DecompressionStream(\"gzip\"));\n"
    "    return new Response(stream).arrayBuffer();\n"
    "  };\n"
    "  if (!window.DecompressionStream) {\n"
    "    document.body.textContent = \"This page needs a browser of 2023 or later.\";\n"
    "    return;\n"
    "  }\n"
    "  const put = (tag, text) => {\n"
    "    document.head.appendChild(Object.assign(document.createElement(tag), {textContent: "
    "text}));\n"
    "  };\n"
    "  put(\"style\", new TextDecoder().decode(await unpack(\"style\")));\n"
    "  window.liederSaved = await unpack(\"data\");\n"
    "  window.liederDiagram = new TextDecoder().decode(await unpack(\"diagram\"));\n"
    "  put(\"script\", new TextDecoder().decode(await unpack(\"script\")));\n"
    "})();\n"
    "</script>\n</body>\n</html>\n";

/* packs the bytes, which it takes, as a part of the page; false: out of memory */
static bool write_packed(FILE *to, const char *id, char *bytes, size_t n)
{
    size_t length = 0;
    unsigned char *packed = bytes ? compress_message(bytes, n, &length) : NULL;
    free(bytes);
    if (packed)
        write_part(to, id, packed, length);
    free(packed);
    return packed;
}

/* one HTML file: style, script, data and diagram, the last two packed */
static bool write_page(FILE *to, const ViewOptions *o, const Log *log, const ViewRun *run)
{
    char *bytes;
    size_t n;
    if (!view_write(run, &(ViewWanted){.parts = true}, &bytes, &n))
        return false;
    fputs(head, to);
    write_title(to, run->title);
    fputs("</title>\n</head>\n<body>\n<div id=\"app\"></div>\n", to);
    static const struct {
        const char *id;
        PagePart part;
    } parts[] = {{"style", PAGE_STYLE}, {"script", PAGE_SCRIPT}};
    for (int i = 0; i < 2; i++) {
        const PageFile *f = &page_files[parts[i].part];
        write_part(to, parts[i].id, f->bytes, (size_t)(f->end - f->bytes));
    }
    bool good = write_packed(to, "data", bytes, n);
    bytes = good ? view_diagram(o, log, &n) : NULL;
    good = good && write_packed(to, "diagram", bytes, n);
    fputs(loader, to);
    return good;
}

ExitCode view_save(const ViewOptions *o, Log *log, const ViewRun *run)
{
    NewFile f;
    char reason[FILE_REASON];
    int error = new_file_open(&f, o->save, FILE_STREAMS);
    FILE *to = error ? NULL : new_file_stream(&f);
    bool good = to && write_page(to, o, log, run);
    if (to && (ferror(to) || fflush(to) != 0))
        error = EIO;
    if (to)
        fclose(to);
    if (!error && good)
        error = new_file_publish(&f);
    int closed = new_file_close(&f);
    if (error || closed) {
        log_error(log, "cannot write %s: %s", o->save, file_reason(error ? error : closed, reason));
        return EXIT_IO;
    }
    if (!good) {
        log_error(log, "out of memory for %s", o->save);
        return EXIT_SIMULATION;
    }
    if (!log->quiet && !log->json)
        printf("%s: %zu rows of time and %zu variables; a browser opens it from the disk\n",
               o->save, view_row_count(run), run->selection.list.n);
    return EXIT_DONE;
}
