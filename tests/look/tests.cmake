# Reports in a browser.  (What plot, report, diff and export print and draw is
# in tests/lua/looking.lua.)
add_test(NAME look.browser COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/browser.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
set_tests_properties(look.browser PROPERTIES LABELS look
    SKIP_RETURN_CODE 77 TIMEOUT 900)

# The recipes of docs/post-processing.md, each where its language is installed.
foreach(name helper h5py xarray pandas octave rhdf5 hdf5r julia h5dump)
    add_test(NAME look.recipe.${name} COMMAND ${LOOM_LUA}
        ${CMAKE_CURRENT_LIST_DIR}/recipes.lua $<TARGET_FILE:warploom>
        ${PROJECT_SOURCE_DIR} ${name})
    set_tests_properties(look.recipe.${name} PROPERTIES LABELS look
        SKIP_RETURN_CODE 77 TIMEOUT 120)
endforeach()

# The Python module against `warploom stats`.
add_test(NAME look.helper COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/helper.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
set_tests_properties(look.helper PROPERTIES LABELS look
    SKIP_RETURN_CODE 77 TIMEOUT 600)

# Every ratio of the catalogue in every window: by plot, report, stats, export,
# the Lua reader and the Python module, against raw counters.
add_test(NAME look.ratios COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/ratios.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
set_tests_properties(look.ratios PROPERTIES LABELS look
    SKIP_RETURN_CODE 77 TIMEOUT 900)

# Files that are cut off, have wrong bytes or a wrong structure.
add_test(NAME look.damaged COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/damaged.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
set_tests_properties(look.damaged PROPERTIES LABELS look
    SKIP_RETURN_CODE 77 TIMEOUT 900)

# What commands print with --json, beside --csv.
add_test(NAME look.records COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/records.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
set_tests_properties(look.records PROPERTIES LABELS look TIMEOUT 120)

# A results file of version 0.1.0, and layouts that are not known.
add_test(NAME look.stored COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/stored.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
set_tests_properties(look.stored PROPERTIES LABELS look
    SKIP_RETURN_CODE 77 TIMEOUT 120)

# Timelines, read back; their page in a browser.
add_test(NAME look.timeline COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/timeline.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
set_tests_properties(look.timeline PROPERTIES LABELS look
    SKIP_RETURN_CODE 77 TIMEOUT 300)
add_test(NAME look.timeline_page COMMAND sh
    ${CMAKE_CURRENT_LIST_DIR}/timeline_page.sh $<TARGET_FILE:warploom>
    ${PROJECT_SOURCE_DIR})
set_tests_properties(look.timeline_page PROPERTIES LABELS look
    SKIP_RETURN_CODE 77 TIMEOUT 300)

# .. and in Perfetto's own trace processor, where there is one.
add_test(NAME look.perfetto COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/perfetto.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
set_tests_properties(look.perfetto PROPERTIES LABELS look
    SKIP_RETURN_CODE 77 TIMEOUT 900)

# Figures in the sizes of papers, as SVG and PDF.
add_test(NAME look.figures COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/figures.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
set_tests_properties(look.figures PROPERTIES LABELS look
    SKIP_RETURN_CODE 77 TIMEOUT 300)

# Axes, and which load the rows of tables by load are.
add_test(NAME look.loads COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/loads.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
set_tests_properties(look.loads PROPERTIES LABELS look
    SKIP_RETURN_CODE 77 TIMEOUT 300)

# Profiles, added up.
add_test(NAME look.profile COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/profile.sh
    $<TARGET_FILE:warploom> ${PROJECT_SOURCE_DIR})
set_tests_properties(look.profile PROPERTIES LABELS look
    SKIP_RETURN_CODE 77 TIMEOUT 300)
