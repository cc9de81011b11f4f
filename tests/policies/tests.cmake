# A program with the stubs, which answer every hook: tests/lua/stub.lua puts one
# into every slot and compares its counts with the counters.
loom_program(warploom_stub
    "stub_sm;stub_cache;stub_dispatch;stub_routing;stub_arbiter;stub_schedule;stub_page;stub_commands;stub_map;stub_transform"
    ${CMAKE_CURRENT_LIST_DIR}/stub/stub.c
    ${CMAKE_CURRENT_LIST_DIR}/stub/stub_sm.c
    ${CMAKE_CURRENT_LIST_DIR}/stub/stub_memory.c
    ${CMAKE_CURRENT_LIST_DIR}/stub/stub_transform.c)
add_test(NAME contract.stub COMMAND warploom_stub run
    ${CMAKE_CURRENT_LIST_DIR}/stub.lua
    -o ${CMAKE_CURRENT_BINARY_DIR}/stub.h5)
set_tests_properties(contract.stub PROPERTIES LABELS contract TIMEOUT 120)
add_test(NAME contract.transform COMMAND warploom_stub run
    ${CMAKE_CURRENT_LIST_DIR}/transform.lua
    -o ${CMAKE_CURRENT_BINARY_DIR}/transform.h5)
set_tests_properties(contract.transform PROPERTIES LABELS contract
    TIMEOUT 120)

# Each technique of bypass and protection shows what it was invented for.
add_test(NAME policies.bypass_effects COMMAND warploom run --quiet
    ${CMAKE_CURRENT_LIST_DIR}/bypass_effects.lua)
set_tests_properties(policies.bypass_effects PROPERTIES LABELS policies
    TIMEOUT 300)

# Analysis policies change no other number.
add_test(NAME policies.analysis COMMAND warploom run --quiet
    ${CMAKE_CURRENT_LIST_DIR}/analysis.lua)
set_tests_properties(policies.analysis PROPERTIES LABELS policies
    TIMEOUT 300)
add_test(NAME policies.analysis_file COMMAND sh
    ${CMAKE_CURRENT_LIST_DIR}/analysis.sh $<TARGET_FILE:warploom>
    ${PROJECT_SOURCE_DIR})
set_tests_properties(policies.analysis_file PROPERTIES LABELS policies
    TIMEOUT 300)
add_test(NAME policies.bypass_threads COMMAND sh
    ${CMAKE_CURRENT_LIST_DIR}/bypass_threads.sh $<TARGET_FILE:warploom>
    ${PROJECT_SOURCE_DIR})
set_tests_properties(policies.bypass_threads PROPERTIES LABELS policies
    TIMEOUT 300)
add_test(NAME policies.gating_threads COMMAND sh
    ${CMAKE_CURRENT_LIST_DIR}/bypass_threads.sh $<TARGET_FILE:warploom>
    ${PROJECT_SOURCE_DIR} gating_threads)
set_tests_properties(policies.gating_threads PROPERTIES LABELS policies
    TIMEOUT 300)

add_test(NAME policies.paper_threads COMMAND sh
    ${CMAKE_CURRENT_LIST_DIR}/bypass_threads.sh $<TARGET_FILE:warploom>
    ${PROJECT_SOURCE_DIR} paper_threads)
set_tests_properties(policies.paper_threads PROPERTIES LABELS policies
    TIMEOUT 300)

# Throttles and schedulers on SMs that sleep and on one that never does.
loom_program(warploom_awake "awake"
    ${CMAKE_CURRENT_LIST_DIR}/awake/awake.c)
add_test(NAME contract.awake COMMAND warploom_awake --unsafe --quiet run
    ${CMAKE_CURRENT_LIST_DIR}/awake.lua)
set_tests_properties(contract.awake PROPERTIES LABELS contract TIMEOUT 300)

# Each throttle shows what it was invented for.
add_test(NAME policies.throttle_effects COMMAND warploom run --quiet
    ${CMAKE_CURRENT_LIST_DIR}/throttle_effects.lua)
set_tests_properties(policies.throttle_effects PROPERTIES LABELS policies
    TIMEOUT 300)


# Streams of known locality, and what techniques call them.
add_test(NAME policies.locality COMMAND warploom run --quiet
    ${CMAKE_CURRENT_LIST_DIR}/locality.lua)
set_tests_properties(policies.locality PROPERTIES LABELS policies TIMEOUT 300)

# What they decide changes over time, as series show.
add_test(NAME policies.modes COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/modes.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
set_tests_properties(policies.modes PROPERTIES LABELS policies TIMEOUT 300)

# What apcm must gain on a loop that thrashes, by hand.
add_test(NAME policies.apcm_gain COMMAND warploom run --quiet
    ${CMAKE_CURRENT_LIST_DIR}/apcm_gain.lua)
set_tests_properties(policies.apcm_gain PROPERTIES LABELS policies TIMEOUT 300)

# S-L1: kernels to follow by hand; and every program of the suite gives the
# same bytes, with lines of 8 and of 24 bytes.  All of it at the size of the
# papers' cache pressure, with 16, takes minutes: `sl1_equal` is a target, too.
add_test(NAME policies.sl1 COMMAND warploom run --quiet
    ${CMAKE_CURRENT_LIST_DIR}/sl1.lua)
add_test(NAME policies.sl1_equal COMMAND warploom run --quiet --functional
    ${CMAKE_CURRENT_LIST_DIR}/sl1_equal.lua --set lines=8,24)
set_tests_properties(policies.sl1 policies.sl1_equal PROPERTIES
    LABELS policies TIMEOUT 600)
add_custom_target(sl1_equal
    COMMAND warploom run --quiet --functional
        ${CMAKE_CURRENT_LIST_DIR}/sl1_equal.lua --set size=small
        --set lines=16 --set thresholds=300 --set cache=worth
    COMMAND warploom run --quiet --functional
        ${CMAKE_CURRENT_LIST_DIR}/sl1_equal.lua --set size=small
        --set lines=16 --set thresholds=5
    USES_TERMINAL)
