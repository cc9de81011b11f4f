# A results file of a real run: everything in it has units, a description and
# scales, and what a crash or a reader needs.
add_test(NAME validate.results_file COMMAND sh
    ${CMAKE_CURRENT_LIST_DIR}/results_file.sh $<TARGET_FILE:warploom>
    ${PROJECT_SOURCE_DIR})
set_tests_properties(validate.results_file PROPERTIES LABELS validate
    TIMEOUT 120)

# A run that is killed leaves a whole file.
add_test(NAME validate.killed COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/killed.sh
    $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR})
set_tests_properties(validate.killed PROPERTIES LABELS validate TIMEOUT 900)

# The calibration programs compute what GPGPU-Sim computed, to the last bit.
add_test(NAME validate.reference COMMAND warploom run --unsafe --functional
    ${CMAKE_CURRENT_LIST_DIR}/functional.lua
    --set root=${PROJECT_SOURCE_DIR})
set_tests_properties(validate.reference PROPERTIES LABELS validate
    TIMEOUT 300)

# Registers per thread beside ptxas's.
add_test(NAME validate.registers COMMAND warploom run --unsafe --functional --quiet
    ${CMAKE_CURRENT_LIST_DIR}/registers.lua --set root=${PROJECT_SOURCE_DIR})
set_tests_properties(validate.registers PROPERTIES LABELS validate
    TIMEOUT 120)

# Micro-kernels: latencies are sums of their parts, throughputs the closed
# form of what binds them, on machines of several shapes.
foreach(kernel alu atomic chase const shared stream stride)
    add_test(NAME validate.micro_${kernel} COMMAND warploom run --unsafe --quiet
        ${CMAKE_CURRENT_LIST_DIR}/micro.lua --set only=micro_${kernel})
    set_tests_properties(validate.micro_${kernel} PROPERTIES LABELS validate
        TIMEOUT 600)
endforeach()

# Latencies of the presets made from public figures, beside the cards'.
add_test(NAME validate.latencies COMMAND warploom run --unsafe --quiet
    ${CMAKE_CURRENT_LIST_DIR}/latencies.lua)
set_tests_properties(validate.latencies PROPERTIES LABELS validate TIMEOUT 300)

# A few of what was measured on cards; all of it: docs/silicon.md.
function(loom_silicon name script card only limit)
    add_test(NAME validate.silicon.${name} COMMAND warploom run --unsafe --quiet
        ${PROJECT_SOURCE_DIR}/tests/silicon/${script}.lua --set card=${card}
        --set only=${only} --set limit=${limit})
    set_tests_properties(validate.silicon.${name} PROPERTIES LABELS validate
        TIMEOUT 300 ENVIRONMENT
        "WARPLOOM_PATH=${PROJECT_SOURCE_DIR}/tests/silicon")
endfunction()
loom_silicon(fma table h100_sxm "latency fma.f[36]" 0.06)
loom_silicon(barrier table h200 "barrier" 0.03)
loom_silicon(wgmma table h200 "^wgmma m64n64k" 0.09)
# Two warpgroups that are in step have an interval of 14.8, else 13.0.
loom_silicon(wgmma_narrow table h200 "^wgmma m64n8k" 0.15)
loom_silicon(launch compare h100_sxm "^emptykernel block=2048;thread=.*4$" 0.06)
loom_silicon(convolution compare h100_sxm "^2dconv.*size=64" 0.15)
loom_silicon(loop compare h100_sxm "^gemm.*size=48" 0.06)
# What explains a case that is far off still does.
loom_silicon(worst worst h100_sxm "^bicg" 0.1)
add_test(NAME validate.silicon.gap COMMAND warploom run --unsafe --quiet
    ${PROJECT_SOURCE_DIR}/tests/silicon/gap.lua)
set_tests_properties(validate.silicon.gap PROPERTIES LABELS validate
    TIMEOUT 300)

# What others have published of cards: units, L1, translation; that of a V100,
# which takes a chase through 1.9 GiB, by silicon_nightly.
set(published warploom run --unsafe --quiet
    ${PROJECT_SOURCE_DIR}/tests/silicon/published.lua --set limit=0.05)
