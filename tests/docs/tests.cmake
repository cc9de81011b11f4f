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

# Blocks of pages that are tagged `run`; every policy and component has its
# page; what is generated is current.
find_program(LOOM_H5DUMP h5dump REQUIRED) # docs/results.md uses it
add_test(NAME docs.pages COMMAND ${LOOM_LUA} ${docs}/pages.lua
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
file(GLOB loom_chapters CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
    ${PROJECT_SOURCE_DIR}/docs/tutorial/*.md)
add_test(NAME docs.tutorial COMMAND ${LOOM_LUA} ${docs}/pages.lua
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR} ${loom_chapters})
add_test(NAME docs.policy_pages COMMAND ${LOOM_LUA} ${docs}/policy_pages.lua
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
add_test(NAME docs.generated COMMAND ${LOOM_LUA} ${docs}/generated.lua
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
file(GLOB loom_pages CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
    ${PROJECT_SOURCE_DIR}/docs/policies/*.md
    ${PROJECT_SOURCE_DIR}/docs/components/*.md)
add_test(NAME docs.page_names COMMAND ${LOOM_LUA} ${docs}/names.lua
    ${PROJECT_SOURCE_DIR} ${loom_pages} docs/machines.md docs/workloads.md
    docs/looking.md docs/post-processing.md docs/concepts.md docs/index.md
    ${loom_chapters} CHANGELOG.md)
add_test(NAME docs.links COMMAND ${LOOM_LUA} ${docs}/links.lua
    ${PROJECT_SOURCE_DIR})
add_test(NAME docs.figures COMMAND ${LOOM_LUA} ${docs}/figures.lua
    ${PROJECT_SOURCE_DIR})
add_test(NAME docs.figures_drawn COMMAND ${LOOM_LUA} ${docs}/figures.lua
    ${PROJECT_SOURCE_DIR} draw)
set_tests_properties(docs.figures docs.figures_drawn PROPERTIES LABELS docs
    SKIP_RETURN_CODE 77 TIMEOUT 120)
set_tests_properties(docs.pages docs.tutorial docs.policy_pages docs.generated
    docs.page_names docs.links PROPERTIES LABELS docs TIMEOUT 300)
# Two minutes of a processor, whatever else the host does.
set_tests_properties(docs.pages docs.tutorial PROPERTIES TIMEOUT 1500)
