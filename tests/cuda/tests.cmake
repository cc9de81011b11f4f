# CUDA programs: written as nvcc writes them, and by nvcc where it is there.
add_executable(cuda_api ${CMAKE_CURRENT_LIST_DIR}/api_test.c)
target_link_libraries(cuda_api PRIVATE loom_flags -Wl,--no-as-needed cudart_13
    warploom_cuda PkgConfig::LZ4 PkgConfig::ZSTD)

function(loom_cuda_test name text environment)
    add_test(NAME cuda.${name} COMMAND warploom cuda
        ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/machine.lua
        -o ${CMAKE_CURRENT_BINARY_DIR}/cuda_${name}.h5 ${ARGN})
    set_tests_properties(cuda.${name} PROPERTIES LABELS cuda TIMEOUT 300
        PASS_REGULAR_EXPRESSION ${text} ENVIRONMENT
        "TEST_PTX=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/kernels.ptx;\
TEST_LINKED_PTX=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/linked.ptx;${environment}")
endfunction()
function(loom_cuda_skipped name why)
    add_test(NAME cuda.${name} COMMAND sh -c
        "echo 'SKIPPED with sanitizers: ${why}'; exit 77")
    set_tests_properties(cuda.${name} PROPERTIES LABELS cuda
        SKIP_RETURN_CODE 77)
endfunction()
if(LOOM_SANITIZE)
    loom_cuda_skipped(managed
        "they have their own data where device memory is mapped")
else()
    loom_cuda_test(managed "managed passed" "" -- $<TARGET_FILE:cuda_api> managed)
    loom_cuda_test(beside "host and device have both written.*beside passed" ""
        --quiet -- $<TARGET_FILE:cuda_api> beside)
endif()
foreach(case errors sticky properties async cooperative pitch texture
    reference shared threads graph graph_nodes graph_conditions capture
    capture_errors pool cube children)
    loom_cuda_test(${case} "${case} passed" "" -- $<TARGET_FILE:cuda_api> ${case})
endforeach()
foreach(how raw lz4 zstd)
    foreach(launch old new)
        loom_cuda_test(basic.${how}.${launch} "basic passed"
            "TEST_FATBIN=${how};TEST_LAUNCH=${launch}"
            -- $<TARGET_FILE:cuda_api> basic)
    endforeach()
endforeach()
loom_cuda_test(overlap "overlap passed" "" --set link=true
    -- $<TARGET_FILE:cuda_api> overlap)
loom_cuda_test(graph_overlap "graph_overlap passed" "" --set link=true
    -- $<TARGET_FILE:cuda_api> graph_overlap)
loom_cuda_test(devices "devices passed" "" --devices 2
    -- $<TARGET_FILE:cuda_api> devices)
loom_cuda_test(devices.functional "devices passed" "" --devices 2 --functional
    -- $<TARGET_FILE:cuda_api> devices)
loom_cuda_test(devices_overlap "devices_overlap passed" "" --devices 2
    --set link=true -- $<TARGET_FILE:cuda_api> devices_overlap)
loom_cuda_test(clock "clock passed" "" --set link=true
    -- $<TARGET_FILE:cuda_api> clock)
loom_cuda_test(functional "basic passed" "" --functional
    -- $<TARGET_FILE:cuda_api> basic)
loom_cuda_test(children.functional "children passed" "" --functional
    -- $<TARGET_FILE:cuda_api> children)
loom_cuda_test(large_children "a launch by kernel 'branch': kernel 'branch': \
a CTA of 1 threads .* does not fit an SM" "" -- $<TARGET_FILE:cuda_api>
    large_children)
loom_cuda_test(print "^before\nblock 0\nblock 1\nblock 2\nafter\nprint passed\n"
    "" --quiet -- $<TARGET_FILE:cuda_api> print)

