/* simbody.cc - chains and cart-poles in Simbody. Accelerations by its O(n) recursion, everything
 * realised anew in each evaluation. */
#include "peer.h"

#include <Simbody.h>

#include <memory>

using namespace SimTK;

namespace
{

struct Mechanism {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    State state;
    size_t n = 0;

    void ready(size_t coordinates)
    {
        Force::UniformGravity(forces, matter, Vec3(0, -9.81, 0));
        state = system.realizeTopology();
        system.realizeModel(state);
        n = coordinates;
    }
};

Body::Rigid body(double m, double I, const Vec3 &centre)
{
    return Body::Rigid(MassProperties(m, centre, Inertia(I, I, I).shiftFromMassCenter(centre, m)));
}

void *chain(size_t n, PeerLink link)
{
    auto k = std::make_unique<Mechanism>();
    Body::Rigid rod = body(link.m, link.I, Vec3(link.l, 0, 0));
    MobilizedBody before = k->matter.Ground();
    for (size_t i = 0; i < n; i++)
        before =
            MobilizedBody::Pin(before, Transform(Vec3(i ? link.l : 0, 0, 0)), rod, Transform());
    k->ready(n);
    return k.release();
}

void *carts(size_t n, PeerCart c)
{
    auto k = std::make_unique<Mechanism>();
    Body::Rigid cart = body(c.cart, 1, Vec3(0)), load = body(c.load, c.I, Vec3(0, -c.l, 0));
    for (size_t i = 0; i < n; i++) {
        MobilizedBody::Slider slider(k->matter.Ground(), Transform(), cart, Transform());
        MobilizedBody::Pin(slider, Transform(), load, Transform());
    }
    k->ready(2 * n);
    return k.release();
}

void set(void *mechanism, const double *position, const double *velocity)
{
    auto *k = static_cast<Mechanism *>(mechanism);
    for (size_t i = 0; i < k->n; i++) {
        k->state.updQ()[(int)i] = position[i];
        k->state.updU()[(int)i] = velocity[i];
    }
}

void evaluate(void *mechanism)
{
    auto *k = static_cast<Mechanism *>(mechanism);
    k->state.updQ(); /* positions count as new */
    k->system.realize(k->state, Stage::Acceleration);
}

void accelerations(const void *mechanism, double *to)
{
    const auto *k = static_cast<const Mechanism *>(mechanism);
    for (size_t i = 0; i < k->n; i++)
        to[i] = k->state.getUDot()[(int)i];
}

void drop(void *mechanism)
{
    delete static_cast<Mechanism *>(mechanism);
}

} // namespace

extern "C" const Peer peer_simbody = {"Simbody", chain, carts, set, evaluate, accelerations, drop};