add_custom_target(silicon_nightly COMMAND ${CMAKE_COMMAND} -E env
    WARPLOOM_PATH=${PROJECT_SOURCE_DIR}/tests/silicon $<TARGET_FILE:warploom> run
    --unsafe --quiet ${PROJECT_SOURCE_DIR}/tests/silicon/published.lua
    --set limit=0.05 --set preset=v100 --set only=TLB
    COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/scheduled.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR} "${LOOM_NVCC}" all
    COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/counts.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR} "${LOOM_NVCC}" all
    DEPENDS warploom VERBATIM USES_TERMINAL)
foreach(preset v100 a100 rtx3090 rtx4090)
    set(only "^[lrLTs]")
    if(preset STREQUAL "v100")
        set(only "^[lrL]")
    endif()
    add_test(NAME validate.silicon.published_${preset} COMMAND ${published}
        --set preset=${preset} --set only=${only})
    set_tests_properties(validate.silicon.published_${preset} PROPERTIES
        LABELS validate TIMEOUT 300 ENVIRONMENT
        "WARPLOOM_PATH=${PROJECT_SOURCE_DIR}/tests/silicon")
endforeach()

# Streams through memory, in points of the peak.
add_test(NAME validate.silicon.streams COMMAND warploom run --unsafe --quiet
    ${PROJECT_SOURCE_DIR}/tests/silicon/streams.lua --set preset=a100
    --set share=16 --set only=copy --set limit=0.08)
set_tests_properties(validate.silicon.streams PROPERTIES LABELS validate
    TIMEOUT 300 ENVIRONMENT
    "WARPLOOM_PATH=${PROJECT_SOURCE_DIR}/tests/silicon")

# S-L1's figures 5 and 6: their corners.
add_test(NAME validate.sl1 COMMAND warploom run --unsafe --quiet
    ${CMAKE_CURRENT_LIST_DIR}/sl1.lua)
set_tests_properties(validate.sl1 PROPERTIES LABELS validate TIMEOUT 600)

# Random machines and machines with a mistake: a part here, more by
# `tests/validate/all.sh`.  What passing over does to the rest.
foreach(name random invalid passing)
    add_test(NAME validate.${name} COMMAND warploom --unsafe --quiet run
        ${CMAKE_CURRENT_LIST_DIR}/${name}.lua)
    set_tests_properties(validate.${name} PROPERTIES LABELS validate
        TIMEOUT 900 PROCESSORS 2 COST 100 ENVIRONMENT
        "WARPLOOM_PATH=${CMAKE_CURRENT_LIST_DIR}:${PROJECT_SOURCE_DIR}/tests/lua")
endforeach()

# Sampled runs beside full ones.  More: tests/validate/sampling.lua.
add_test(NAME validate.sampling COMMAND warploom --quiet run
    ${CMAKE_CURRENT_LIST_DIR}/sampling.lua)
set_tests_properties(validate.sampling PROPERTIES LABELS validate TIMEOUT 300)

# Every parameter of the schema at its ends, on the smallest machine that has its
# part.  With ten kernels: cmake --build build/debug --target extremes_nightly
add_test(NAME validate.extremes COMMAND sh
    ${CMAKE_CURRENT_LIST_DIR}/extremes.sh $<TARGET_FILE:warploom>
    ${PROJECT_SOURCE_DIR})
set_tests_properties(validate.extremes PROPERTIES LABELS validate TIMEOUT 700)
add_custom_target(extremes_nightly COMMAND sh
    ${CMAKE_CURRENT_LIST_DIR}/extremes.sh $<TARGET_FILE:warploom>
    ${PROJECT_SOURCE_DIR} 10 DEPENDS warploom VERBATIM)

# No replacement policy beats Belady's MIN on any program of the suite.
add_test(NAME validate.min COMMAND warploom --unsafe --quiet run
    ${CMAKE_CURRENT_LIST_DIR}/min.lua)
set_tests_properties(validate.min PROPERTIES LABELS validate TIMEOUT 600)

