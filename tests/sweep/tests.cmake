# Sweeps.
add_test(NAME sweep.sweep COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/sweep.sh
    $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR})
add_test(NAME sweep.kills COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/kills.sh
    $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR}/small.lua 16
    --only size=16KiB)
add_test(NAME sweep.store COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/store.sh
    $<TARGET_FILE:warploom>)
add_test(NAME sweep.remeasure COMMAND sh
    ${CMAKE_CURRENT_LIST_DIR}/remeasure.sh $<TARGET_FILE:warploom>)
add_test(NAME sweep.errors COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/errors.sh
    $<TARGET_FILE:warploom>)
add_test(NAME sweep.columns COMMAND warploom --unsafe
    ${CMAKE_CURRENT_LIST_DIR}/columns.lua)
foreach(name mpi slurm)
    add_test(NAME sweep.${name} COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/${name}.sh
        $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR})
    set_tests_properties(sweep.${name} PROPERTIES LABELS sweep TIMEOUT 600
        SKIP_RETURN_CODE 77)
endforeach()
# What MPI and its transports keep is not ours to free.
set_tests_properties(sweep.mpi sweep.slurm PROPERTIES
    ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
set_tests_properties(sweep.sweep sweep.kills sweep.store sweep.remeasure
    sweep.columns sweep.errors PROPERTIES LABELS sweep TIMEOUT 600)

# Fifty kills of a sweep of 64 points.
add_custom_target(kills_nightly COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/kills.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR}/examples/sweep.lua 50
    DEPENDS warploom VERBATIM USES_TERMINAL)
