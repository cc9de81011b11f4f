#!/bin/sh
# Builds the manual's site; a warning fails.
# usage: build.sh SOURCE_DIR FOLDER
set -eu
. "$1/tests/site/generator.sh"
rm -rf "$2" "$2.doctrees"
need_generator
"$1/docs/site/build.sh" "$2"
echo "$(find "$2" -name '*.html' | wc -l) pages," \
    "$(find "$2" -name '*.svg' | wc -l) figures"
