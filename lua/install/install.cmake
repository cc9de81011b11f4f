# cmake --install: the program, what CUDA programs run with, the headers that
# plug-ins are built with, the Lua library, man pages, completion, licences.
# Nothing in the tree knows where it is: it may be moved, or be a DESTDIR.
#
#     find_package(warploom REQUIRED)
#     warploom_plugin(mine mine.c)    # libmine.so
include(CMakePackageConfigHelpers)

# What the program writes about itself.
set(written ${PROJECT_BINARY_DIR}/written)
set(program ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:warploom>)
add_custom_command(OUTPUT ${written}/stamp
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${written}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${written}
    COMMAND ${CMAKE_COMMAND} -E chdir ${written} ${program} manual
    COMMAND ${CMAKE_COMMAND} -E chdir ${written} ${program} stubs
    COMMAND ${program} completion bash > ${written}/warploom
    COMMAND ${program} completion zsh > ${written}/_warploom
    COMMAND ${program} completion fish > ${written}/warploom.fish
    COMMAND ${CMAKE_COMMAND} -E touch ${written}/stamp
    DEPENDS warploom COMMENT "Writing man pages and completion" VERBATIM)
add_custom_target(loom_written ALL DEPENDS ${written}/stamp)
# All that is installed, by one name.
add_custom_target(installable DEPENDS warploom cuda_runtimes loom_written)

install(TARGETS warploom RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
set(private ${CMAKE_INSTALL_LIBDIR}/warploom)
add_dependencies(installable warploom_monitor)
install(PROGRAMS $<TARGET_FILE:warploom_monitor> DESTINATION ${private})
if(TARGET warploom_mpi)
    add_dependencies(installable warploom_mpi)
    # As it is: it finds its MPI by the path it was linked with.
    install(PROGRAMS $<TARGET_FILE:warploom_mpi> DESTINATION ${private})
endif()

set(data ${CMAKE_INSTALL_DATADIR})
install(DIRECTORY ${written}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${written}/warploom
    DESTINATION ${data}/bash-completion/completions)
install(FILES ${written}/_warploom DESTINATION ${data}/zsh/vendor-completions)
install(FILES ${written}/warploom.fish
    DESTINATION ${data}/fish/vendor_completions.d)

# The library, to be read or for $WARPLOOM_LUA, and stubs for editors.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/lua/warploom
    DESTINATION ${data}/warploom/lua)
install(DIRECTORY ${written}/types DESTINATION ${data}/warploom)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${data}/warploom
    PATTERN build EXCLUDE)
# What draws figures, if `./setup.sh charts` has fetched it.
install(DIRECTORY ${CMAKE_BINARY_DIR}/../share/warploom/charts
    DESTINATION ${data}/warploom OPTIONAL)

# Licences: ours, and of argparse, which the program carries.
file(READ ${ARGPARSE} notice)
string(REGEX MATCH "^(--[^\n]*\n|\n)+" notice "${notice}")
string(REGEX REPLACE "(^|\n)-- ?" "\\1" notice "${notice}")
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/NOTICES @ONLY CONTENT
"The program carries argparse for Lua:\n\n@notice@")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CITATION.cff
    ${CMAKE_CURRENT_BINARY_DIR}/NOTICES DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Contracts only: what a part may include.
get_property(levels GLOBAL PROPERTY LOOM_LEVELS)
list(REMOVE_ITEM levels stats)
foreach(level ${levels})
    file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${level}/*.h)
    list(FILTER headers EXCLUDE REGEX "_private\\.h$")
    list(FILTER headers EXCLUDE REGEX "engine/(machine|registry)\\.h$")
    install(FILES ${headers}
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warploom/${level})
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/warploom)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/warploomConfig.cmake.in
    ${CMAKE_CURRENT_BINARY_DIR}/warploomConfig.cmake
    INSTALL_DESTINATION ${package}
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(
    ${CMAKE_CURRENT_BINARY_DIR}/warploomConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/warploomConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/warploomConfigVersion.cmake
    DESTINATION ${package})

# cc -shared -fPIC $(pkg-config --cflags warploom) -o libmine.so mine.c
set(pc ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH up /${pc} /)
string(REGEX REPLACE "/$" "" up ${up})
file(STRINGS ${PROJECT_SOURCE_DIR}/engine/plugin.h abi
    REGEX "^#define LOOM_PLUGIN_ABI ")
string(REGEX REPLACE ".* " "" abi "${abi}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/warploom.pc.in
    ${CMAKE_CURRENT_BINARY_DIR}/warploom.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/warploom.pc DESTINATION ${pc})

# For a tarball: what differs from one Debian to the next comes along.
if(LOOM_PORTABLE)
    file(RELATIVE_PATH there /${CMAKE_INSTALL_BINDIR} /${private})
    set_target_properties(warploom PROPERTIES INSTALL_RPATH "$ORIGIN/${there}")
    get_target_property(libraries PkgConfig::HDF5 INTERFACE_LINK_LIBRARIES)
    list(FILTER libraries INCLUDE REGEX "libhdf5[a-z_]*\\.so$")
    foreach(library ${libraries})
        file(REAL_PATH ${library} real)
        # Its name for the loader has the first number only.
        string(REGEX REPLACE "(\\.so\\.[0-9]+).*" "\\1" name ${real})
        get_filename_component(name ${name} NAME)
        install(FILES ${real} DESTINATION ${private} RENAME ${name})
    endforeach()
    foreach(name hdf5-1 aec-)
        file(GLOB copyright /usr/share/doc/lib${name}*/copyright)
        string(REGEX REPLACE "-.*" "" name ${name})
        foreach(text ${copyright}) # as a rule one
            install(FILES ${text} DESTINATION ${CMAKE_INSTALL_DOCDIR}
                RENAME NOTICES.${name})
        endforeach()
    endforeach()
endif()
set(CPACK_GENERATOR TXZ)
set(CPACK_PACKAGE_FILE_NAME
    warploom-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_OUTPUT_CONFIG_FILE ${PROJECT_BINARY_DIR}/CPackConfig.cmake)
include(CPack)
