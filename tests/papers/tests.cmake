# The papers' figures: the command on two small ones, and claims of all.
add_test(NAME papers.command COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/papers.sh
    $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR})
add_test(NAME papers.declared COMMAND warploom --unsafe
    ${CMAKE_CURRENT_LIST_DIR}/declared.lua ${PROJECT_SOURCE_DIR})
# Killed and started again; more kills: killed.sh WARPLOOM FOLDER 100.
add_test(NAME papers.killed COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/killed.sh
    $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR} 6)
add_test(NAME papers.browser COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/browser.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
set_tests_properties(papers.command papers.declared papers.killed PROPERTIES
    LABELS papers TIMEOUT 900)
set_tests_properties(papers.browser PROPERTIES LABELS papers
    SKIP_RETURN_CODE 77 TIMEOUT 900)

# All figures at size tiny, and their page in a browser where there is one:
# cmake --build build/release --target papers_nightly
add_custom_target(papers_nightly
    COMMAND warploom papers --size tiny --why -o ${CMAKE_BINARY_DIR}/papers.tiny
    COMMAND sh -c "sh \"$1\" \"$2\" \"$3\" \"$4\" || [ $? = 77 ]" browser
        ${CMAKE_CURRENT_LIST_DIR}/browser.sh $<TARGET_FILE:warploom>
        ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/papers.tiny
    DEPENDS warploom VERBATIM USES_TERMINAL)
