# cmake --install: the program, and the headers that plug-ins are built with.
#
#     find_package(warploom REQUIRED)
#     warploom_plugin(mine mine.c)    # libmine.so
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS warploom RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET warploom_mpi)
    # As it is: it finds its MPI by the path it was linked with.
    install(PROGRAMS $<TARGET_FILE:warploom_mpi>
        DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# What draws figures, if `./setup.sh charts` has fetched it.
install(DIRECTORY ${CMAKE_BINARY_DIR}/../share/warploom
    DESTINATION ${CMAKE_INSTALL_DATADIR} OPTIONAL)

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
