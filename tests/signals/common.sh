# What the tests of signals share: judging what a signal has left.
#
# Moments are fractions of how long it takes undisturbed, always the same ones;
# what a program does there is up to the host.

fail() {
    echo "FAILED: $*" >&2
    ls -laR . >&2
    tail -n 20 out >&2 2>/dev/null || true
    exit 1
}

now_ms() { date +%s%3N; }

# moment N MILLISECONDS: the Nth moment of so many, and a little after the end;
# multiples of the golden ratio are spread evenly
moment() { awk -v n="$1" -v t="$2" 'BEGIN { x = n * 0.618034; printf "%d", (x - int(x)) * t * 1.05 }'; }

# more N COUNT HITS: an Nth signal, too?  So many of them, and up to four times as
# many until a quarter of COUNT have hit: a host that is busy now and then not is
# no fault of the program.
more() { [ "$1" -le "$2" ] || { [ "$3" -lt $(($2 / 4)) ] && [ "$1" -le $((4 * $2)) ]; }; }

# which N: a signal, by turns
which() {
    case $(($1 % 3)) in
    0) echo 2 ;;
    1) echo 15 ;;
    *) echo 1 ;;
    esac
}

attribute() { h5dump -a "$2" "$1" | sed -n 's/.*(0): "\(.*\)".*/\1/p'; }

# whole FILE: it can be read and everything in it is as it should be
whole() {
    "$warploom" stats "$1" --check >checked || fail "$1: $(cat checked)"
    "$warploom" stats "$1" >read 2>&1 || fail "$1 cannot be read: $(cat read)"
}

# no_litter FOLDER: nothing half written
no_litter() {
    left=$(find "$1" -name '*.working' -o -name '*.partial' -o -name '*.new' -o -name '*.tmp')
    [ -z "$left" ] || fail "left behind: $left"
}
