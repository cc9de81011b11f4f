/*
 * Edge values of integers and of binary formats, by their bits: zeros, least
 * and largest of either sign, infinities, NaNs, neighbours of one, halves and
 * powers of 2.
 */
#ifndef TESTS_UNIT_PTX_VALUES_EDGES_H
#define TESTS_UNIT_PTX_VALUES_EDGES_H

#include "tests/unit/ptx_values_rig.h"

/* Edge values of 16, 32 and 64 bits at once; the low bit as a predicate. */
static const uint64_t int_edges[VALUES] = {0,
                                           1,
                                           2,
                                           3,
                                           15,
                                           16,
                                           31,
                                           32,
                                           33,
                                           63,
                                           64,
                                           0x7fff,
                                           0x8000,
                                           0xffff,
                                           0x7fffffff,
                                           0x80000000,
                                           0x80000001,
                                           0xfffffffe,
                                           0xffffffff,
                                           0x7fffffffffffffff,
                                           0x8000000000000000,
                                           0xfffffffffffffffe,
                                           0xffffffffffffffff,
                                           0x123456789abcdef5};

static const uint64_t f32_edges[VALUES] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x00000001, 0x80000001,
    0x007fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
    0xff800000, 0x7fc00000, 0xff800001, 0x3f800001, 0x3f7fffff, 0x3fc00000,
    0xc0200000, 0x40490fdb, 0x3dcccccd, 0x4f000000, 0x33800000, 0x34000000};

static const uint64_t f64_edges[VALUES] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000,
    0xbff0000000000000, 0x0000000000000001, 0x8000000000000001,
    0x000fffffffffffff, 0x0010000000000000, 0x8010000000000000,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff8000000000000, 0xfff0000000000001,
    0x3ff0000000000001, 0x3fefffffffffffff, 0x3ff8000000000000,
    0xc004000000000000, 0x400921fb54442d18, 0x3fb999999999999a,
    0x43e0000000000000, 0x3ca0000000000000, 0x36a0000000000000};

/* In the low 16 bits one, in the bits above another. */
static const uint64_t f16_edges[VALUES] = {
    0x80000000, 0x3c008000, 0x00013c00, 0xbc00bc00, 0x03ff0001, 0x80018001,
    0x040003ff, 0x7bff0400, 0xfbff8400, 0x7c007bff, 0xfc00fbff, 0x7e007c00,
    0x0000fc00, 0xfd017e00, 0x3c01fd01, 0x3bff3c01, 0x3e003bff, 0xc1003e00,
    0x4248c100, 0x2e664248, 0x78002e66, 0x10007800, 0x14001000, 0x04001400};

#endif
