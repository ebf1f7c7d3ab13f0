/* test_virtual.c - overconstrained connectors: roots, broken connections; how often a connector is
 * connected. */
#include <lieder/variables.h>

#include "front_help.h"
#include "help/observe.h"

/* An "orientation" a with a second variable b = 2 a that says the same: two variables, one degree
 * of freedom. Links of a chain pass it on in either direction. */
#define ORIENTATION                                                                                \
    "  record Turn Real a; Real b;\n"                                                              \
    "    function equalityConstraint input Turn x; input Turn y; output Real residue[1];\n"        \
    "    algorithm residue := {x.a - y.a}; end equalityConstraint;\n"                              \
    "  end Turn;\n"                                                                                \
    "  connector Frame Turn R; flow Real f; end Frame;\n"                                          \
    "  model World Frame frame;\n"                                                                 \
    "  equation Connections.root(frame.R); frame.R.a = time; frame.R.b = 2*time; end World;\n"     \
    "  model Link Frame a, b; Real d; Boolean forward = Connections.rooted(a.R);\n"                \
    "  equation\n"                                                                                 \
    "    Connections.branch(a.R, b.R); a.f + b.f = 0;\n"                                           \
    "    if Connections.rooted(a.R) then b.R.a = a.R.a + d; b.R.b = a.R.b + 2*d;\n"                \
    "    else a.R.a = b.R.a - d; a.R.b = b.R.b - 2*d; end if;\n"                                   \
    "  end Link;\n"                                                                                \
    "  model Body Frame frame; parameter Integer p = 0; Boolean root; equation\n"                  \
    "    Connections.potentialRoot(frame.R, p);\n"                                                 \
    "    root = Connections.isRoot(frame.R);\n"                                                    \
    "    if Connections.isRoot(frame.R) then frame.R.a = 5; frame.R.b = 10; else frame.f = 1; "    \
    "end if;\n"                                                                                    \
    "  end Body;\n"                                                                                \
    "  model Free extends Link; equation a.f = 0; end Free;\n"

/* a chain in both directions, and a loop whose last link follows from the others */
static void test_loop(void **state)
{
    (void)state;
    Built b = build("package P\n" ORIENTATION "  model M\n"
                    "    World world; Link first(d = 1), second(d = 10); Free last; Body body;\n"
                    "  equation\n"
                    "    connect(world.frame, first.a); connect(second.b, first.b);\n"
                    "    connect(second.a, last.a); connect(last.b, world.frame);\n"
                    "    connect(body.frame, second.a);\n"
                    "  end M;\n"
                    "end P;\n");
    assert_observed(&b, 2, "first.b.R.a", 3);
    assert_observed(&b, 2, "second.a.R.a", 3 - 10);
    assert_observed(&b, 2, "second.a.R.b", 2 * (3 - 10));
    assert_observed(&b, 2, "last.d", 2 - (3 - 10)); // closes the loop
    assert_observed(&b, 2, "first.forward", 1);
    assert_observed(&b, 2, "second.forward", 0);
    assert_observed(&b, 2, "body.root", 0); // the World is the root
    drop(&b);
}

/* without a root the candidate of least priority is one; elements of arrays are nodes of their own
 */
static void test_potential_roots(void **state)
{
    (void)state;
    Built b = build(
        "package P\n" ORIENTATION "  model Pair Link link(d = 1); Body left(p = 3), right(p = 2);\n"
        "  equation connect(left.frame, link.a); connect(link.b, right.frame); end Pair;\n"
        "  model M Pair pair[2]; Pair other(left.p = 1); end M;\n"
        "end P;\n");
    assert_observed(&b, 0, "pair[2].left.root", 0);
    assert_observed(&b, 0, "pair[2].right.root", 1);
    assert_observed(&b, 0, "pair[1].link.forward", 0);
    assert_observed(&b, 0, "pair[2].left.frame.R.a", 4);
    assert_observed(&b, 0, "other.left.root", 1);
    assert_observed(&b, 0, "other.right.frame.R.b", 12);
    drop(&b);
}

/* connections in loops and conditions, of elements, and of components that are switched off */
static void test_cardinality(void **state)
{
    (void)state;
    Built b = build("package P\n"
                    "  connector Pin Real v; flow Real i; end Pin;\n"
                    "  model Port Pin p, q[3]; Real n = cardinality(p), m[3];\n"
                    "  equation\n"
                    "    for k in 1:3 loop m[k] = cardinality(q[k]); end for;\n"
                    "    p.v = 1; if cardinality(q[3]) == 0 then q.v = {1, 1, 1}; else q.v = {1, "
                    "1, 2}; end if;\n"
                    "  end Port;\n"
                    "  model Sink Pin p; equation p.i = 1; end Sink;\n"
                    "  model M\n"
                    "    parameter Boolean on = false; Port port[2]; Sink sink[4], absent if on;\n"
                    "  equation\n"
                    "    for k in 1:2 loop connect(port[k].p, sink[k].p); end for;\n"
                    "    if on then connect(port[1].q[1], sink[3].p); else connect(port[1].q[2], "
                    "sink[3].p); end if;\n"
                    "    connect(absent.p, port[1].p); connect(port[2].q[3], sink[4].p);\n"
                    "  end M;\n"
                    "end P;\n");
    assert_observed(&b, 0, "port[1].n", 1);
    assert_observed(&b, 0, "port[1].m[1]", 0);
    assert_observed(&b, 0, "port[1].m[2]", 1);
    assert_observed(&b, 0, "port[2].m[2]", 0);
    assert_observed(&b, 0, "port[2].m[3]", 1);
    assert_observed(&b, 0, "port[1].q[3].v", 1);
    assert_observed(&b, 0, "port[2].q[3].v", 2);
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_potential_roots),
        cmocka_unit_test(test_cardinality),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
