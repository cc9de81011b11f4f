# House rules.  A missing tool is an error, not a silent skip.
find_program(LOOM_LUA NAMES lua5.4 lua REQUIRED)
find_program(LOOM_CLANG_FORMAT NAMES clang-format-14 clang-format REQUIRED)

add_test(NAME lint.rules COMMAND ${LOOM_LUA}
    ${CMAKE_CURRENT_LIST_DIR}/rules.lua ${PROJECT_SOURCE_DIR})
add_test(NAME lint.bad COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/bad.sh
    ${LOOM_LUA} ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_C_COMPILER})
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/warnings warnings)
separate_arguments(warnings)
find_program(LOOM_GCC NAMES gcc REQUIRED)
add_test(NAME lint.symbols COMMAND sh
    ${CMAKE_CURRENT_LIST_DIR}/symbols.sh ${PROJECT_SOURCE_DIR} ${LOOM_LUA}
    ${LOOM_GCC} ${warnings} -I${PROJECT_BINARY_DIR}/lua ${HDF5_CFLAGS}
    ${LUA_CFLAGS})
add_test(NAME lint.headers COMMAND sh
    ${CMAKE_CURRENT_LIST_DIR}/headers.sh ${PROJECT_SOURCE_DIR}
    ${CMAKE_C_COMPILER} ${HDF5_CFLAGS} ${LUA_CFLAGS})
# Newer ones warn of more; `setup.sh check` builds all of it with clang-14, where
# warnings are errors.
find_program(LOOM_CLANG NAMES clang-19 clang-14 clang REQUIRED)
# What gcc warns of in the rest ends lint.symbols, which compiles it.  Of clang every
# other file, and all by lint_nightly.
foreach(name GCC CLANG)
    string(TOLOWER ${name} case)
    set(only LOOM_EVERY=2)
    if(name STREQUAL GCC)
        set(only LOOM_FOLDERS=tests)
    endif()
    set(compile sh ${CMAKE_CURRENT_LIST_DIR}/compilers.sh ${PROJECT_SOURCE_DIR}
        ${LOOM_${name}} -I${PROJECT_BINARY_DIR}/lua ${HDF5_CFLAGS}
        ${LUA_CFLAGS})
    add_test(NAME lint.compilers.${case} COMMAND ${CMAKE_COMMAND} -E env ${only}
        ${compile})
    set_tests_properties(lint.compilers.${case} PROPERTIES LABELS lint
        PROCESSORS 2 COST 100 TIMEOUT 600)
endforeach()
add_custom_target(lint_nightly COMMAND ${compile} VERBATIM USES_TERMINAL)
file(GLOB_RECURSE loom_sources CONFIGURE_DEPENDS
    RELATIVE ${PROJECT_SOURCE_DIR}
    ${PROJECT_SOURCE_DIR}/engine/*.[ch] ${PROJECT_SOURCE_DIR}/components/*.[ch]
    ${PROJECT_SOURCE_DIR}/policies/*.[ch] ${PROJECT_SOURCE_DIR}/lua/*.[ch]
    ${PROJECT_SOURCE_DIR}/stats/*.[ch] ${PROJECT_SOURCE_DIR}/workloads/*.[ch]
    ${PROJECT_SOURCE_DIR}/cuda/*.[ch] ${PROJECT_SOURCE_DIR}/tests/*.[ch])
list(FILTER loom_sources EXCLUDE REGEX "^workloads/suite/|^tests/lint/bad/")
add_test(NAME lint.format COMMAND ${LOOM_CLANG_FORMAT} --dry-run --Werror
    ${loom_sources} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
add_custom_target(format COMMAND ${LOOM_CLANG_FORMAT} -i ${loom_sources}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set_tests_properties(lint.rules lint.bad lint.symbols lint.headers lint.format
    PROPERTIES LABELS lint TIMEOUT 300)
set_tests_properties(lint.symbols PROPERTIES PROCESSORS 2 COST 100)
