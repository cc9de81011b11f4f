# The program: the Lua binding, main() and the Lua library compiled in.
#
# Names in the program: lua/warploom/run/run.lua is "warploom/run/run.lua", and
# workloads/suite/atax/atax.ptx is "suite/atax/atax.ptx", and
# examples/papers/apcm/fig12.lua is "papers/apcm/fig12.lua".
file(GLOB_RECURSE library CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/lua/warploom/*.lua
    ${PROJECT_SOURCE_DIR}/lua/warploom/look/*.js
    ${PROJECT_SOURCE_DIR}/lua/warploom/look/*.css)
file(GLOB suite CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/workloads/suite/*/*.lua
    ${PROJECT_SOURCE_DIR}/workloads/suite/*/*.ptx)
file(GLOB papers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/papers/*/*.lua)
set(embedded "")
foreach(file ${library})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/lua ${file})
    list(APPEND embedded ${name} ${file})
endforeach()
foreach(file ${suite})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/workloads ${file})
    list(APPEND embedded ${name} ${file})
endforeach()
foreach(file ${papers})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/examples ${file})
    list(APPEND embedded ${name} ${file})
endforeach()

# What reads the command line and writes its help and completions.
find_file(ARGPARSE argparse.lua PATHS /usr/share/lua/5.4 /usr/share/lua/5.3
    /usr/local/share/lua/5.4 REQUIRED
    DOC "argparse 0.7, a module in Lua (Debian: lua-argparse)")
list(APPEND embedded warploom/argparse.lua ${ARGPARSE})

add_executable(loom_embed embed/embed.c)
target_link_libraries(loom_embed PRIVATE PkgConfig::LUA)
add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/sources.c
    COMMAND loom_embed ${CMAKE_CURRENT_BINARY_DIR}/sources.c ${embedded}
    DEPENDS loom_embed ${library} ${suite} ${papers} ${ARGPARSE}
    COMMENT "Embedding the Lua library" VERBATIM)

add_custom_target(loom_commit BYPRODUCTS ${CMAKE_CURRENT_BINARY_DIR}/commit.h
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR}
        -DOUT=${CMAKE_CURRENT_BINARY_DIR}/commit.h
        -P ${PROJECT_SOURCE_DIR}/lua/commit.cmake
    COMMENT "Noting the commit" VERBATIM)

add_library(loom_binding OBJECT state.c blocks.c host.c expose.c value.c machine.c memory.c texture.c
    children.c program.c launch.c tasks.c transfer.c array.c vector.c matrix.c results.c
    estimate.c reading.c
    browse.c window.c datafile.c process.c mpi.c monitor.c links.c passing.c image.c recording.c
    forecast.c listing.c locality.c system.c interrupt.c standard.c
    policy/type.c policy/declare.c policy/call.c policy/view.c policy/self.c policy/ask.c
    policy/tables.c policy/transform.c plugin.c
    timeline/timeline.c timeline/units.c timeline/loads.c timeline/way.c
    timeline/record.c timeline/profile.c timeline/code.c
    timeline/banks.c timeline/spans.c timeline/events.c
    ${CMAKE_CURRENT_BINARY_DIR}/sources.c)
pkg_check_modules(LOOM_ZLIB REQUIRED IMPORTED_TARGET zlib) # CRC-32
target_link_libraries(loom_binding PRIVATE loom_flags PkgConfig::LUA
    PkgConfig::LOOM_ZLIB)
add_dependencies(loom_binding loom_commit)
target_include_directories(loom_binding PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
target_compile_definitions(loom_binding PRIVATE
    LOOM_VERSION="${PROJECT_VERSION}"
    LOOM_BUILD_TYPE="${CMAKE_BUILD_TYPE}"
    LOOM_LIBRARIES="${LOOM_LIBRARIES}")

# Sweeps over several machines, where there is an MPI.
find_package(MPI COMPONENTS C QUIET)
if(MPI_C_FOUND)
    add_library(warploom_mpi MODULE mpi_module.c)
    target_link_libraries(warploom_mpi PRIVATE loom_flags MPI::MPI_C)
    set_target_properties(warploom_mpi PROPERTIES PREFIX ""
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endif()

# The live monitor's server.
pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd)
add_library(warploom_monitor MODULE monitor_module.c)
target_link_libraries(warploom_monitor PRIVATE loom_flags PkgConfig::MICROHTTPD)
set_target_properties(warploom_monitor PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

pkg_check_modules(EDIT REQUIRED IMPORTED_TARGET libedit) # lines of the prompt
add_library(loom_main OBJECT main.c prompt.c)
target_link_libraries(loom_main PRIVATE loom_flags PkgConfig::LUA)
target_link_libraries(loom_main PUBLIC PkgConfig::EDIT)

add_executable(warploom)
target_link_libraries(warploom PRIVATE loom_main loom_binding loom_all PkgConfig::LUA
    ${CMAKE_DL_LIBS})
add_dependencies(warploom warploom_monitor)
set_target_properties(warploom PROPERTIES LOOM_WHOLE ON
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
