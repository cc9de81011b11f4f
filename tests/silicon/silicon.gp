# Times of cases here over those of cards, as compare.lua wrote them.
#   gnuplot -e "in='FOLDER'; out='FILE.svg'" silicon.gp
set terminal svg size 760,620 font "DejaVu Sans,13" background "#ffffff"
set encoding utf8
set datafile separator ","
set border 3 lc rgb "#555555"
set tics nomirror textcolor rgb "#333333"
set grid lc rgb "#e4e4e4" lw 1
set output out
set logscale xy
set xlabel "card, us"
set ylabel "warploom, us"
set key left top
set xrange [0.5:2000]
set yrange [0.5:2000]
plot x with lines lc rgb "#999999" notitle, \
     in."/h100_sxm.csv" skip 1 using ($3/1000):($4/1000) with points pt 7 \
         ps 0.4 lc rgb "#0b6fb8" title "H100 SXM", \
     in."/h100_pcie.csv" skip 1 using ($3/1000):($4/1000) with points pt 7 \
         ps 0.4 lc rgb "#c8501e" title "H100 PCIe (published)", \
     in."/h200.csv" skip 1 using ($3/1000):($4/1000) with points pt 7 \
         ps 0.4 lc rgb "#3a8a3f" title "H200"
