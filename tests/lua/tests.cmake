# Lua tests run inside the program.  commands.lua starts it again and again.
foreach(name beside checkpoint children clocks clusters during early errors escapes launch_time library locality running
        texture timed policies)
    add_test(NAME lua.${name}
        COMMAND warploom --unsafe ${CMAKE_CURRENT_LIST_DIR}/${name}.lua)
    # Errors list the folders in which a module was looked for.
    set_tests_properties(lua.${name} PROPERTIES LABELS lua TIMEOUT 300
        ENVIRONMENT_MODIFICATION "WARPLOOM_PATH=unset:")
endforeach()
add_test(NAME lua.gpgpusim
    COMMAND warploom --unsafe ${CMAKE_CURRENT_LIST_DIR}/gpgpusim.lua
        ${PROJECT_SOURCE_DIR}/tests/data/gpgpusim)
set_tests_properties(lua.gpgpusim PROPERTIES LABELS lua TIMEOUT 300)
add_test(NAME lua.commands
    COMMAND warploom --unsafe ${CMAKE_CURRENT_LIST_DIR}/commands.lua
        $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR}/twenty.lua)
set_tests_properties(lua.commands PROPERTIES LABELS lua TIMEOUT 600)

add_executable(blocks_test ${CMAKE_CURRENT_LIST_DIR}/blocks_test.c
    ${PROJECT_SOURCE_DIR}/lua/blocks.c)
set_source_files_properties(${PROJECT_SOURCE_DIR}/lua/blocks.c
    PROPERTIES COMPILE_DEFINITIONS malloc=loom_test_malloc)
target_link_libraries(blocks_test PRIVATE loom_flags loom_engine PkgConfig::LUA
    ${LOOM_CUNIT})
add_test(NAME lua.blocks COMMAND blocks_test)
set_tests_properties(lua.blocks PROPERTIES LABELS lua TIMEOUT 60)

add_test(NAME lua.clocks.threads COMMAND sh
    ${CMAKE_CURRENT_LIST_DIR}/clocks.sh $<TARGET_FILE:warploom>
    ${PROJECT_SOURCE_DIR})
set_tests_properties(lua.clocks.threads PROPERTIES LABELS lua TIMEOUT 600)
add_test(NAME lua.completion COMMAND sh
    ${CMAKE_CURRENT_LIST_DIR}/completion.sh $<TARGET_FILE:warploom>
    ${PROJECT_SOURCE_DIR})
set_tests_properties(lua.completion PROPERTIES LABELS lua
    SKIP_RETURN_CODE 77 TIMEOUT 300)
add_test(NAME lua.again COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/again.sh
    $<TARGET_FILE:warploom>)
set_tests_properties(lua.again PROPERTIES LABELS lua TIMEOUT 600)
foreach(name looking kernels explain threads)
    add_test(NAME lua.${name}
        COMMAND warploom --unsafe ${CMAKE_CURRENT_LIST_DIR}/${name}.lua
            $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR})
    set_tests_properties(lua.${name} PROPERTIES LABELS lua TIMEOUT 300)
endforeach()

# With sanitizers the plain Lua would have to have them, too.
if(NOT LOOM_SANITIZE)
    find_program(LOOM_PLAIN_LUA NAMES lua5.4)
    add_test(NAME lua.rock COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/rock.sh
        ${LOOM_PLAIN_LUA} ${PROJECT_BINARY_DIR})
    set_tests_properties(lua.rock PROPERTIES LABELS lua TIMEOUT 120)
endif()

find_program(PYTHON3 python3)
if(PYTHON3)
    add_test(NAME lua.repl COMMAND ${PYTHON3}
        ${CMAKE_CURRENT_LIST_DIR}/repl.py $<TARGET_FILE:warploom>)
    set_tests_properties(lua.repl PROPERTIES LABELS lua TIMEOUT 900)
endif()

# Static checks of the library, where luacheck is installed.
find_program(LUACHECK luacheck)
if(LUACHECK)
    add_test(NAME lua.luacheck
        COMMAND ${LUACHECK} --quiet --no-color lua/warploom tests/lua
            tests/validate tests/silicon tests/bench tests/policies tests/papers
            workloads/suite examples
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(lua.luacheck PROPERTIES LABELS lua)
endif()
