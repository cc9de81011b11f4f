# What `cmake --install` leaves, from a prefix that has been moved.
add_test(NAME install.tree COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/tree.sh
    ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND}
    ${CMAKE_C_COMPILER})
set_tests_properties(install.tree PROPERTIES LABELS install TIMEOUT 300)
