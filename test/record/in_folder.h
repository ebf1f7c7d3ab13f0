/* in_folder.h - for tests that write files: a folder while a group of them runs. */
#ifndef TEST_RECORD_IN_FOLDER_H
#define TEST_RECORD_IN_FOLDER_H

#include "help.h"

static char *folder;

static inline int enter(void **unused)
{
    (void)unused;
    folder = scratch_create();
    return 0;
}

static inline int leave(void **unused)
{
    (void)unused;
    scratch_destroy(folder);
    return 0;
}

#endif
