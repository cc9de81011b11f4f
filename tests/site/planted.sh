#!/bin/sh
# Planted links to a page and to a heading that are not there must be found: in
# pages by the generator, in a built site by links.lua.
# usage: planted.sh SOURCE_DIR LUA
set -eu
root=$1 lua=$2
. "$root/tests/site/generator.sh"
need_generator
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
complain() {
    echo "$*"
    failed=1
}

mkdir "$work/pages"
cat >"$work/pages/start.md" <<'END'
# Start

## A heading: its name

[whole](other.md), [whole](other.md#two-words), [whole](#a-heading-its-name)

```{toctree}
other
```
END
printf '# Other\n\n## Two words\n\n[whole](start.md)\n' >"$work/pages/other.md"
build() { # what becomes of the pages is in log
    "$root/docs/site/build.sh" "$work/site" "$work/pages" -E \
        -D root_doc=start >"$work/log" 2>&1
}
build || { complain "whole links are not built"; cat "$work/log"; }

# A built site whose links are whole, and with one broken in each way.
check() {
    "$lua" "$root/tests/site/links.lua" "$work/site" >"$work/found" 2>&1
}
check || { complain "links.lua: of whole links"; cat "$work/found"; }
try() { # WHAT FROM TO
    cp "$work/site/start.html" "$work/kept"
    sed -i "s,$2,$3," "$work/site/start.html"
    cmp -s "$work/kept" "$work/site/start.html" && complain "nothing planted"
    if check || ! grep -q "$1 for the link" "$work/found"; then
        complain "links.lua does not find that there is $1: $3"
    fi
    cp "$work/kept" "$work/site/start.html"
}
try "no file" 'href="other.html"' 'href="gone.html"'
try "no heading" 'other.html#two-words' 'other.html#three-words'
try "no heading" '"#a-heading-its-name"' '"#no-heading"'
try "no file" '_static/scripts/furo.js' '_static/scripts/gone.js'

for link in gone.md other.md#three-words '#no-heading' gone.svg; do
    image=
    [ $link != gone.svg ] || image='!'
    printf '\n%s[broken](%s)\n' "$image" "$link" >>"$work/pages/start.md"
    if build; then
        complain "a site was built with the link $link"
    elif ! grep -qF "start.md" "$work/log" || ! grep -qF "$link" "$work/log"
    then
        complain "the link $link is not told:"
        cat "$work/log"
    fi
done
exit $failed
