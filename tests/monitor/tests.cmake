# The live monitor: asked by a client of ours, and shown in a browser.
find_program(PYTHON3 python3)
if(PYTHON3)
    add_test(NAME monitor.asked COMMAND ${PYTHON3}
        ${CMAKE_CURRENT_LIST_DIR}/monitor.py $<TARGET_FILE:warploom>
        ${PROJECT_SOURCE_DIR})
    set_tests_properties(monitor.asked PROPERTIES LABELS monitor TIMEOUT 600)
    # A run that is watched takes at most 2 % longer, which only a host tells that
    # has nothing else to do; on any host not a quarter of a shorter run.
    if(NOT LOOM_SANITIZE)
        set(cost ${PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/cost.py
            $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
        add_test(NAME monitor.cost COMMAND ${cost} 12 1.25 8)
        set_tests_properties(monitor.cost PROPERTIES LABELS monitor
            TIMEOUT 900)
        add_custom_target(monitor_nightly COMMAND ${cost} 20 1.02
            DEPENDS warploom VERBATIM USES_TERMINAL)
    endif()
    add_test(NAME monitor.browser COMMAND sh
        ${CMAKE_CURRENT_LIST_DIR}/browser.sh $<TARGET_FILE:warploom>
        ${PROJECT_SOURCE_DIR})
    set_tests_properties(monitor.browser PROPERTIES LABELS monitor
        SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()
