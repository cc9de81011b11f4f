/*
 * PTX that is in a library: the text of LOOM_KERNELS/name.ptx, ended by a 0, of
 * which the assembler makes a symbol.
 */
#ifndef CUDA_EMBED_H
#define CUDA_EMBED_H

#define LOOM_EMBED_PTX(symbol, name)                                           \
    extern const char symbol[] __attribute__((visibility("hidden")));          \
    __asm__(".pushsection .rodata\n"                                           \
            ".global " #symbol "\n"                                            \
            ".hidden " #symbol "\n" #symbol ":\n"                              \
            ".incbin \"" LOOM_KERNELS "/" #name ".ptx\"\n"                     \
            ".byte 0\n"                                                        \
            ".popsection\n");

#endif
