/* equation_system.c - residuals and symbols that are solved together, see eliminate.h. */
#include "equation/system/eliminate.h"

bool system_add(System *system, Node residual, uint32_t equation, uint64_t symbol)
{
    const LiederAllocator *alloc = system->cell->alloc;
    return residual && vec_push(alloc, &system->residuals, residual) &&
           vec_push(alloc, &system->equations, equation) &&
           vec_push(alloc, &system->symbols, symbol);
}

bool system_add_mixed(System *system, Node mixed)
{
    const LiederAllocator *alloc = system->cell->alloc;
    if (!mixed && !system->mixed.n)
        return true;
    if (!vec_resize(alloc, &system->mixed, system->residuals.n))
        return false;
    system->mixed.items[system->residuals.n - 1] = mixed;
    return true;
}

void system_drop(System *system)
{
    const LiederAllocator *alloc = system->cell->alloc;
    vec_drop(alloc, &system->residuals);
    vec_drop(alloc, &system->mixed);
    vec_drop(alloc, &system->solution);
    vec_drop(alloc, &system->equations);
    vec_drop(alloc, &system->symbols);
}
