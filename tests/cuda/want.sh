# What tests of `warploom cuda` share; they are in a folder of their own.

fail() {
    echo "FAILED: $1"
    head -n 20 text 2>/dev/null || true
    exit 1
}

# want STATUS PATTERN COMMAND...: of what it says, on stdout or stderr.
want() {
    status=$1
    pattern=$2
    shift 2
    got=0
    "$@" >text 2>&1 || got=$?
    [ "$got" -eq "$status" ] || fail "status $got, expected $status: $*"
    grep -q -- "$pattern" text || fail "no '$pattern': $*"
}
