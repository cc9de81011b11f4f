# Decompressors of trace files.
pkg_check_modules(LOOM_LZMA REQUIRED IMPORTED_TARGET liblzma)
pkg_check_modules(LOOM_ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(LOOM_ZSTD REQUIRED IMPORTED_TARGET libzstd)
loom_part_libraries(workload_trace PkgConfig::LOOM_LZMA PkgConfig::LOOM_ZLIB
    PkgConfig::LOOM_ZSTD)
