#!/bin/sh
# Draws 60 flat pictures with ImageMagick, which knows nothing of Saccade's scenes, and writes
# beside them list.tsv: FILE<tab>SENTENCE. The same pictures every time.
# usage: draw_flat.sh FOLDER      (status 77: there is no ImageMagick)
set -eu
folder=$1

# The first that really is ImageMagick: distributions call it differently.
magick=""
for name in magick convert convert-im6.q16; do
    if command -v "$name" >/dev/null && "$name" -version 2>/dev/null | grep -q '^Version: ImageMagick'; then
        magick=$name
        break
    fi
done
[ -n "$magick" ] || exit 77

mkdir -p "$folder"
: >"$folder/list.tsv"

# All pictures are drawn by one process at the end, for ImageMagick takes longer to start than to draw.
arguments=""

# The picture that is being described: its number, side, commands and sentence.
number=0

# picture SIDE GROUND [-antialias|+antialias]: begins one.
picture()
{
    number=$((number + 1))
    side=$1
    ground=$2
    edges=${3:--antialias}
    commands=""
}

# object SHAPE FILL X Y SIZE: centre and longer side in thousandths of the picture's side. Shapes are
# what one types by hand: corners on a square of 100 × 100.
object()
{
    commands="$commands $(awk -v shape="$1" -v fill="$2" -v x="$3" -v y="$4" -v size="$5" -v side="$side" '
        BEGIN {
            corners["square"] = "0 0 100 0 100 100 0 100"
            corners["triangle"] = "50 0 100 90 0 90"
            corners["diamond"] = "50 0 100 50 50 100 0 50"
            corners["cross"] = "34 0 66 0 66 34 100 34 100 66 66 66 66 100 34 100 34 66 0 66 0 34 34 34"
            corners["star"] = "50 2 61 37 98 37 68 59 79 95 50 73 21 95 32 59 2 37 39 37"
            x *= side / 1000; y *= side / 1000; size *= side / 1000
            printf "fill %s ", fill
            if (shape == "circle") {
                printf "circle %.2f,%.2f %.2f,%.2f", x, y, x + size / 2, y
                exit
            }
            count = split(corners[shape], c, " ")
            low = 100; high = 0
            for (i = 2; i <= count; i += 2) { # the middle of its box, not of the square
                if (c[i] < low) low = c[i]
                if (c[i] > high) high = c[i]
            }
            printf "polygon"
            for (i = 1; i <= count; i += 2)
                printf " %.2f,%.2f", x + (c[i] - 50) * size / 100, \
                                     y + (c[i + 1] - (low + high) / 2) * size / 100
        }')"
}

# caption SENTENCE: ends the picture and lists it.
caption()
{
    name=$(printf '%02d.png' "$number")
    arguments="$arguments -size ${side}x$side 'xc:$ground' $edges -stroke none -draw '$commands' \
        -depth 8 -define png:exclude-chunks=date,time -write 'PNG24:$folder/$name' +delete"
    printf '%s\t%s\n' "$name" "$1" >>"$folder/list.tsv"
}

picture 200 white
object diamond limegreen 172 674 206
object diamond yellow 315 271 205
object square mediumblue 757 717 337
caption "a large blue square right of a small green diamond and a small yellow diamond"

picture 224 lightblue
object diamond '#c81e1e' 323 397 347
object cross purple 713 374 376
caption "a large red diamond left of a large purple cross"

picture 320 lightgray +antialias
object square '#ff9900' 623 836 171
object diamond royalblue 847 813 167
object triangle purple 437 294 205
caption "a small purple triangle above a small orange square and a small blue diamond"

picture 500 lavender
object diamond darkorange 585 481 209
object cross blue 373 782 168
object circle '#c81e1e' 290 298 357
caption "a large red circle above a small blue cross and a small orange diamond"

picture 200 white
object square limegreen 384 274 398
object star black 723 140 172
caption "a large green square left of a small black star"

picture 224 '#202030' +antialias
object square white 412 133 179
object star '#c81e1e' 423 785 319
caption "a large red star below a small white square"

picture 320 white
object circle purple 301 493 208
object triangle '#101010' 720 280 200
object circle '#ffe000' 442 746 177
caption "a small purple circle above a small yellow circle and a small black triangle"

picture 500 white
object cross forestgreen 486 406 322
object triangle crimson 347 706 184
object star blue 782 728 193
caption "a large green cross above a small red triangle and a small blue star"

picture 200 white +antialias
object circle royalblue 261 279 373
object star limegreen 273 866 200
caption "a large blue circle above a small green star"

picture 224 gray
object triangle white 804 459 205
object diamond yellow 560 545 196
caption "a small yellow diamond left of a small white triangle"

picture 320 gray
object triangle black 649 372 320
object circle '#ffe000' 392 497 167
caption "a large black triangle right of a small yellow circle"

picture 500 '#eeeeee' +antialias
object star green 552 267 176
object triangle '#ff0000' 220 413 188
object diamond darkviolet 714 759 199
caption "a small red triangle left of a small green star and a small purple diamond"

picture 200 white
object circle '#00a000' 764 764 187
object star '#8020b0' 396 626 387
caption "a large purple star left of a small green circle"

picture 224 lightblue
object diamond '#1e40c8' 788 414 174
caption "a small blue diamond"

picture 320 white +antialias
object diamond '#ffe000' 771 427 380
object triangle limegreen 232 685 347
object triangle darkviolet 154 255 171
caption "a large green triangle left of a large yellow diamond and a small purple triangle"

picture 500 '#eeeeee'
object cross red 314 494 193
caption "a small red cross"

picture 200 white
object square mediumblue 479 800 185
object triangle '#ffe000' 137 668 207
caption "a small yellow triangle left of a small blue square"

