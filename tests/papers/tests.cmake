# The papers' figures: the command on two small ones, and claims of all.
add_test(NAME papers.command COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/papers.sh
    $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR})
add_test(NAME papers.declared COMMAND warploom --unsafe
    ${CMAKE_CURRENT_LIST_DIR}/declared.lua ${PROJECT_SOURCE_DIR})
set_tests_properties(papers.command papers.declared PROPERTIES LABELS papers TIMEOUT 300)

# All figures at size tiny: cmake --build build/release --target papers_nightly
add_custom_target(papers_nightly COMMAND warploom papers --size tiny -o
    ${CMAKE_BINARY_DIR}/papers.tiny DEPENDS warploom VERBATIM USES_TERMINAL)
