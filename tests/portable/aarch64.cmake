# Compiles for aarch64 on a machine of another kind, with the libraries that
# root.sh has put into LOOM_ROOT; qemu runs what comes out.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc CACHE STRING "Or a clang")
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(LOOM_ROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/aarch64-root
    CACHE PATH "Libraries and headers of an aarch64")
get_filename_component(LOOM_ROOT ${LOOM_ROOT} ABSOLUTE)
set(CMAKE_SYSROOT ${LOOM_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${LOOM_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${LOOM_ROOT})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-L;${LOOM_ROOT})
