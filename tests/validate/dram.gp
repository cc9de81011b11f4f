# The plot of DRAM channels in docs/validation.md.
#   gnuplot -e "data='FOLDER'; out='docs/validation'" dram.gp
# FOLDER holds columns that dram_page.lua made: share of the peak and latency,
# ours and theirs, against DRAMsim3 (d3) and Ramulator (r2).
set terminal svg size 760,780 font "DejaVu Sans,13" background "#ffffff"
set encoding utf8
set datafile separator ";"
set border 3 lc rgb "#555555"
set tics nomirror textcolor rgb "#333333"
set grid lc rgb "#e4e4e4" lw 1
set key opaque top right
set output out."/dram.svg"
set multiplot layout 2,1
set xtics 0,0.2,1
set xlabel "share of the peak bandwidth"
set ylabel "mean latency of reads, cycles"
set logscale y
set xrange [0:1.35]
set yrange [10:1500]
patterns = "seq random randblk4 seq_rw21 randblk4_rw21"
name(i) = system("echo ".word(patterns, i)." | sed 's/_/\\\\_/g'")
array colour[5] = [0x0b6fb8, 0xc8501e, 0x3a8a3f, 0x7a4fa3, 0x8a6d1f]
do for [config in "gddr5_8gb_noref hbm2_8gb_noref"] {
    set title config eq "gddr5_8gb_noref" ? \
        "GDDR5: points warploom, lines DRAMsim3 (solid, full) and Ramulator 2 (dashed, open)" : \
        "HBM2"
    plot for [i=1:5] data."/".config."_".word(patterns, i)."_d3.dat" \
             using 3:4 with lines lw 1.5 lc rgb colour[i] notitle, \
         for [i=1:5] data."/".config."_".word(patterns, i)."_r2.dat" \
             using 3:4 with lines lw 1.5 dt 2 lc rgb colour[i] notitle, \
         for [i=1:5] data."/".config."_".word(patterns, i)."_r2.dat" \
             using 1:2 with points pt 6 ps 0.9 lc rgb colour[i] notitle, \
         for [i=1:5] data."/".config."_".word(patterns, i)."_d3.dat" \
             using 1:2 with points pt 7 ps 0.7 lc rgb colour[i] title name(i)
}
unset multiplot
