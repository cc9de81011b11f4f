# The policy kit: policies in Lua against their rivals in C.
add_test(NAME kit.rivals COMMAND warploom run --unsafe -q
    ${CMAKE_CURRENT_LIST_DIR}/rivals_test.lua)
set_tests_properties(kit.rivals PROPERTIES LABELS kit TIMEOUT 600
    ENVIRONMENT WARPLOOM_PATH=${CMAKE_CURRENT_LIST_DIR})