loom_cuda_test(refused "\\(module 1\\):[0-9]+: kernel 'strange' is refused: \
instruction 'strange.new.b32 %r1, {1, 2}' is not supported.*refused passed"
    "" --quiet -- $<TARGET_FILE:cuda_api> refused)

loom_cuda_test(compiled "a CTA of 256 threads with 200 registers each \\(as in \
machine code for sm_75\\) and 0 bytes of shared memory does not fit an SM, which \
has 1536 threads, 32768 registers and 49152 bytes.*compiled passed"
    "TEST_FATBIN=cubin" --quiet -- $<TARGET_FILE:cuda_api> compiled)

# Does on a real card what `warploom record --card` wrote.
set(card ${PROJECT_SOURCE_DIR}/tests/silicon/card)
add_executable(warploom_card ${card}/driver.c ${card}/main.c ${card}/play.c)
target_link_libraries(warploom_card PRIVATE loom_flags ${CMAKE_DL_LIBS} m)
# GCC 12 for aarch64 falls at play.c with -O3 (vect_transform_reduction).
target_compile_options(warploom_card PRIVATE $<$<CONFIG:Release>:-O1>)
set_target_properties(warploom_card PROPERTIES OUTPUT_NAME warploom-card)
add_test(NAME cuda.card COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/card.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR} $<TARGET_FILE:warploom_card>)
set_tests_properties(cuda.card PROPERTIES LABELS cuda TIMEOUT 300)

# What is wrong with a program is said, and it goes on with an error.
function(loom_cuda_damaged how error text)
    loom_cuda_test(damaged.${how} "${text}.*damaged passed"
        "TEST_FATBIN=${how};TEST_ERROR=${error}"
        -- $<TARGET_FILE:cuda_api> damaged)
endfunction()
loom_cuda_damaged(header 200 "no fat binary: it does not start with 0xba55ed50")
loom_cuda_damaged(long 200 "a fat binary of 1099511627792 bytes, but only ")
loom_cuda_damaged(text 200 "damaged: ")
loom_cuda_damaged(wrapper 200 "wrapper is damaged")
# Relocatable device code: translation units that are linked.
loom_cuda_test(linked.raw
    "1 of 3 parts of the program's relocatable.*block 0.*linked passed"
    "TEST_LINKED=yes" -- $<TARGET_FILE:cuda_api> linked)
loom_cuda_test(linked.zstd "^block 0\nlinked passed\n$"
    "TEST_LINKED=yes;TEST_FATBIN=zstd"
    --quiet --functional -- $<TARGET_FILE:cuda_api> linked)
function(loom_cuda_damaged_link how error text)
    loom_cuda_test(damaged.link.${how} "${text}.*damaged passed"
        "TEST_LINKED=${how};TEST_ERROR=${error}"
        -- $<TARGET_FILE:cuda_api> damaged)
endfunction()
loom_cuda_damaged_link(none 200 "relocatable device code has no end")
loom_cuda_damaged_link(part 200 "does not start with 0xba55ed50")
loom_cuda_damaged_link(code 209
    "device code has no PTX.*nvcc -rdc=true -arch=compute_75, without -dlto")
loom_cuda_damaged(code 209
    "machine code \\(sm_75\\) but no PTX.*build it with: nvcc -arch=compute_75")
loom_cuda_test(missing "calls cudaConfigureCall, which is not provided" ""
    -- $<TARGET_FILE:cuda_api> missing)

