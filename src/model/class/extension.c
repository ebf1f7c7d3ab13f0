/* extension.c - classes of shared libraries: LIEDER_EXTENSION in component.h. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <lieder/load.h>

#include "model/class/session.h"

/* what the library was built with must be what this program was built with */
static bool extension_fits(Lieder *session, const char *path, const LiederExtension *e)
{
    static const LiederExtension own = {.version = LIEDER_EXTENSION_VERSION,
                                        .sizes = LIEDER_EXTENSION_SIZES};
    if (e->version != own.version) {
        diag_error(&session->diag, NULL, path,
                   "was built for version %d of lieder/component.h, this program has version %d\n"
                   "build it again with the headers of this program",
                   e->version, own.version);
        return false;
    }
    if (memcmp(e->sizes, own.sizes, sizeof own.sizes) == 0)
        return true;
    diag_error(&session->diag, NULL, path,
               "was built with other headers than this program, although they have the same "
               "version\nbuild it again with the headers of this program");
    return false;
}

static LiederStatus register_all(Lieder *session, const char *path, const LiederExtension *e)
{
    if (!extension_fits(session, path, e))
        return LIEDER_BAD_USE;
    LiederStatus status = LIEDER_DONE;
    for (const LiederClassDef *const *class_ = e->classes; *class_ && status == LIEDER_DONE;
         class_++)
        status = lieder_class_register(session, *class_);
    return status;
}

static void close_library(void *library)
{
    dlclose(library);
}

LiederStatus lieder_extension_load(Lieder *session, const char *path)
{
    char here[4096];
    snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path);
    /* opening a pipe would wait until another program writes to it */
    struct stat s;
    bool other = stat(here, &s) == 0 && !S_ISREG(s.st_mode);
    void *library = other ? NULL : dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *problem = other ? "it is no regular file" : dlerror();
        diag_error(&session->diag, NULL, path,
                   "cannot be loaded: %s\ngive the path of a shared library with component classes",
                   problem ? problem : "unknown problem");
        return LIEDER_IO;
    }
    const LiederExtension *e = dlsym(library, "lieder_extension");
    LiederStatus status = LIEDER_BAD_USE;
    if (!e)
        diag_error(&session->diag, NULL, path,
                   "has no symbol lieder_extension\nname its classes by LIEDER_EXTENSION(...), see "
                   "lieder/component.h");
    else
        status = register_all(session, path, e);
    /* registered classes point into it, also those before one that was refused */
    if (!e) {
        dlclose(library);
    } else if (!session_adopt(session, library, close_library)) {
        session->no_memory = true;
        return LIEDER_NO_MEMORY; /* stays loaded */
    }
    return status;
}
