/* load.h - files and folders to classes at their place in the tree of packages. */
#ifndef LIEDER_FRONT_LOAD_H
#define LIEDER_FRONT_LOAD_H

#include "front/instance/semantic.h"

LiederStatus load_text(Front *f, const char *name, const char *text, size_t length);
/* a file that the model is made of: see front_file_read */
void note_read(Front *f, const char *path);
LiederStatus load_path(Front *f, const char *path);
/* fmu.c: components of the class FMU get classes made for their files */
void fmu_components(Front *f, const SyntaxFile *file);
/* see front_last_model */
const char *load_last_model(Front *f);
/* reads the file of a class that is known by its name alone so far */
void load_pending(Front *f, Class *class_);
/* looks for a package or class in the library folders and puts it at the top; false: there is none
 */
bool load_from_libraries(Front *f, const char *name);
/* the file that "Library/Resources/x" of modelica://Library/Resources/x means; false: there is no
 * such library */
bool load_resource(Front *f, const char *uri, char *path, size_t size);
/* "looked for it in A, B" or what to do to have it looked for */
const char *load_places(const Front *f, char *buffer, size_t size);

#endif
