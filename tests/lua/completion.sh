#!/bin/sh
# bash, zsh and fish load what `warploom completion` prints and complete by it,
# each where it is installed: commands, and the options that each command's help
# names.
# usage: completion.sh PROGRAM SOURCE_DIR
set -eu
program=$(realpath "$1")
here=$2/tests/lua
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir bin zsh
ln -s "$program" bin/warploom
PATH=$work/bin:$PATH
export PATH HOME="$work" XDG_CONFIG_HOME="$work" XDG_DATA_HOME="$work"
warploom completion bash >warploom.bash
warploom completion zsh >zsh/_warploom
warploom completion fish >warploom.fish
failed=0 skipped=""
fail() {
    echo "FAILED: $1"
    failed=1
}

# Lines "COMMAND OPTION", as the help of the commands has them.
commands=$(warploom --help | sed -n 's/^  \([a-z]*\)  *.*/\1/p')
for command in $commands; do
    warploom "$command" --help | grep -v '^usage\|^Example' |
        sed -n 's/^ \{2,8\}\(-[a-zA-Z], \)*\(--[a-z][a-z-]*\).*/\2/p' |
        sed "s/^/$command /"
done | sort -u >wanted
[ "$(wc -l <wanted)" -gt 100 ] || fail "$(wc -l <wanted) options in all helps"

# lack FILE SHELL: what is in `wanted` is in FILE.
lack() {
    sort -u "$1" >found
    comm -23 wanted found >lacking
    [ ! -s lacking ] || fail "$2 does not complete: $(head -n 5 lacking)"
}

cat >complete.bash <<'END'
source warploom.bash
function=$(complete -p warploom | sed 's/.*-F \([^ ]*\).*/\1/')
ask() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    "$function" warploom "${@: -1}" "${@: -2:1}"
}
ask warploom swe
[ "${COMPREPLY[*]}" = sweep ] || echo "swe: ${COMPREPLY[*]}"
for command in $(cut -d' ' -f1 wanted | sort -u); do
    ask warploom "$command" --
    for word in "${COMPREPLY[@]}"; do echo "$command $word"; done
done
END
bash complete.bash >by_bash || fail "bash"
grep "^swe:" by_bash && fail "bash completes no command"
lack by_bash bash

if command -v fish >/dev/null; then
    cat >complete.fish <<'END'
source warploom.fish
complete -C "warploom swe" | string match -rq '^sweep' || echo "swe:"
for command in (cut -d' ' -f1 wanted | sort -u)
    for word in (complete -C "warploom $command --" | cut -f1)
        echo "$command $word"
    end
end
END
    fish complete.fish >by_fish || fail "fish"
    grep "^swe:" by_fish && fail "fish completes no command"
    lack by_fish fish
else
    skipped="$skipped fish"
fi
if command -v zsh >/dev/null; then
    zsh -f "$here/completion.zsh" "$work/zsh" || fail "zsh"
else
    skipped="$skipped zsh"
fi
[ "$failed" = 0 ] || exit 1
if [ -n "$skipped" ]; then
    echo "SKIPPED:$skipped not installed here; what is installed completes"
    exit 77
fi
echo "$(wc -l <wanted) options of $(echo "$commands" | wc -l) commands"
