# S-L1's figure 10, and this host's processor beside it, which is not
# comparable: cmake --build build/release --target sl1_figure10
find_package(Threads REQUIRED)
add_executable(sl1_cpu EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/sl1_cpu.c)
target_compile_definitions(sl1_cpu PRIVATE _GNU_SOURCE)
target_link_libraries(sl1_cpu PRIVATE loom_flags Threads::Threads)
add_custom_target(sl1_figure10
    COMMAND sl1_cpu
    COMMAND warploom sweep ${PROJECT_SOURCE_DIR}/examples/papers/sl1/fig10.lua
        -o ${CMAKE_BINARY_DIR}/sl1_fig10.sweep
    VERBATIM USES_TERMINAL)
