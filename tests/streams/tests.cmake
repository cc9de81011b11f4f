# Streams, copies and events, through the program.
function(loom_stream_test name text)
    add_test(NAME streams.${name} COMMAND warploom run --unsafe
        ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/streams.lua ${ARGN})
    set_tests_properties(streams.${name} PROPERTIES LABELS streams TIMEOUT 300
        PASS_REGULAR_EXPRESSION ${text})
endfunction()
foreach(case overlap order copies events waits within full implicit default
    unfinished pinned)
    loom_stream_test(${case} "${case} is as it should be" --set case=${case})
endforeach()
loom_stream_test(alone "overlap is as it should be"
    --set case=overlap --set kernels=1)
loom_stream_test(threads "overlap is as it should be"
    --set case=overlap --threads 2)
loom_stream_test(functional "functional is as it should be"
    --set case=functional --functional)
loom_stream_test(early
    "'seconds' of the launch of 'work' is not known before it is complete"
    --set case=early)
loom_stream_test(foreign "launch of 'work': the stream belongs to another run"
    --set case=foreign)
loom_stream_test(number
    "launch of 'work': 'stream' is 3, expected a stream: dev:stream"
    --set case=number)
loom_stream_test(gather
    "gather: there is no option 'steam'. did you mean 'stream'" --set case=gather)
loom_stream_test(gather_bytes "gather: got .many., expected bytes"
    --set case=gather_bytes)
loom_stream_test(pinned_what "upload: 'pinned' is 1, expected true or false"
    --set case=pinned_what)
loom_stream_test(offset
    "upload: 3 bytes into buffer 'a' of 16, at offset 14" --set case=offset)
foreach(kernels 1 4)
    loom_stream_test(print${kernels}
        "^k 1 cta 0\nk 1 cta 1\nk 2 cta 0\nk 2 cta 1\nk 3 cta 0\nk 3 cta 1\nk 4 cta 0\nk 4 cta 1\n"
        --quiet --set case=print --set kernels=${kernels})
endforeach()
add_test(NAME streams.files COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/files.sh
    $<TARGET_FILE:warploom> ${CMAKE_CURRENT_LIST_DIR})
set_tests_properties(streams.files PROPERTIES LABELS streams TIMEOUT 300)

# Data in the host's memory that goes through the device in pieces.
add_test(NAME streams.pipelines COMMAND warploom run -q
    ${CMAKE_CURRENT_LIST_DIR}/pipelines.lua)
set_tests_properties(streams.pipelines PROPERTIES LABELS streams TIMEOUT 300
    PASS_REGULAR_EXPRESSION "pipelines: all right")
