#!/bin/sh
# `warploom run FILE.h5` makes a run again: same digest, whatever the script
# was made of; what cannot be made again is refused with a reason.
#
# usage: again.sh WARPLOOM
set -eu
warploom=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir lib
printf 'local M = {}\nfunction M.gpu(loom)\n  return loom.preset.tiny {}\nend\n' \
    >lib/parts.lua
echo 'return M' >>lib/parts.lua

# again NAME [OPTION]..: runs NAME.lua with the options, without it again.
again() {
    name=$1
    shift
    "$warploom" run -q "$@" "$name.lua"
    mv "$name.lua" "$name.old"
    "$warploom" run "$name.h5" -o "again_$name.h5" >out ||
        { echo "$name is not repeated"; cat out; exit 1; }
    grep -q '^repeated: ' out || { cat out; exit 1; }
    # What it leaves can be made again as well.
    "$warploom" run -q "again_$name.h5"
    mv "$name.old" "$name.lua"
}
head='local loom = require "warploom"'
run() {
    printf '%s\nloom.run { machine = loom.preset.tiny {}, workload = %s,
  stats = { file = "%s.h5" } }\n' "$head" "$2" "$1" >"$1.lua"
}
run plain 'loom.suite.atax { rows = 64, columns = 32 }'
again plain --seed 9 --threads 2
run launches 'loom.suite.conv3d { size = "tiny" }'
again launches --kernels '^conv' --first 1 --skip 1 --time 3
[ "$("$warploom" stats launches.h5 gpu.kernels --csv | tail -n 1 |
    cut -d , -f 3)" = 3 ]
cat >module.lua <<END
$head
local parts = require "lib.parts"
loom.run { machine = parts.gpu(loom), workload = function(dev)
    require "lib.late" (dev)
  end, stats = { file = "module.h5" } }
END
echo 'return function(dev) dev:upload(dev:array("f32", 64):random(1, 0, 1)) end' \
    >lib/late.lua
again module
cat >option.lua <<END
$head
local rows = loom.option { name = "rows", default = 64 }
loom.run { machine = loom.preset.tiny {}, stats = { file = "option.h5" },
           workload = loom.suite.atax { rows = rows, columns = tonumber(...) } }
END
"$warploom" run -q --set rows=96 option.lua 32
mv option.lua option.old
"$warploom" run option.h5 | grep -q '^repeated: '
cat >several.lua <<END
$head
for i = 1, 3 do
  loom.run { machine = loom.preset.tiny {}, seed = i,
             workload = loom.suite.reduction { n = 1024 * i, ctas = 2 },
             stats = { file = i == 2 and "several.h5" or "other.h5" } }
end
END
again several
echo data >input.bin
echo more >io.txt
cat >inputs.lua <<END
$head
local more = assert(io.open "io.txt"):read "a"
assert(io.open("made.txt", "w")):write(more):close()
loom.run { machine = loom.preset.tiny {}, stats = { file = "inputs.h5" },
           workload = function(dev)
  dev:upload(dev:array("u8", { dev:file("input.bin"):byte(1, -1) }))
end }
END
again inputs
cat >policy.lua <<END
$head
local mine = loom.policy { name = "mine", admit = function(access, self)
  if access.kind == "load" and access.rank > 0 then return "bypass" end
end }
local gpu = loom.preset.tiny {}
gpu:each "sm[*]":attach(loom.gto {})
gpu:each "sm[*].l1d":attach(mine {})
loom.run { machine = gpu, energy = loom.energy { node = 40 },
           workload = loom.suite.bfs { nodes = 64, degree = 2 },
           stats = { file = "policy.h5",
                     series = { bw = { every = "2us", select = "**.bytes*" } } },
           stop = { cycles = 4000 } }
END
again policy
mkdir presets
printf 'return { name = "mine", extends = "gtx480", machine = {} }\n' \
    >presets/mine.lua
printf '%s\nloom.run { machine = loom.preset.mine { sm_count = 1 }, stats = { file =
  "preset.h5" }, workload = loom.suite.vectoradd {} }\n' "$head" >preset.lua
again preset
run recorded 'loom.suite.vectoradd {}'
"$warploom" run -q --record r.wlt recorded.lua
run replayed 'loom.replay "r.wlt"'
again replayed
run deep 'loom.suite.vectoradd {}'
(cd lib && "$warploom" run -q ../deep.lua) && "$warploom" run -q lib/deep.h5

# A point of a sweep.
cat >sweep.lua <<END
$head
return loom.experiment { name = "points", axes = { rows = { 32, 64 } },
  metrics = { y = function(r) return r.cycles end },
  base = function(p) return { machine = loom.preset.tiny {},
    workload = loom.suite.atax { rows = p.rows, columns = 32 } } end }
END
"$warploom" sweep -q sweep.lua -j 1
for point in points.sweep/points/*.h5; do
    "$warploom" run "$point" | grep -q '^repeated: '
done
# Points that share streams: whoever replayed one has other memory in its state
# digest than the run that executes, but the same numbers.
cat >shared.lua <<END
$head
return loom.experiment { name = "shared", axes = { latency = { 1, 2, 3 } },
  metrics = { y = function(r) return r.cycles end },
  base = function(p)
    local gpu = loom.preset.tiny {}
    gpu:each "sm[*].l1d":set { hit_latency = p.latency }
    return { machine = gpu,
             workload = loom.suite.atax { rows = 32, columns = 32 } }
  end }
END
"$warploom" sweep -q shared.lua -j 1
for streams in there gone; do
    for point in shared.sweep/points/*.h5; do
        "$warploom" run "$point" >out || { cat out; exit 1; }
        cat out >>"$streams"
    done
    rm -f shared.sweep/streams/*.wlt
    [ "$(grep -c '^repeated: the results digest' "$streams")" = 2 ]
    [ "$(grep -c '^repeated: the state digest' "$streams")" = 1 ]
done
for point in shared.sweep/points/*.h5; do
    "$warploom" run -q "$point" -o replayed.h5
    [ "$("$warploom" stats --digest replayed.h5)" = \
        "$("$warploom" stats --digest "$point")" ]
done

# refused TEXT WORD..: that command line is refused with the text.
refused() {
    text=$1
    shift
    if "$warploom" run "$@" >out 2>&1; then
        echo "taken: $*"
        exit 1
    fi
    grep -q -e "$text" out || { echo "no '$text' in:"; cat out; exit 1; }
}
refused 'is not of one run' points.sweep/results.h5
refused "'--set' would make another run" plain.h5 --set a=b
refused "'--seed' would make another run" plain.h5 --seed 3
refused "'--last' would make another run" launches.h5 --last 3
echo other >input.bin
refused "'input.bin' has changed since" inputs.h5
rm input.bin
refused "'input.bin' is missing" inputs.h5
"$warploom" run -q --unsafe plain.lua
refused 'if you trust it: --unsafe' plain.h5
"$warploom" run -q --unsafe plain.h5

# A preset of tables cannot extend one that is a function.
printf 'return { name = "odd", extends = "tiny", machine = {} }\n' \
    >presets/odd.lua
printf '%s\nreturn loom.preset.odd {}\n' "$head" >odd.lua
refused "odd.lua extends 'tiny', which is built by a function" odd.lua

# A machine alone is no run.
printf '%s\nreturn loom.preset.tiny {}\n' "$head" >machine.lua
refused 'runs nothing: it returns a machine' machine.lua
echo "runs are made again"
