/* page.c - the bundle that scripts/web.sh made; empty files where npm could not be reached. */
#include "view/page.h"

#define EMBED(id, file)                                                                            \
    __asm__(".pushsection .rodata\n"                                                               \
            ".hidden lieder_page_" #id "\n.hidden lieder_page_end_" #id "\n"                       \
            ".global lieder_page_" #id "\n.global lieder_page_end_" #id "\n"                       \
            "lieder_page_" #id ":\n.incbin \"" LIEDER_WEB "/" file "\"\n"                          \
            "lieder_page_end_" #id ":\n.byte 0\n.popsection\n");                                   \
    extern const unsigned char lieder_page_##id[] __attribute__((visibility("hidden")));           \
    extern const unsigned char lieder_page_end_##id[] __attribute__((visibility("hidden")));

EMBED(index, "index.html.gz")
EMBED(script, "app.js.gz")
EMBED(style, "app.css.gz")

const PageFile page_files[PAGE_PARTS] = {
    [PAGE_INDEX] = {"/", "text/html; charset=utf-8", lieder_page_index, lieder_page_end_index},
    [PAGE_SCRIPT] = {"/app.js", "text/javascript; charset=utf-8", lieder_page_script,
                     lieder_page_end_script},
    [PAGE_STYLE] = {"/app.css", "text/css; charset=utf-8", lieder_page_style,
                    lieder_page_end_style}};

bool page_is_there(void)
{
    return page_files[PAGE_SCRIPT].end > page_files[PAGE_SCRIPT].bytes;
}
