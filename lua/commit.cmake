# Writes which commit of the source is being built, at every build, and only
# if it changed.  Run as a script: cmake -DROOT=.. -DOUT=.. -P commit.cmake
find_program(GIT git)
set(commit "unknown")
set(dirty 0)
if(GIT AND EXISTS ${ROOT}/.git)
    execute_process(COMMAND ${GIT} -C ${ROOT} rev-parse HEAD
        OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${GIT} -C ${ROOT} status --porcelain
        OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(changes)
        set(dirty 1)
    endif()
endif()
file(WRITE ${OUT}.new
    "#define LOOM_COMMIT \"${commit}\"\n#define LOOM_DIRTY ${dirty}\n")
file(COPY_FILE ${OUT}.new ${OUT} ONLY_IF_DIFFERENT)
