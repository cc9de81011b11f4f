# loom_hdf5: what links with it has HDF5.
#
# Programs have it inside where its archive is complete without the libraries
# that a client of HTTP needs: with those, of which Debian's shared library
# wants thirty, a process takes three times as long to start, and every call
# between HDF5's own files goes through a table (decision 0090).  Libraries that
# others load share what their process has.
include(CheckCSourceCompiles)
option(LOOM_HDF5_INSIDE "Programs have HDF5 inside, if they can" ON)
find_library(LOOM_HDF5_ARCHIVE NAMES libhdf5.a libhdf5_serial.a
    HINTS ${HDF5_LIBRARY_DIRS})
set(inside "")
foreach(name sz aec)
    find_library(LOOM_HDF5_${name} NAMES lib${name}.a ${name})
    if(LOOM_HDF5_${name})
        list(APPEND inside ${LOOM_HDF5_${name}})
    endif()
endforeach()
list(APPEND inside z ${CMAKE_DL_LIBS} m)
if(LOOM_HDF5_INSIDE AND LOOM_HDF5_ARCHIVE AND CMAKE_OBJCOPY)
    set(CMAKE_REQUIRED_INCLUDES ${HDF5_INCLUDE_DIRS})
    set(CMAKE_REQUIRED_LIBRARIES ${LOOM_HDF5_ARCHIVE} ${inside})
    set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,--export-dynamic-symbol=H5*)
    check_c_source_compiles("#include <hdf5.h>
        int main(void) {
            return H5open() + (int)H5Fopen(\"\", 0, 0) + H5Dread(0, 0, 0, 0, 0, 0) +
                   (int)H5Pset_fapl_core(0, 0, 0) + H5Pset_deflate(0, 0); }"
        LOOM_HAS_HDF5_ARCHIVE)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_LIBRARIES)
    unset(CMAKE_REQUIRED_LINK_OPTIONS)
endif()

add_library(loom_hdf5 INTERFACE)
target_include_directories(loom_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
if(NOT LOOM_HDF5_INSIDE OR NOT LOOM_HAS_HDF5_ARCHIVE)
    target_link_libraries(loom_hdf5 INTERFACE PkgConfig::HDF5)
    return()
endif()

# Its code in a section of its own, whose ends the linker knows by name:
# stats/h5_guard.c tells HDF5's faults from others.
set(archive ${PROJECT_BINARY_DIR}/hdf5/libhdf5.a)
add_custom_command(OUTPUT ${archive}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/hdf5
    COMMAND ${CMAKE_OBJCOPY} --rename-section .text=loom_hdf5_text
        --rename-section .text.unlikely=loom_hdf5_text
        ${LOOM_HDF5_ARCHIVE} ${archive}
    DEPENDS ${LOOM_HDF5_ARCHIVE} VERBATIM)
add_custom_target(loom_hdf5_archive DEPENDS ${archive})
add_dependencies(loom_hdf5 loom_hdf5_archive)
set(is_program $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
foreach(library ${archive} ${inside})
    target_link_libraries(loom_hdf5 INTERFACE $<${is_program}:${library}>)
endforeach()
target_link_libraries(loom_hdf5 INTERFACE
    $<$<NOT:${is_program}>:PkgConfig::HDF5>)
# Filters that HDF5 loads at run time ask it for what they need.
target_link_options(loom_hdf5 INTERFACE
    $<${is_program}:-Wl,--export-dynamic-symbol=H5*,--export-dynamic-symbol=loom_h5_code>)
