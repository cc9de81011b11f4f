/*
 * Coulombic potential of atoms on a plane of grid points, Parboil's cp: each
 * thread computes eight points that are 16 apart; the atoms are in constant
 * memory, as many launches as batches of atoms.
 */
#define ATOMS 1024 /* of a launch */
#define POINTS 8   /* of a thread */

struct atom {
    float x, y, z2, charge; /* z2: square of the distance to the plane */
};

__constant__ struct atom atom[ATOMS];

KERNEL cp(int atoms, float spacing, float *energy, int columns)
{
    int x = blockIdx.x * 16 * POINTS + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum[POINTS];

#pragma unroll
    for (int i = 0; i < POINTS; i++) {
        sum[i] = 0.0f;
    }
    for (int a = 0; a < atoms; a++) {
        float dy = spacing * (float)y - atom[a].y;
        float rest = dy * dy + atom[a].z2;

#pragma unroll
        for (int i = 0; i < POINTS; i++) {
            float dx = spacing * (float)(x + 16 * i) - atom[a].x;

            sum[i] += atom[a].charge * rsqrtf(dx * dx + rest);
        }
    }
#pragma unroll
    for (int i = 0; i < POINTS; i++) {
        energy[y * columns + x + 16 * i] += sum[i];
    }
}
