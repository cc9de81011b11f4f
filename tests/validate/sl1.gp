# Figures 5 and 6 of S-L1 as measured by sl1.lua.
#   gnuplot -e "csv='FILE'; out='docs/validation'" sl1.gp
set terminal svg size 760,780 font "DejaVu Sans,13" background "#ffffff"
set encoding utf8
set datafile separator ";"
set border 3 lc rgb "#555555"
set tics nomirror textcolor rgb "#333333"
set grid lc rgb "#e4e4e4" lw 1
set output out."/sl1.svg"
set multiplot layout 2,1
set ylabel "GB/s"
set yrange [0:520]
set key outside right
curve(figure, memory, ahead, blocks) = sprintf( \
    "< awk -F ';' '$1==%d && $2==\"%s\" && $3==%d && (%d==0 || $4==%d)' %s", \
    figure, memory, ahead, blocks, blocks, csv)
set title "Figure 5: 4-way coalesced loads from the L2, one load under way"
set xlabel "threads of a block"
set xrange [0:1024]
set xtics 128
plot for [b=15:1:-1] curve(5, "L2", 1, b) using 5:6 with linespoints pt 7 \
         ps 0.4 lc rgb "#0b6fb8" title b == 15 ? "1 to 15 blocks" : "", \
     curve(5, "L2", 2, 15) using 5:6 with lines dt 2 lc rgb "#c8501e" \
         title "15, 2 under way", \
     curve(5, "L2", 4, 15) using 5:6 with lines dt 3 lc rgb "#3a8a3f" \
         title "15, 4 under way"
set title "Figure 6: blocks of 1024 threads"
set xlabel "blocks"
set xrange [0:15]
set xtics 1
plot curve(6, "L2", 1, 0) using 4:6 with linespoints pt 7 ps 0.5 \
         lc rgb "#0b6fb8" title "L2", \
     curve(6, "DRAM", 1, 0) using 4:6 with linespoints pt 5 ps 0.5 \
         lc rgb "#c8501e" title "DRAM", \
     curve(6, "DRAM", 2, 0) using 4:6 with lines dt 2 \
         lc rgb "#c8501e" title "DRAM, 2 under way"
