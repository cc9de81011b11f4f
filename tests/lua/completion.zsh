# An interactive zsh in a terminal of its own, in which keys are typed.
# usage: completion.zsh FOLDER, which has _warploom
zmodload zsh/zpty
zpty -b z zsh -f -i
typeset chunk failed=0

# Types $1 and a tab; $2 must be shown.
ask() {
  local shown= i
  zpty -w -n z "$1"$'\t'
  for i in {1..300}; do
    sleep 0.1
    while zpty -r -t z chunk; do shown+=$chunk; done
    [[ $shown == *$2* ]] && break
  done
  [[ $shown == *$2* ]] || { print -r "'$1': no $2 in ${(V)shown}"; failed=1; }
  zpty -w -n z $'\C-u'
  sleep 0.3
  while zpty -r -t z chunk; do :; done
}

zpty -w z "PS1=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w z "print \${:-re}ady"
for i in {1..300}; do
  sleep 0.1
  zpty -r -t z chunk && [[ $chunk == *ready* ]] && break
done
ask "warploom swe" "sweep"
ask "warploom run --thr" "--threads"
ask "warploom explain --o" "--out"
ask "warploom kernels --js" "--json"
ask "warploom graph --js" "--json"
zpty -d z
exit $failed
