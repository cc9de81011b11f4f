# Every script of examples/policies runs and prints its table.
file(GLOB scripts CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/examples/policies/*.lua)
foreach(script ${scripts})
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME examples.${name} COMMAND sh
        ${CMAKE_CURRENT_LIST_DIR}/policy.sh $<TARGET_FILE:warploom> ${script})
    set_tests_properties(examples.${name} PROPERTIES LABELS examples
        TIMEOUT 300)
endforeach()
