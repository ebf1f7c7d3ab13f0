/* fmu.c - FMU pump(file = "pump.fmu"): a component whose ports are known when its file is read.
 *
 * After parsing, every component of a class named FMU gets a class of its own: whoever reads FMUs
 * (front_set_fmu) writes one for the file, which is loaded as text, and the component's type and
 * modifiers are changed in the tree. The file stands beside the .mo file unless its path is
 * absolute. A model with a class FMU of its own would be hidden: its components have no file. */
#include <stdio.h>
#include <string.h>

#include "front/names/load.h"

void front_set_fmu(Front *f, FrontFmu *read, void *user)
{
    f->fmu = read;
    f->fmu_user = user;
}

/* the modifier `file`, and its position; NULL: there is none */
static const Argument *file_argument(const Modification *m, size_t *at)
{
    for (size_t i = 0; m && i < m->arguments.n; i++) {
        const Argument *a = m->arguments.items[i];
        if (a->kind == AR_MODIFY && a->name && !a->name->rest &&
            strcmp(a->name->name, "file") == 0) {
            *at = i;
            return a;
        }
    }
    return NULL;
}

static void report_fmu(Front *f, SourceSpan span, const char *what)
{
    Place place = span_place(span);
    diag_error(f->diag, &place, NULL, "%s", what);
}

/* a path beside the text that names it */
static void beside(const SyntaxFile *file, const char *name, char path[4096])
{
    const char *slash = strrchr(file->name, '/');
    if (name[0] == '/' || !slash)
        snprintf(path, 4096, "%s", name);
    else
        snprintf(path, 4096, "%.*s/%s", (int)(slash - file->name), file->name, name);
}

/* the class of a file, made and loaded if it is new; NULL after reporting an error */
static const char *class_of_file(Front *f, SourceSpan span, const char *path)
{
    TextBuffer text = {0};
    char name[64], wrong[800] = "";
    const char *result = NULL;
    bool fresh;
    note_read(f, path);
    if (!f->fmu(f->fmu_user, path, name, sizeof name, &fresh, f->alloc, &text, wrong, sizeof wrong))
        report_fmu(f, span, wrong);
    else {
        /* it is not what the user loads last */
        __typeof__(f->last_loaded) loaded = f->last_loaded;
        memset(&f->last_loaded, 0, sizeof f->last_loaded);
        if (!fresh || load_text(f, name, text.items, text.n) == LIEDER_DONE)
            result = intern(f, name);
        vec_drop(f->alloc, &f->last_loaded);
        f->last_loaded = loaded;
    }
    vec_drop(f->alloc, &text);
    return result;
}

/* a component that names an FMU gets the class that is made for its file */
static void change_component(Front *f, const SyntaxFile *file, ComponentDecl *c)
{
    size_t at;
    char path[4096];
    const Argument *a = file_argument(c->modification, &at);
    if (!a)
        return;
    const Expr *value = a->modification ? a->modification->value : NULL;
    if (!f->fmu) {
        report_fmu(
            f, c->name_span,
            "a model with FMUs can be simulated, and nothing else\nhere nobody would step them");
        return;
    }
    if (!value || value->kind != EX_STRING) {
        report_fmu(f, a->span, "the file of an FMU is a text in quotes: file = \"pump.fmu\"");
        return;
    }
    beside(file, value->text, path);
    const char *name = class_of_file(f, value->span, path);
    Ref *type = name ? arena_zeroed(&f->syntax, sizeof *type) : NULL;
    if (!type)
        return;
    *type = (Ref){.span = c->type->span, .name = name};
    c->type = type;
    ArgumentList *list = &c->modification->arguments;
    memmove(list->items + at, list->items + at + 1, (list->n - at - 1) * sizeof *list->items);
    list->n--;
}

static void change_class(Front *f, const SyntaxFile *file, Class *class_, int depth)
{
    for (size_t i = 0; i < class_->elements.n && depth < SYNTAX_DEPTH; i++) {
        ClassElement *e = class_->elements.items[i];
        if (e->kind == EL_CLASS && e->class_)
            change_class(f, file, e->class_, depth + 1);
        else if (e->kind == EL_COMPONENT && e->component->type && !e->component->type->rest &&
                 strcmp(e->component->type->name, "FMU") == 0)
            change_component(f, file, e->component);
    }
}

void fmu_components(Front *f, const SyntaxFile *file)
{
    for (size_t i = 0; i < file->classes.n; i++)
        change_class(f, file, file->classes.items[i], 0);
}