# Programs of older versions: by their symbols' versions, and their layouts.
foreach(version 11.0 12)
    string(REGEX MATCH "^[0-9]+" major ${version})
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/cuda_library_${major})
    file(CONFIGURE OUTPUT ${folder}/map CONTENT
        "libcudart.so.${version} { global: *; };\n")
    add_library(cuda_old_library_${major} SHARED
        ${CMAKE_CURRENT_LIST_DIR}/old_library.c)
    target_link_libraries(cuda_old_library_${major} PRIVATE loom_flags)
    target_link_options(cuda_old_library_${major} PRIVATE
        LINKER:--version-script=${folder}/map
        LINKER:-soname,libcudart.so.${version})
    set_target_properties(cuda_old_library_${major} PROPERTIES NO_SONAME ON
        PREFIX "" SUFFIX "" OUTPUT_NAME libcudart.so.${version}
        LIBRARY_OUTPUT_DIRECTORY ${folder})
    add_executable(cuda_old_${major} ${CMAKE_CURRENT_LIST_DIR}/old_test.c)
    target_compile_definitions(cuda_old_${major} PRIVATE OLD_VERSION=${major})
    target_link_libraries(cuda_old_${major} PRIVATE loom_flags
        cuda_old_library_${major})
    loom_cuda_test(old.${major} "^old ${major} passed\n$" "" --quiet
        -- $<TARGET_FILE:cuda_old_${major}>)
endforeach()

# Programs with a runtime in them: its functions must not be called.  A version
# lacks some: what tells it from others.
function(loom_static_runtime version without)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/cuda_static_${version})
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${folder}/names.h DEPENDS warploom_cuda
        COMMAND sh -c "{ echo ' T cudaFutureFunction'; nm -D --defined-only \
$<TARGET_FILE:warploom_cuda>; } | sed -n 's/.* T \\(_*cuda.*\\)/FAKE(\\1)/p' | \
sort | grep -Ev '\\((${without})\\)' >names.h"
        WORKING_DIRECTORY ${folder} VERBATIM)
    add_library(cuda_runtime_${version} STATIC ${folder}/names.h
        ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/static_runtime.c)
    # Aligned as NVIDIA's, so that there is room for a jump.
    target_compile_options(cuda_runtime_${version} PRIVATE -O0
        -falign-functions=16)
    target_compile_definitions(cuda_runtime_${version} PRIVATE
        FAKE_NAMES="${folder}/names.h")
    target_link_libraries(cuda_runtime_${version} PRIVATE loom_flags)
endfunction()
loom_static_runtime(13 cudaGetDeviceProperties_v2)
loom_static_runtime(12 __cudaLaunchKernel|__cudaGetKernel)
loom_static_runtime(11
    __cudaLaunchKernel|__cudaGetKernel|cudaGetDeviceProperties_v2)
function(loom_static_program name source version)
    add_executable(${name} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${source})
    target_link_libraries(${name} PRIVATE loom_flags cuda_runtime_${version}
        PkgConfig::LZ4 PkgConfig::ZSTD)
endfunction()
loom_static_program(cuda_static api_test.c 13)
target_link_options(cuda_static PRIVATE -pie)
loom_static_program(cuda_static_fixed api_test.c 13)
target_link_options(cuda_static_fixed PRIVATE -no-pie)
foreach(version 11 12)
    loom_static_program(cuda_static_old_${version} old_test.c ${version})
    target_compile_definitions(cuda_static_old_${version} PRIVATE
        OLD_VERSION=${version})
endforeach()
if(LOOM_SANITIZE)
    loom_cuda_skipped(static
        "their run-time systems must be in a program from its start")
else()
    foreach(case basic errors sticky properties async managed cooperative
        texture threads graph capture pool)
        loom_cuda_test(static.${case} "${case} passed" ""
            -- $<TARGET_FILE:cuda_static> ${case})
    endforeach()
    loom_cuda_test(static.fixed "basic passed" "TEST_LAUNCH=old"
        -- $<TARGET_FILE:cuda_static_fixed> basic)
    loom_cuda_test(static.missing
        "calls cudaConfigureCall, which is not provided" ""
        -- $<TARGET_FILE:cuda_static> missing)
    loom_cuda_test(static.future
        "calls cudaFutureFunction, which is not provided" ""
        -- $<TARGET_FILE:cuda_static> future)
    foreach(version 11 12)
        loom_cuda_test(static.old.${version} "^old ${version} passed\n$" ""
            --quiet -- $<TARGET_FILE:cuda_static_old_${version}>)
    endforeach()
    add_test(NAME cuda.static COMMAND sh
        ${CMAKE_CURRENT_LIST_DIR}/static.sh $<TARGET_FILE:warploom>
        ${PROJECT_SOURCE_DIR} $<TARGET_FILE:cuda_static>)
    set_tests_properties(cuda.static PROPERTIES LABELS cuda TIMEOUT 300)
