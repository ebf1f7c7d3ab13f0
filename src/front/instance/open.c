/* open.c - signal inputs that nobody drives.
 *
 * An open input is zero. Where only linear blocks read it (the external force of a joint), zero
 * means that nothing acts, and nothing is said, unless the component does nothing else: a force
 * none of whose inputs is driven. Everywhere else it is most likely a connection that was
 * forgotten, so there is a warning, once for each declaration. A value given by a modifier,
 * gain(u = 0), says that it is meant. Components of the compiled library that became a part of a
 * cell are treated alike.
 */
#include "front/lower/lower.h"

static bool has_value(const Member *m)
{
    for (const Mod *mod = m->mods; mod; mod = mod->next)
        if (!mod->rest && mod->modification && mod->modification->value)
            return true;
    return false;
}

static bool is_driven(const Member *m)
{
    return m->connected || has_value(m);
}

/* may it be meant that nothing acts through this input? */
static bool may_rest(Front *f, const Inst *inst, const Member *input)
{
    Causality causality;
    const char *native = inst->native ? inst->native : inst->compiled;
    if (!native || !native_rests_open(f->session, native, input->name))
        return false;
    bool other = native_has_states(f->session, native);
    for (size_t i = 0; i < inst->members.n && !other; i++) {
        Member *m = inst->members.items[i];
        other = m->component && !member_is_parameter(m) && connector_domain(f, m, &causality) &&
                causality == CAUSE_INPUT && is_driven(m);
    }
    return other;
}

/* one input of a component, or of the model itself */
static void warn_input(Front *f, const Inst *inst, const Member *m)
{
    const ComponentDecl *component = inst->member ? inst->member->component : NULL;
    if (component && component->name_span.file == f->library)
        return;
    if (component)
        warn(f, component->name_span, inst->parent,
             "the input '%s' of '%s' is open and zero\nconnect it, or say that it is meant: %s(%s "
             "= 0)",
             m->name, component->name, component->name, m->name);
    else
        warn(f, m->component->name_span, NULL,
             "the input '%s' of the model is open and zero\n"
             "use the model as a component of one that drives it",
             m->name);
}

void warn_open_inputs(Front *f, Inst *inst)
{
    /* inside a cell an open input is a missing equation, which is an error */
    bool is_cell = inst_is_cell(f, inst), inside = !inst->native && !is_cell;
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        Causality causality;
        if (!m->component || m->is_outer || member_is_parameter(m) ||
            (is_cell && m->is_protected) || /* its equation is one of the class */
            member_type(f, m)->kind == TY_NONE || !member_present(f, m))
            continue;
        if (connector_domain(f, m, &causality)) {
            if (causality == CAUSE_INPUT && !is_driven(m) && !may_rest(f, inst, m))
                warn_input(f, inst, m);
        } else if (m->child && inside) {
            warn_open_inputs(f, m->child);
        }
    }
}

void lower_open_inputs(Lower *lower)
{
    Front *f = lower->front;
    for (uint32_t i = 0, n = (uint32_t)lower->variables.n; i < n && !f->work.failed; i++) {
        const Member *m = lower->variables.items[i].member;
        if (!m || !m->inst->compiled || member_causality(m) != CAUSE_INPUT || is_driven(m))
            continue;
        if (!may_rest(f, m->inst, m))
            warn_input(f, m->inst, m);
        CellEquation zero = {.left = cell_variable(&lower->cell, i, 0),
                             .right = node_constant(&lower->cell.graph, 0),
                             .place = span_place(m->component->name_span)};
        if (!zero.right || !cell_add_equation(&lower->cell, zero))
            f->work.failed = true;
    }
}
