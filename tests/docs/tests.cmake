# Pages are executed: names exist, code blocks compile and run, generated
# pages are what the program generates.
find_program(LOOM_LUA NAMES lua5.4 lua REQUIRED)
set(docs ${CMAKE_CURRENT_LIST_DIR})

add_test(NAME docs.names COMMAND ${LOOM_LUA} ${docs}/names.lua
    ${PROJECT_SOURCE_DIR} docs/architecture.md docs/add-a-policy.md README.md
    docs/results.md docs/testing.md docs/deviations.md)

# docs/add-a-policy.md: its policy is extracted, built into a program of its
# own without touching anything else, and its script is run.
set(page ${PROJECT_SOURCE_DIR}/docs/add-a-policy.md)
set(made ${CMAKE_CURRENT_BINARY_DIR}/docs_policies)
add_custom_command(OUTPUT ${made}/mru/mru.c
    COMMAND ${CMAKE_COMMAND} -E make_directory ${made}/mru
    COMMAND ${LOOM_LUA} ${docs}/extract.lua ${page} policies/mru/mru.c
        > ${made}/mru/mru.c
    DEPENDS ${page} ${docs}/extract.lua VERBATIM)
loom_program(warploom_docs mru ${made}/mru/mru.c)
add_test(NAME docs.add_a_policy COMMAND sh ${docs}/add_a_policy.sh
    $<TARGET_FILE:warploom_docs> ${LOOM_LUA} ${PROJECT_SOURCE_DIR})

add_test(NAME docs.quickstart COMMAND $<TARGET_FILE:warploom> run
    ${PROJECT_SOURCE_DIR}/examples/quickstart.lua --set rows=256
    --set columns=32 -o ${CMAKE_CURRENT_BINARY_DIR}/quickstart.h5)
set_tests_properties(docs.names docs.add_a_policy docs.quickstart PROPERTIES
    LABELS docs TIMEOUT 300)