# DIP and DRRIP do what they were invented for, by closed forms.
add_test(NAME validate.replacement COMMAND warploom run --unsafe --quiet
    ${CMAKE_CURRENT_LIST_DIR}/replacement.lua)
set_tests_properties(validate.replacement PROPERTIES LABELS validate
    TIMEOUT 600)

# Networks: closed forms and BookSim's measurements; all of it and longer with
# --set full=true.
foreach(what zero booksim load near closed delivery)
    add_test(NAME validate.network_${what} COMMAND warploom run --unsafe --quiet
        ${CMAKE_CURRENT_LIST_DIR}/network.lua --set only=${what}
        --set root=${PROJECT_SOURCE_DIR})
    set_tests_properties(validate.network_${what} PROPERTIES LABELS validate
        TIMEOUT 900 ENVIRONMENT "WARPLOOM_PATH=${CMAKE_CURRENT_LIST_DIR}")
endforeach()

# Machines that nobody shipped: a few programs, threads; the whole suite by
# `tests/validate/examples.sh WARPLOOM SOURCE_DIR NAME`.
foreach(name mesh_gpu four_chiplets two_gpus)
    add_test(NAME validate.example_${name} COMMAND sh
        ${CMAKE_CURRENT_LIST_DIR}/examples.sh $<TARGET_FILE:warploom>
        ${PROJECT_SOURCE_DIR} ${name} bfs atax gemm reduction vectoradd)
    set_tests_properties(validate.example_${name} PROPERTIES LABELS validate
        TIMEOUT 600 PROCESSORS 2 COST 100)
endforeach()

# Every program of the suite on a preset of each kind; `check` finds nothing to
# say.  The others are one of these with other numbers: each gets its own third
# of the programs, and all of them by `presets_nightly`.
file(GLOB presets CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/lua/warploom/presets/*.lua)
file(GLOB programs CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/workloads/suite/*/*.ptx)
list(TRANSFORM programs REPLACE ".*/([^/]*)/[^/]*\\.ptx$" "\\1")
list(REMOVE_DUPLICATES programs)
list(SORT programs)
list(LENGTH programs last)
math(EXPR last "${last} - 1")
list(JOIN programs "," all_programs)
set(preset sh ${CMAKE_CURRENT_LIST_DIR}/preset.sh $<TARGET_FILE:warploom>
    ${CMAKE_CURRENT_LIST_DIR}/presets.lua)
set(third 0)
set(nightly "")
foreach(file ${presets})
    get_filename_component(name ${file} NAME_WE)
    set(these ${programs})
    if(NOT name MATCHES "^(tiny|gtx480|qv100|h100)$")
        set(these "")
        math(EXPR third "(${third} + 1) % 3")
        foreach(i RANGE ${third} ${last} 3)
            list(GET programs ${i} program)
            list(APPEND these ${program})
        endforeach()
    endif()
    list(JOIN these "," these)
    add_test(NAME validate.preset.${name} COMMAND ${preset} ${name} ${these})
    set_tests_properties(validate.preset.${name} PROPERTIES LABELS validate
        TIMEOUT 1200)
    list(APPEND nightly COMMAND ${preset} ${name} ${all_programs})
endforeach()
add_custom_target(presets_nightly ${nightly} DEPENDS warploom VERBATIM
    USES_TERMINAL)

# One program of the calibration in every configuration (the whole comparison
# takes a few minutes: --set config=all, see gpgpusim.lua).
add_test(NAME validate.gpgpusim COMMAND warploom run --unsafe --quiet
    ${CMAKE_CURRENT_LIST_DIR}/gpgpusim.lua --set root=${PROJECT_SOURCE_DIR}
    --set config=all --set programs=stencil5,reduce_tree --set limit=15)
set_tests_properties(validate.gpgpusim PROPERTIES LABELS validate
    TIMEOUT 600)

# Programs that are not the repository's, in a folder of their own.
add_test(NAME validate.elsewhere COMMAND sh
    ${CMAKE_CURRENT_LIST_DIR}/elsewhere.sh $<TARGET_FILE:warploom>
    ${PROJECT_SOURCE_DIR})
