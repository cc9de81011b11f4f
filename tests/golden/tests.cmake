# Golden statistics of small machines: exact, whatever the build.
foreach(machine dev nol1 lone)
    foreach(kernel atax bfs bicg gemm reduction vectoradd)
        add_test(NAME golden.${machine}.${kernel}
            COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/golden.sh
                ${LOOM_RUN} ${CMAKE_CURRENT_LIST_DIR}
                ${machine} ${kernel})
        set_tests_properties(golden.${machine}.${kernel} PROPERTIES
            LABELS golden TIMEOUT ${limit})
    endforeach()
endforeach()

# The same with several threads: the same golden text.
foreach(threads 2 4)
    foreach(kernel atax bfs reduction)
        add_test(NAME golden.threads${threads}.${kernel}
            COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/golden.sh
                ${LOOM_RUN} ${CMAKE_CURRENT_LIST_DIR}
                dev ${kernel} ${threads})
        set_tests_properties(golden.threads${threads}.${kernel} PROPERTIES
            LABELS golden TIMEOUT ${limit} PROCESSORS 2 COST 100)
    endforeach()
endforeach()
