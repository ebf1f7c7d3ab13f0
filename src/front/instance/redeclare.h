/* redeclare.h - which declaration of a member holds. Private to front/. */
#ifndef LIEDER_FRONT_REDECLARE_H
#define LIEDER_FRONT_REDECLARE_H

#include "front/instance/semantic.h"

/* the first declaration of a member, whose modifiers are `mods` */
void redeclare_first(Front *f, Member *m, Mod *mods);
/* one that a class replaces it by, which itself has the modifiers `outer` for it */
void redeclare_again(Front *f, Member *m, const ClassElement *e, Env env, Mod *outer);

#endif
