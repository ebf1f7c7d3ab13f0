/* peer.h - another program that finds accelerations of mechanisms: what is asked of it.
 *
 * All move in the plane x, y under gravity 9.81 along -y, without contacts and limits. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* a link: a hinge, a rod of length l along its own x, a body (m, I) at the end */
typedef struct PeerLink {
    double l, m, I;
} PeerLink;
/* a cart on a slider along x, on it a hinge, and a body (load, I) on a rod of length l along -y */
typedef struct PeerCart {
    double cart, load, I, l;
} PeerCart;

typedef struct Peer {
    const char *name;
    /* n links in a row, coordinates in their order; NULL: cannot */
    void *(*chain)(size_t n, PeerLink link);
    /* n cart-poles in one model, coordinates slider, hinge, slider ... */
    void *(*carts)(size_t n, PeerCart cart);
    void (*set)(void *mechanism, const double *position, const double *velocity);
    void (*evaluate)(void *mechanism); /* everything anew from positions and velocities */
    void (*accelerations)(const void *mechanism, double *to);
    void (*drop)(void *mechanism);
} Peer;

extern const Peer peer_mujoco;      /* mj_forward as it comes */
extern const Peer peer_mujoco_bare; /* without its stages for constraints, contacts and sensors */
extern const Peer peer_simbody;

#ifdef __cplusplus
}
#endif
#endif