endif()

# Programs of the driver API.  They are linked with a library of the driver's
# name whose functions must not be called; ours takes its place.
set(folder ${CMAKE_CURRENT_BINARY_DIR}/cuda_driver)
file(MAKE_DIRECTORY ${folder})
add_custom_command(OUTPUT ${folder}/names.h DEPENDS warploom_cuda
    COMMAND sh -c "nm -D --defined-only $<TARGET_FILE:warploom_cuda> | \
sed -n 's/.* T \\(cu[A-Z].*\\)/FAKE(\\1)/p' >names.h"
    WORKING_DIRECTORY ${folder} VERBATIM)
add_library(cuda_fake_driver SHARED ${folder}/names.h
    ${CMAKE_CURRENT_LIST_DIR}/static_runtime.c)
target_compile_definitions(cuda_fake_driver PRIVATE
    FAKE_NAMES="${folder}/names.h")
target_link_libraries(cuda_fake_driver PRIVATE loom_flags)
set_target_properties(cuda_fake_driver PROPERTIES OUTPUT_NAME cuda SOVERSION 1
    LIBRARY_OUTPUT_DIRECTORY ${folder})
add_executable(cuda_driver_api ${CMAKE_CURRENT_LIST_DIR}/driver_test.c
    ${CMAKE_CURRENT_LIST_DIR}/driver_graph.c
    ${CMAKE_CURRENT_LIST_DIR}/driver_memory.c
    ${CMAKE_CURRENT_LIST_DIR}/driver_virtual.c)
target_link_libraries(cuda_driver_api PRIVATE loom_flags cuda_fake_driver
    PkgConfig::LZ4 PkgConfig::ZSTD ${CMAKE_DL_LIBS})
if(LOOM_SANITIZE) # one that names this gets nothing preloaded
    target_link_libraries(cuda_driver_api PRIVATE -Wl,--no-as-needed cudart_13)
endif()
add_executable(cuda_mixed ${CMAKE_CURRENT_LIST_DIR}/mixed_test.c)
target_link_libraries(cuda_mixed PRIVATE loom_flags cuda_fake_driver
    -Wl,--no-as-needed cudart_13 warploom_cuda PkgConfig::LZ4 PkgConfig::ZSTD)
foreach(case contexts device module forms sticky link entry memory virtual boxes
    texture streams graph)
    loom_cuda_test(driver.${case} "${case} passed" ""
        -- $<TARGET_FILE:cuda_driver_api> ${case})
endforeach()
loom_cuda_test(driver.functional "module passed" "" --functional
    -- $<TARGET_FILE:cuda_driver_api> module)
if(LOOM_SANITIZE)
    loom_cuda_skipped(driver.managed
        "they have their own data where device memory is mapped")
else()
    loom_cuda_test(driver.managed "managed passed" ""
        -- $<TARGET_FILE:cuda_driver_api> managed)
endif()
loom_cuda_test(driver.errors "fly.*machine code, not PTX.*no file \
'nowhere/none.ptx'.*but no PTX.*no kernel 'scales'.*it has 13: .*calls cuMulticastCreate, which \
is not provided.*errors passed" ""
    -- $<TARGET_FILE:cuda_driver_api> errors)
loom_cuda_test(driver.mixed "mixed passed" "" -- $<TARGET_FILE:cuda_mixed>)

# What each function says that is not provided; compilers that are missing.
add_executable(cuda_compilers ${CMAKE_CURRENT_LIST_DIR}/compilers_test.c)
target_link_libraries(cuda_compilers PRIVATE loom_flags -Wl,--no-as-needed
    absent_libnvrtc_so_12 absent_libnvJitLink_so_13)
