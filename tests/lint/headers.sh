#!/bin/sh
# Every header compiles alone.  usage: headers.sh SOURCE_DIR CC
set -eu
cd "$1"
status=0
for header in $(find engine components policies lua stats workloads \
    -name '*.h' -not -path '*/suite/*' | sort); do
    if ! echo "#include \"$header\"" |
        "$2" -std=gnu17 -Wall -Wextra -Werror -I. -x c -fsyntax-only -; then
        echo "$header: does not compile alone"
        status=1
    fi
done
exit $status
