/* either.h - one place in a struct with the names of both vocabularies of mechanics in one
 * dimension: translation and rotation share their blocks. */
#ifndef LIEDER_EITHER_H
#define LIEDER_EITHER_H

#define EITHER(translational, rotational)                                                          \
    union {                                                                                        \
        real translational, rotational;                                                            \
    }

#endif
