/* page.h - the files of the page, compressed, inside the program: web/ has their sources. */
#ifndef LIEDER_VIEW_PAGE_H
#define LIEDER_VIEW_PAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct PageFile {
    const char *path; /* "/app.js" */
    const char *type;
    const unsigned char *bytes, *end; /* gzip */
} PageFile;

typedef enum PagePart { PAGE_INDEX, PAGE_SCRIPT, PAGE_STYLE, PAGE_PARTS } PagePart;
extern const PageFile page_files[PAGE_PARTS];

/* false: npm could not be reached when the program was built */
bool page_is_there(void);

#endif
