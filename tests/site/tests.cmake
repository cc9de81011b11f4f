# The manual as a site (docs/site): built without a warning, links, planted
# faults, and a browser.
set(site ${CMAKE_CURRENT_LIST_DIR})
set(built ${CMAKE_CURRENT_BINARY_DIR}/site)

add_test(NAME site.build COMMAND sh ${site}/build.sh ${PROJECT_SOURCE_DIR}
    ${built})
add_test(NAME site.links COMMAND sh -c "[ -d '${built}' ] || {
    echo 'SKIPPED: the site was not built'; exit 77; }
    exec '${LOOM_LUA}' '${site}/links.lua' '${built}'")
add_test(NAME site.planted COMMAND sh ${site}/planted.sh ${PROJECT_SOURCE_DIR}
    ${LOOM_LUA})
add_test(NAME site.browser COMMAND sh ${site}/browser.sh ${built}
    ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/site.shots)
set_tests_properties(site.build PROPERTIES FIXTURES_SETUP site)
set_tests_properties(site.links site.browser PROPERTIES
    FIXTURES_REQUIRED site)
set_tests_properties(site.build site.links site.planted site.browser
    PROPERTIES LABELS docs SKIP_RETURN_CODE 77 TIMEOUT 1500)
