# The policy kit: policies in Lua against their rivals in C, plug-ins,
# skeletons.
add_test(NAME kit.rivals COMMAND warploom run --unsafe -q
    ${CMAKE_CURRENT_LIST_DIR}/rivals_test.lua)
set_tests_properties(kit.rivals PROPERTIES LABELS kit TIMEOUT 600
    ENVIRONMENT WARPLOOM_PATH=${CMAKE_CURRENT_LIST_DIR})

add_test(NAME kit.plugin COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/plugin.sh
    ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND}
    ${CMAKE_C_COMPILER})
add_test(NAME kit.new COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/new.sh
    ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND}
    ${CMAKE_C_COMPILER} ${LOOM_CUNIT})
set(link_flags "")
if(LOOM_SANITIZE)
    set(link_flags "-fsanitize=${LOOM_SANITIZE}")
elseif(LOOM_COVERAGE)
    set(link_flags "--coverage")
endif()
set_tests_properties(kit.plugin kit.new PROPERTIES LABELS kit TIMEOUT 600
    ENVIRONMENT "LOOM_LINK_FLAGS=${link_flags}")

# Every other pair; all of them, on a GTX 480 as well, by kit_nightly.
add_test(NAME kit.compose COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/compose.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
set_tests_properties(kit.compose PROPERTIES LABELS kit TIMEOUT 1200)
add_custom_target(kit_nightly COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/compose.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR} full
    DEPENDS warploom VERBATIM USES_TERMINAL)