set_tests_properties(validate.elsewhere PROPERTIES LABELS validate
    TIMEOUT 600)

# One, two and four threads; more programs by `tests/validate/threads.sh`.
add_test(NAME validate.threads COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/threads.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR} golden/dev/reduction
    golden/lone/bfs golden/nol1/vectoradd nn micro_conflict collatz)
set_tests_properties(validate.threads PROPERTIES LABELS validate TIMEOUT 900
    PROCESSORS 2 COST 100)

# DRAM: logs of commands against rules that are written down a second time, by a
# program that shares nothing with the simulator.  Ten million commands:
# cmake --build build/release --target dram_nightly
add_executable(dram_check ${CMAKE_CURRENT_LIST_DIR}/dram_check.c)
target_link_libraries(dram_check PRIVATE loom_flags)
add_test(NAME validate.dram_rules COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/dram.sh
    $<TARGET_FILE:warploom> $<TARGET_FILE:dram_check> ${PROJECT_SOURCE_DIR})
set_tests_properties(validate.dram_rules PROPERTIES LABELS validate
    TIMEOUT 900)
add_test(NAME validate.dram_traces COMMAND sh
    ${CMAKE_CURRENT_LIST_DIR}/dram_traces.sh $<TARGET_FILE:dram_check>
    ${PROJECT_SOURCE_DIR})
set_tests_properties(validate.dram_traces PROPERTIES LABELS validate
    TIMEOUT 300 SKIP_RETURN_CODE 77)
add_custom_target(dram_nightly COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/dram.sh
    $<TARGET_FILE:warploom> $<TARGET_FILE:dram_check> ${PROJECT_SOURCE_DIR}
    60000 COMMAND ${CMAKE_COMMAND} -E env WARPLOOM_PATH=${CMAKE_CURRENT_LIST_DIR}
    $<TARGET_FILE:warploom> run --unsafe --quiet
    ${CMAKE_CURRENT_LIST_DIR}/dram_reference.lua --set root=${PROJECT_SOURCE_DIR}
    --set configs=all DEPENDS warploom dram_check VERBATIM)

# Queues longer than 64, all controllers, few and many banks.
add_test(NAME validate.dram_shapes COMMAND warploom run --unsafe --quiet
    ${CMAKE_CURRENT_LIST_DIR}/dram_shapes.lua)
set_tests_properties(validate.dram_shapes PROPERTIES LABELS validate
    TIMEOUT 300 ENVIRONMENT "WARPLOOM_PATH=${CMAKE_CURRENT_LIST_DIR}")

# The experiments that other simulators answered, repeated; with the other loads
# by dram_nightly.
add_test(NAME validate.dram_reference COMMAND warploom run --unsafe --quiet
    ${CMAKE_CURRENT_LIST_DIR}/dram_reference.lua --set root=${PROJECT_SOURCE_DIR}
    --set configs=all --set loads=N1,0.05,0.2,0.4,0.5,1)
set_tests_properties(validate.dram_reference PROPERTIES LABELS validate
    TIMEOUT 900 ENVIRONMENT "WARPLOOM_PATH=${CMAKE_CURRENT_LIST_DIR}")

# Scheduled PTX beside ptxas's, where there is nvcc.
find_program(LOOM_NVCC NAMES nvcc HINTS /usr/local/cuda/bin)
add_test(NAME validate.scheduled COMMAND sh
    ${CMAKE_CURRENT_LIST_DIR}/scheduled.sh $<TARGET_FILE:warploom>
    ${PROJECT_SOURCE_DIR} "${LOOM_NVCC}")
add_test(NAME validate.counts COMMAND sh
    ${CMAKE_CURRENT_LIST_DIR}/counts.sh $<TARGET_FILE:warploom>
    ${PROJECT_SOURCE_DIR} "${LOOM_NVCC}")
set_tests_properties(validate.scheduled validate.counts PROPERTIES
    LABELS validate TIMEOUT 600 SKIP_RETURN_CODE 77)
