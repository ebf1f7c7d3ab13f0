/* advice.c - advice in messages. The engine knows no domain and no class: each domain has its own
 * (LiederDomain.advice). Where it has none, the advice here is general. */
#include "model/system/system.h"

static const char *const GENERAL[LIEDER_ADVICE_COUNT] = {
    [LIEDER_ADVICE_RIGID_LOOP] = "close the loop with a component that answers with flows alone",
    [LIEDER_ADVICE_NO_ROOT] = "connect the part to a component that fixes its potentials",
    [LIEDER_ADVICE_NO_ZERO] = "connect one of its nodes to a component that fixes its potential",
    [LIEDER_ADVICE_NO_PIVOT] = "nothing answers to the unknowns of this component\nconnect what "
                               "answers to its potentials with flows",
    [LIEDER_ADVICE_LARGE_PIVOT] = "what answers to the unknowns of this component is beyond the "
                                  "range of numbers\nis a parameter far too large?",
    [LIEDER_ADVICE_OPEN] = "does something answer to the unknowns of this component?",
    [LIEDER_ADVICE_SINGULAR] = "parameters may make equations equal that must differ",
    [LIEDER_ADVICE_LOST_DIGITS] = "take a smaller stiffness",
};

static const char *domain_advice(const LiederDomain *domain, LiederAdvice kind)
{
    return domain->advice ? domain->advice[kind] : NULL;
}

const char *class_advice(const LiederClassDef *def, LiederAdvice kind)
{
    for (int p = 0; p < def->nport; p++) {
        const char *advice = domain_advice(def->ports[p].domain, kind);
        if (advice)
            return advice;
    }
    return GENERAL[kind];
}

const char *system_advice(const LiederSystem *system, LiederAdvice kind)
{
    for (size_t k = 0; k < system->nhome; k++) {
        const Shape *shape = system->shapes.items[k].shape;
        for (size_t n = 0; n < shape->nodes.n; n++) {
            const char *advice = domain_advice(shape->nodes.items[n].domain, kind);
            if (advice)
                return advice;
        }
    }
    return GENERAL[kind];
}
