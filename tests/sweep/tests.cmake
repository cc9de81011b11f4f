# Sweeps.
add_test(NAME sweep.sweep COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/sweep.sh
    $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR})
add_test(NAME sweep.kills COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/kills.sh
    $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR} 50)
add_test(NAME sweep.columns COMMAND warploom --unsafe
    ${CMAKE_CURRENT_LIST_DIR}/columns.lua)
set_tests_properties(sweep.sweep sweep.kills sweep.columns PROPERTIES
    LABELS sweep TIMEOUT 600)
