# Reports in a browser.  (What plot, report, diff and export print and draw is
# in tests/lua/looking.lua.)
add_test(NAME look.browser COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/browser.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
set_tests_properties(look.browser PROPERTIES LABELS look
    SKIP_RETURN_CODE 77 TIMEOUT 300)
