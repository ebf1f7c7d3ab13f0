/* embed.h - a text file of the repository inside the program, where LIEDER_ROOT is its folder:
 *
 *   EMBED(id, "library/file.mo")   defines EMBED_BEGIN(id) and EMBED_END(id)
 */
#ifndef LIEDER_BASE_EMBED_H
#define LIEDER_BASE_EMBED_H

#define EMBED(id, file)                                                                            \
    __asm__(".pushsection .rodata\n"                                                               \
            ".hidden lieder_source_" #id "\n.hidden lieder_source_end_" #id "\n"                   \
            ".global lieder_source_" #id "\n.global lieder_source_end_" #id "\n"                   \
            "lieder_source_" #id ":\n.incbin \"" LIEDER_ROOT "/" file "\"\n"                       \
            "lieder_source_end_" #id ":\n.byte 0\n.popsection\n");                                 \
    extern const char lieder_source_##id[] __attribute__((visibility("hidden")));                  \
    extern const char lieder_source_end_##id[] __attribute__((visibility("hidden")));

#define EMBED_BEGIN(id) lieder_source_##id
#define EMBED_END(id)   lieder_source_end_##id

#endif
