# Every script of examples/policies runs and prints its table.
file(GLOB scripts CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/examples/policies/*.lua)
list(FILTER scripts EXCLUDE REGEX "/common\\.lua$")
foreach(script ${scripts})
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME examples.${name} COMMAND sh
        ${CMAKE_CURRENT_LIST_DIR}/policy.sh $<TARGET_FILE:warploom> ${script})
    set_tests_properties(examples.${name} PROPERTIES LABELS examples
        TIMEOUT 900)
endforeach()

# The example sweeps that look for the best limits: a part of each.
add_test(NAME examples.best COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/best.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
set_tests_properties(examples.best PROPERTIES LABELS examples TIMEOUT 900
    PROCESSORS 2 COST 100)

# The papers' headlines: some points of each, at tiny; and techniques on top
# of each other.
foreach(row "papers/apcm/quick|bench=bfs" "papers/apcm/fig23|bench=bfs"
        "papers/two-level/quick|bench=btree"
        "papers/two-level/clock|bench=btree"
        "papers/dacache/quick|bench=atax" "papers/sl1/quick|bench=sl1_wc"
        "papers/loscache/quick|bench=fastwalsh"
        "papers/loscache/why-alike|bench=bfs"
        "papers/loscache/why-phase|bench=bicg"
        "compositions|bench=spmv")
    string(REPLACE "|" ";" row "${row}")
    list(GET row 0 script)
    list(GET row 1 only)
    string(REPLACE "/" "." name ${script})
    if(script STREQUAL "compositions")
        set(script ${PROJECT_SOURCE_DIR}/tests/validate/${script}.lua)
    else()
        set(script ${PROJECT_SOURCE_DIR}/examples/${script}.lua)
    endif()
    add_test(NAME examples.${name} COMMAND sh
        ${CMAKE_CURRENT_LIST_DIR}/paper.sh $<TARGET_FILE:warploom> ${script}
        ${only})
    set_tests_properties(examples.${name} PROPERTIES LABELS examples
        TIMEOUT 900)
endforeach()

# The techniques on top of each other over the whole suite: minutes; killed, it
# goes on where it was.  Fails if a law is broken or a result is wrong.
add_custom_target(compositions_nightly COMMAND warploom sweep
    ${PROJECT_SOURCE_DIR}/tests/validate/compositions.lua -o
    ${CMAKE_BINARY_DIR}/compositions.sweep DEPENDS warploom VERBATIM
    USES_TERMINAL)
