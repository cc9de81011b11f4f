# Launches, through the program.
function(loom_launch_test case text)
    add_test(NAME launch.${case} COMMAND warploom run --unsafe ${ARGN}
        ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/launch.lua --set case=${case})
    set_tests_properties(launch.${case} PROPERTIES LABELS launch TIMEOUT 300
        PASS_REGULAR_EXPRESSION ${text})
endfunction()
loom_launch_test(meet "meet is as it should be")
loom_launch_test(wait
    "warning: launch: kernel 'meet': CTA 0 waits for one that comes after it")
set_tests_properties(launch.wait PROPERTIES FAIL_REGULAR_EXPRESSION "error:")
loom_launch_test(crowd
    "17 CTAs that may wait for each other, but the machine holds 16 at a time")
loom_launch_test(pool "pool is as it should be")
loom_launch_test(memory "memory is as it should be" --functional)
loom_launch_test(race "race, 64 times, first between warps, at byte 0x80 of shared memory")
loom_launch_test(checked "checked is as it should be")
loom_launch_test(unwritten "'from' . [0-9]+. that nobody has written")

# Loops that never end: kernels of endless.ptx.
add_test(NAME launch.endless COMMAND warploom run --unsafe
    ${CMAKE_CURRENT_LIST_DIR}/endless.lua
    WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR})
set_tests_properties(launch.endless PROPERTIES LABELS launch TIMEOUT 300
    ENVIRONMENT "WARPLOOM_PATH=${PROJECT_SOURCE_DIR}/tests/lua")
add_test(NAME launch.races_status COMMAND
    sh ${CMAKE_CURRENT_LIST_DIR}/races.sh $<TARGET_FILE:warploom>)
set_tests_properties(launch.races_status PROPERTIES LABELS launch TIMEOUT 300)