picture 224 white +antialias
object circle '#ff9900' 551 355 185
caption "a small orange circle"

picture 320 white
object triangle crimson 708 214 322
object cross royalblue 707 490 204
caption "a large red triangle above a small blue cross"

picture 500 midnightblue
object diamond '#fafafa' 713 478 350
caption "a large white diamond"

picture 200 lightgray +antialias
object star '#101010' 864 455 200
caption "a small black star"

picture 224 white
object star '#c81e1e' 688 645 333
object square '#8020b0' 246 759 386
object square mediumblue 735 349 194
caption "a large purple square left of a large red star and a small blue square"

picture 320 white
object cross '#ffe000' 820 381 198
object square '#ff0000' 246 768 196
object cross darkorange 316 201 333
caption "a large orange cross above a small red square and a small yellow cross"

picture 500 white +antialias
object triangle '#ffe000' 698 290 389
object triangle orange 760 672 184
object triangle purple 318 538 340
caption "a large purple triangle left of a large yellow triangle and a small orange triangle"

picture 200 white
object circle black 586 768 331
object star royalblue 734 380 322
caption "a large black circle below a large blue star"

picture 224 midnightblue
object diamond orange 281 581 209
caption "a small orange diamond"

picture 320 black +antialias
object circle '#ffe000' 596 195 314
caption "a large yellow circle"

picture 500 white
object square '#8020b0' 372 544 327
caption "a large purple square"

picture 200 white
object square '#ff9900' 160 802 206
object circle darkorange 385 371 168
caption "a small orange square below a small orange circle"

picture 224 '#eeeeee' +antialias
object circle mediumblue 440 656 365
caption "a large blue circle"

picture 320 lightgray
object square '#101010' 728 707 204
object cross '#1e40c8' 310 738 174
caption "a small blue cross left of a small black square"

picture 500 black
object diamond yellow 321 444 311
object triangle white 458 791 317
object diamond white 119 769 168
caption "a large yellow diamond above a large white triangle and a small white diamond"

picture 200 white +antialias
object circle limegreen 658 207 321
object diamond '#c81e1e' 255 491 392
caption "a large red diamond left of a large green circle"

picture 224 black
object circle limegreen 716 674 319
object star green 546 227 322
caption "a large green star above a large green circle"

picture 320 '#fff8e7'
object star '#00a000' 568 363 183
object circle '#c81e1e' 588 727 313
object square orange 872 477 184
caption "a large red circle below a small green star and a small orange square"

picture 500 midnightblue +antialias
object cross '#fafafa' 181 839 181
object circle orange 749 611 169
caption "a small white cross left of a small orange circle"

picture 200 '#fff8e7'
object circle purple 657 505 179
object square '#ff9900' 611 234 334
caption "a large orange square above a small purple circle"

picture 224 '#eeeeee'
object diamond blue 701 759 185
object square orange 275 739 370
object diamond '#ff0000' 353 272 175
caption "a large orange square below a small red diamond and a small blue diamond"

picture 320 lightblue +antialias
object star black 529 603 202
caption "a small black star"

picture 500 black
object square limegreen 762 222 194
object triangle '#fafafa' 244 451 192
caption "a small white triangle left of a small green square"

picture 200 '#eeeeee'
object diamond green 356 467 179
object cross limegreen 731 739 351
caption "a large green cross right of a small green diamond"

picture 224 white +antialias
object star darkviolet 837 783 203
object cross red 456 581 209
caption "a small red cross left of a small purple star"

picture 320 lavender
object square '#ff9900' 476 346 202
object cross limegreen 861 522 170
object circle forestgreen 198 319 187
caption "a small green circle left of a small orange square and a small green cross"

picture 500 black
object cross red 446 669 186
caption "a small red cross"

picture 200 lavender +antialias
object square royalblue 525 579 319
object cross '#101010' 732 222 178
object star crimson 184 547 172
caption "a large blue square right of a small red star and a small black cross"

picture 224 midnightblue
object square white 443 551 337
caption "a large white square"

picture 320 black
object cross white 764 622 369
object triangle red 203 836 210
object square red 477 312 198
caption "a large white cross right of a small red triangle and a small red square"

picture 500 lightgray +antialias
object square blue 346 736 200
object diamond '#c81e1e' 664 734 383
caption "a large red diamond right of a small blue square"

picture 200 '#606060'
object cross yellow 380 730 348
caption "a large yellow cross"

picture 224 white
object triangle blue 733 320 380
caption "a large blue triangle"

picture 320 black +antialias
object star orange 362 579 327
caption "a large orange star"

picture 500 lightgray
object triangle red 871 760 165
object diamond purple 460 245 184
caption "a small purple diamond above a small red triangle"

picture 200 white
object triangle yellow 839 661 198
object star '#1e40c8' 481 555 339
object triangle '#ff9900' 128 684 179
caption "a large blue star right of a small orange triangle and a small yellow triangle"

picture 224 gray +antialias
object star '#101010' 832 779 202
caption "a small black star"

picture 320 white
object square '#1e40c8' 216 598 196
object circle black 840 741 185
object diamond '#101010' 730 227 179
caption "a small blue square left of a small black diamond and a small black circle"

picture 500 lavender
object cross darkorange 252 255 391
caption "a large orange cross"

picture 200 black +antialias
object triangle darkorange 553 207 172
caption "a small orange triangle"

picture 224 white
object cross '#00a000' 342 288 174
caption "a small green cross"

picture 320 black
object star '#fafafa' 855 701 182
object triangle yellow 201 816 206
caption "a small yellow triangle left of a small white star"

picture 500 '#eeeeee' +antialias
object triangle darkviolet 654 756 347
caption "a large purple triangle"

eval "'$magick' $arguments -size 1x1 xc:black null:"
