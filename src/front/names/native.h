/* native.h - the classes of the session, seen from the front end.
 *
 * The names of component.h and of tree.h overlap, so this is the one door between the two
 * worlds: nothing of the syntax tree passes it, and no other file of front/ looks into a session.
 */
#ifndef LIEDER_FRONT_NATIVE_H
#define LIEDER_FRONT_NATIVE_H

#include "base/diag.h"
#include "base/loader.h"
#include "base/number_list.h"
#include "base/text.h"

const LiederAllocator *native_allocator(Lieder *session);
Diagnostics *native_diagnostics(Lieder *session);
bool native_out_of_memory(const Lieder *session);
Loader *native_loader(Lieder *session);
/* a system of a model that was instantiated */
LiederSystem *native_system(Lieder *session, const char *model, const LiederSystemOptions *options);

/* The library as Modelica packages; see native.c for what it looks like. */
bool native_library_text(Lieder *session, TextBuffer *to);

/* is this member of a native class a state, so that it has a start value */
/* an input of linear blocks alone, such as the force that acts on a joint: open means that none
 * acts */
bool native_rests_open(Lieder *session, const char *class_name, const char *port);
bool native_has_states(Lieder *session, const char *class_name);
/* do outward variables leave a native class through this port: is it a root, or the far end of a
 * link */
bool native_is_outgoing(Lieder *session, const char *class_name, const char *port);
bool native_is_state(Lieder *session, const char *class_name, const char *member);

/* how many signals a connector of this domain has; each has a potential, its derivative, unless
 * there are none */
int native_domain_signals(Lieder *session, const char *domain);
/* how many sets of flows balance separately */
int native_domain_regimes(Lieder *session, const char *domain);

/* the domain of this name, or NULL */
const LiederDomain *native_domain(Lieder *session, const char *name);
/* A class of one port of the domain, through which nothing moves: its name and that of the port; or
 * NULL. */
const char *native_rest(Lieder *session, const char *domain, const char **port);
/* Registers a class made of equations; the session destroys it in the end. */
struct CellClass;
LiederStatus native_adopt_cell(Lieder *session, struct CellClass *class_);

/* what is known about a class made of equations; NULL: it is none */
const struct CellSummary *native_cell(const Lieder *session, const char *class_name);
/* does the engine take the class, which is registered? What is wrong goes to the diagnostics. */
bool native_accepts(Lieder *session, const char *class_name);
/* a domain like this one that lives as long as the session; NULL: memory ran out */
const LiederDomain *native_make_domain(Lieder *session, const LiederDomain *domain);

/* A template built for the given arguments: the name of the new model, or NULL. Its components
 * are appended as Modelica declarations. */
/* the template of a class, or NULL */
const LiederTemplate *native_template(const Lieder *session, const char *class_name);
const char *native_build_template(Lieder *session, const char *class_name, const double *arguments,
                                  TextBuffer *declarations);

#endif
