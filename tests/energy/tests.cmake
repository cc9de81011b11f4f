# Energies: nothing else changes, and the file alone tells how they came about.
add_executable(warploom_recompute ${CMAKE_CURRENT_LIST_DIR}/recompute.c)
target_link_libraries(warploom_recompute PRIVATE loom_flags PkgConfig::HDF5)
foreach(network crossbar mesh)
    add_test(NAME energy.${network}
        COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/energy.sh
            $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR}
            $<TARGET_FILE:warploom_recompute> ${network})
    set_tests_properties(energy.${network} PROPERTIES LABELS energy
        TIMEOUT 300)
endforeach()
