#!/bin/sh
# Every header compiles alone.  usage: headers.sh SOURCE_DIR CC [FLAG...]
set -eu
cd "$1"
cc=$2
shift 2
status=0
for header in $(find engine components policies lua cuda stats workloads \
    -name '*.h' -not -path '*/suite/*' | sort); do
    if ! echo "#include \"$header\"" |
        "$cc" -std=gnu17 -Wall -Wextra -Werror -I. "$@" -x c -fsyntax-only -; then
        echo "$header: does not compile alone"
        status=1
    fi
done
exit $status
