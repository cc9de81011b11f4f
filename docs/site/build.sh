#!/bin/sh
# The manual as an HTML site, by Sphinx with MyST and the theme Furo (Debian's
# python3-sphinx, python3-myst-parser, furo).  A warning, such as a link to a
# page or heading that is not there, is an error.  Figures of validation.md are
# drawn where there are lua5.4, nodejs and what ./setup.sh charts fetches.
# usage: build.sh FOLDER [PAGES [OPTION of sphinx-build]...]
set -eu
out=$1
here=$(cd "$(dirname "$0")" && pwd)
pages=${2:-$here/..}
shift $(($# > 2 ? 2 : $#))
mkdir -p "$(dirname "$out")"
exec sphinx-build -q -W --keep-going -c "$here" -d "$out.doctrees" -b html \
    "$@" "$pages" "$out"