set_target_properties(cuda_compilers PROPERTIES SKIP_BUILD_RPATH ON)
if(LOOM_SANITIZE)
    loom_cuda_skipped(driver
        "their run-time systems must be in a program from its start")
else()
    add_test(NAME cuda.driver COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/driver.sh
        $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR}
        $<TARGET_FILE:cuda_driver_api> $<TARGET_FILE:cuda_compilers>)
    set_tests_properties(cuda.driver PROPERTIES LABELS cuda TIMEOUT 300)
endif()

# Programs that nvcc builds, where it is.
find_program(LOOM_NVCC NAMES nvcc HINTS /usr/local/cuda/bin)
if(LOOM_SANITIZE)
    foreach(test nvcc same ways)
        loom_cuda_skipped(${test}
            "their run-time systems must be in a program from its start")
    endforeach()
else()
    foreach(test nvcc same ways)
        add_test(NAME cuda.${test} COMMAND sh
            ${CMAKE_CURRENT_LIST_DIR}/${test}.sh
            $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR} "${LOOM_NVCC}")
        set_tests_properties(cuda.${test} PROPERTIES LABELS cuda TIMEOUT 1800
            SKIP_RETURN_CODE 77)
    endforeach()
endif()
# Every host in every way that nvcc builds it, and beside its Lua host.
add_custom_target(cuda_nightly
    COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/ways.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR} "${LOOM_NVCC}" all
    COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/same.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR} "${LOOM_NVCC}" all
    DEPENDS warploom VERBATIM USES_TERMINAL)
foreach(test options wrong checkpoint)
    add_test(NAME cuda.${test} COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/${test}.sh
        $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR} $<TARGET_FILE:cuda_api>
        ${LOOM_SANITIZE})
    set_tests_properties(cuda.${test} PROPERTIES LABELS cuda TIMEOUT 300
        SKIP_RETURN_CODE 77)
endforeach()
set_tests_properties(cuda.checkpoint PROPERTIES TIMEOUT 600)
include(${CMAKE_CURRENT_LIST_DIR}/blas/tests.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/rand/tests.cmake)

# A GPT-2 that is trained on the device and on the host.
add_executable(cuda_gpt2 ${CMAKE_CURRENT_LIST_DIR}/gpt2/gpt2.c
    ${CMAKE_CURRENT_LIST_DIR}/gpt2/host_ops.c
    ${CMAKE_CURRENT_LIST_DIR}/gpt2/model.c)
target_link_libraries(cuda_gpt2 PRIVATE loom_flags -Wl,--no-as-needed cudart_13
    warploom_cuda m)
set(ptx ${CMAKE_CURRENT_LIST_DIR}/gpt2/kernels.ptx)
loom_cuda_test(gpt2 "step 5: loss 4.*PASSED: the losses differ by" ""
    --functional --quiet -- $<TARGET_FILE:cuda_gpt2> ${ptx})
loom_cuda_test(gpt2.timed "step 0: loss 4.*PASSED: the losses differ by" ""
    --quiet -- $<TARGET_FILE:cuda_gpt2> ${ptx} 1 1 8 4 1 1)

# Some kinds of programs as nvcc builds them; kinds.sh without names has all.
if(LOOM_SANITIZE)
    loom_cuda_skipped(kinds
        "their run-time systems must be in a program from its start")
else()
    add_test(NAME cuda.kinds COMMAND ${CMAKE_COMMAND} -E env
        WARPLOOM=$<TARGET_FILE:warploom> "NVCC=${LOOM_NVCC}"
        sh ${CMAKE_CURRENT_LIST_DIR}/kinds.sh new recursion half CDP
        several)
    set_tests_properties(cuda.kinds PROPERTIES LABELS cuda TIMEOUT 1800
        SKIP_RETURN_CODE 77)
endif()
