#!/bin/sh
# Sourced by tests of the manual's site.

# Ends the test as skipped where what builds the site is not there.
need_generator() {
    for module in sphinx myst_parser furo; do
        head=$(command -v sphinx-build >/dev/null 2>&1 &&
            head -n 1 "$(command -v sphinx-build)" | sed 's/^#! *//')
        if ! ${head:-python3} -c "import $module" 2>/dev/null; then
            echo "SKIPPED: no $module here; the site is not built" \
                "(./setup.sh site)"
            exit 77
        fi
    done
}
