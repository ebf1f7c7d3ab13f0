/* describe.c - the classes of the library that are Modelica text, for a reader: names and texts as
 * a list, and a class as it is written. */
#include <string.h>

#include "front/front.h"
#include "front/semantic.h"

/* what a list shows: classes that can be used in a model, and the connectors between them */
static bool is_shown(const Front *f, const Class *class_)
{
    return class_->spot.file != f->library && !class_->partial &&
           (class_->kind == CLASS_MODEL || class_->kind == CLASS_BLOCK ||
            class_->kind == CLASS_CONNECTOR || class_->kind == CLASS_FUNCTION);
}

/* the classes in one, the class itself first; `name` has its full name in front of `at` */
static void visit_class(const Front *f, const Class *class_, char *name, size_t at, size_t size,
                        FrontVisit *visit, void *user)
{
    int n = snprintf(name + at, size - at, "%s%s", at ? "." : "", class_->name);
    if (n < 0 || at + (size_t)n >= size)
        return;
    if (is_shown(f, class_))
        visit(user, name, class_->comment.text);
    if (class_->kind != CLASS_PACKAGE)
        return;
    for (size_t i = 0; i < class_->elements.n; i++)
        if (class_->elements.items[i]->kind == EL_CLASS)
            visit_class(f, class_->elements.items[i]->class_, name, at + (size_t)n, size, visit,
                        user);
    name[at] = '\0';
}

void front_visit_library(const Front *f, FrontVisit *visit, void *user)
{
    char name[256];
    for (size_t i = 0; i < f->nlibrary; i++)
        visit_class(f, f->tops.items[i]->class_, name, 0, sizeof name, visit, user);
}

/* the class that is meant by the rest of a dotted name, or NULL */
static const Class *find_inside(const Class *package, const char *name)
{
    size_t length = strcspn(name, ".");
    for (size_t i = 0; i < package->elements.n; i++) {
        const Element *e = package->elements.items[i];
        if (e->kind != EL_CLASS || strlen(e->class_->name) != length ||
            memcmp(e->class_->name, name, length) != 0)
            continue;
        return name[length] ? find_inside(e->class_, name + length + 1) : e->class_;
    }
    return NULL;
}

bool front_print_library_class(const Front *f, const char *name, FILE *to)
{
    for (size_t i = 0; i < f->nlibrary; i++) {
        const Class *top = f->tops.items[i]->class_, *found = NULL;
        size_t length = strlen(top->name);
        if (strncmp(top->name, name, length) == 0 && name[length] == '.')
            found = find_inside(top, name + length + 1);
        if (!found && strcmp(top->name, "Dialectic") == 0) /* its name may be left out */
            found = find_inside(top, name);
        if (!found || found->spot.file == f->library)
            continue;
        const char *text = found->spot.file->text + found->spot.at;
        /* the first line stands further left than the others */
        int indent = 0;
        while (found->spot.at > (uint32_t)indent && text[-1 - indent] == ' ')
            indent++;
        for (uint32_t k = 0; k < found->spot.length; k++) {
            fputc(text[k], to);
            if (text[k] == '\n')
                for (int s = 0; s < indent && text[k + 1] == ' '; s++)
                    k++;
        }
        fputs(";\n", to);
        return true;
    }
    return false;
}
