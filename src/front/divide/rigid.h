/* rigid.h - see rigid.c: rigid loops of components of the compiled library. Private to front/. */
#ifndef LIEDER_FRONT_RIGID_H
#define LIEDER_FRONT_RIGID_H

#include "front/lower/lower.h"
#include "model/description/describe.h"

/* has a component of the compiled library a text? */
bool rigid_has_text(const Inst *inst);
/* from now on an instance of its text */
void member_take_text(Member *m);
/* Marks the components of a model that form rigid loops, and what is fixed to these: from now on
 * they are instances of their texts, and the model is a cell. false: there are none. members: what
 * the declarations of the model are in the text, or NULL. */
bool rigid_merge(Front *f, Inst *inst, const LiederModel *model, Member *const *members, size_t n);

/* a component of the cell that stands for one of the compiled library: its frames move together */
void rigid_note(Lower *lower, Inst *inst);
/* Is this the connection that closes a rigid loop? Then the ends of the kinetic regime are not
 * joined. Otherwise what is connected moves together from now on. */
bool rigid_closes(Lower *lower, const ConnectSide *a, const ConnectSide *b, SourceSpan span);
bool rigid_is_kinetic(const ConnectSide *side, size_t end);
/* at this port velocities are the derivatives of positions: T_D = 0 everywhere in the cell */
bool rigid_is_classical(const Lower *lower, const Inst *connector);
/* at the start the kinetic velocities agree where a loop is closed */
void rigid_close_start(Lower *lower, const ConnectSide *a, const ConnectSide *b, SourceSpan span);

#endif
