# Plots of docs/validation.md.
#   gnuplot -e "data='FOLDER'; out='docs/validation'; only=''" plots.gp
# FOLDER holds curve.csv, micro.csv, gpgpusim.csv and network.csv, prepared by
# validation.lua as columns; with `only` one of them.
set terminal svg size 760,470 font "DejaVu Sans,13" background "#ffffff"
set encoding utf8
set datafile separator ";"
set style line 1 lc rgb "#0b6fb8" lw 2 pt 7 ps 0.55
set style line 2 lc rgb "#c8501e" lw 2 pt 5 ps 0.5
set style line 3 lc rgb "#3a8a3f" lw 2 pt 9 ps 0.7
set style line 4 lc rgb "#7a4fa3" lw 2 pt 13 ps 0.75
set style line 5 lc rgb "#8a6d1f" lw 2 pt 11 ps 0.7
set style line 6 lc rgb "#b03060" lw 2 pt 2 ps 0.6
set style line 7 lc rgb "#2f7f86" lw 2 pt 6 ps 0.6
set style line 9 lc rgb "#999999" lw 1
set border 3 lc rgb "#555555"
set tics nomirror textcolor rgb "#333333"
set grid lc rgb "#e4e4e4" lw 1
set key opaque

# Latency by footprint.
if (only eq "" || only eq "curve") {
set output out."/chase.svg"
set title "A dependent load: measured latency and what the parameters say"
set xlabel "footprint"
set ylabel "cycles of the core"
set logscale x 2
set format x "%.0f"
set xrange [400:5000000]
set yrange [0:*]
set xtics ("512 B" 512, "4 KiB" 4096, "16 KiB" 16384, "128 KiB" 131072, \
           "768 KiB" 786432, "4 MiB" 4194304)
set key top left
plot data."/curve_2.dat" using 1:3 with lines ls 9 lw 3 title "parameters", \
     data."/curve_2.dat" using 1:2 with points ls 1 title "gtx480", \
     data."/curve_3.dat" using 1:3 with lines ls 9 lw 3 notitle, \
     data."/curve_3.dat" using 1:2 with points ls 2 title "gtx480, changed", \
     data."/curve_1.dat" using 1:3 with lines ls 9 lw 3 notitle, \
     data."/curve_1.dat" using 1:2 with points ls 3 title "small"
unset logscale x
unset xtics
set xtics nomirror
set format x "%g"
}

# Micro-kernels against closed forms.
if (only eq "" || only eq "micro") {
set output out."/micro.svg"
set title "Micro-kernels: measured against the machine's parameters"
set xlabel "cycles per step that the parameters give"
set ylabel "cycles per step, measured"
set logscale xy 10
set xrange [0.2:600]
set yrange [0.2:600]
set key bottom right
kernels = "alu atomic chase const shared stream stride"
plot x with lines ls 9 title "equal", \
     for [i=1:words(kernels)] data."/micro_".word(kernels, i).".dat" \
     using 2:1 with points ls i title "micro\\_".word(kernels, i)
unset logscale xy
}

# Cycles, ours and GPGPU-Sim's.
if (only eq "" || only eq "gpgpusim") {
set output out."/cycles.svg"
set title "Cycles of each launch, warploom and GPGPU-Sim 4.2"
set xlabel "GPGPU-Sim, cycles"
set ylabel "warploom, cycles"
set logscale xy 10
set xrange [500:500000]
set yrange [500:500000]
set format xy "10^{%T}"
set key bottom right
configs = "gtx480 gtx480_lrr gtx480_l1_32k titanx_l1 qv100"
set samples 200
plot "+" using 1:($1*0.85):($1*1.15) with filledcurves fc rgb "#eceff3" \
     title "± 15 %", x with lines ls 9 title "equal", \
     for [i=1:words(configs)] data."/cycles_".word(configs, i).".dat" \
     using 2:1 with points ls i title system("echo ".word(configs, i). \
     " | sed 's/_/\\\\_/g'")
unset logscale xy
set format xy "%g"

# Miss ratios.
set output out."/misses.svg"
set size ratio 1
set title "Misses per access of the same launches"
set xlabel "GPGPU-Sim, %"
set ylabel "warploom, %"
set xrange [0:100]
set yrange [0:100]
set key top left
plot "+" using 1:($1-8):($1+8) with filledcurves fc rgb "#eceff3" \
     title "± 8 points", x with lines ls 9 title "equal", \
     data."/miss_l1.dat" using 2:1 with points ls 1 title "L1D", \
     data."/miss_l2.dat" using 2:1 with points ls 2 title "L2"
}

# Latency of networks by load.
if (only eq "" || only eq "network") {
reset
set terminal svg size 760,470 font "DejaVu Sans,13" background "#ffffff"
set datafile separator ";"
set border 3 lc rgb "#555555"
set tics nomirror textcolor rgb "#333333"
set grid lc rgb "#e4e4e4" lw 1
set output out."/network.svg"
set title "Packet latency by load: lines BookSim 2, points ours"
set xlabel "flits per node and cycle, offered"
set ylabel "cycles"
set xrange [0:0.5]
set yrange [0:60]
set key top left
plot data."/network_mesh8x8_4vc_uniform_1.dat" using 1:3 with lines lw 2 lc rgb "#0b6fb8" notitle, \
     "" using 1:2 with points pt 7 ps 0.6 lc rgb "#0b6fb8" title "8 x 8 mesh, 4 VCs, 1 flit", \
     data."/network_mesh8x8_4vc_uniform_4.dat" using 1:3 with lines lw 2 lc rgb "#c8501e" notitle, \
     "" using 1:2 with points pt 5 ps 0.6 lc rgb "#c8501e" title "8 x 8 mesh, 4 VCs, 4 flits", \
     data."/network_xbar27_4vc_uniform_4.dat" using 1:3 with lines lw 2 lc rgb "#3a8a3f" notitle, \
     "" using 1:2 with points pt 9 ps 0.7 lc rgb "#3a8a3f" title "27 x 27 crossbar, 4 VCs, 4 flits", \
     data."/network_xbar27_gpgpusim3_uniform_4.dat" using 1:3 with lines lw 2 lc rgb "#7a4fa3" notitle, \
     "" using 1:2 with points pt 13 ps 0.7 lc rgb "#7a4fa3" title "27 x 27 crossbar, 1 VC, 4 flits"
}
