#!/bin/sh
# Every text that the code marks for translation is in every catalogue, and a catalogue has no text that the code has not.
# Marked is what stands in N_() or NC_(), in a call that translates it, or in a member that is a text for people; texts of
# other tables in viz/ are found by the tests of views. "#. composed" in a catalogue marks a text that is put together while the program runs.
set -eu
cd "$1"
failed=0
for po in assets/translations/*.po; do
    LC_ALL=C msgfmt --check-format --check-domain --statistics -o /dev/null "$po" 2>&1 |
        grep -qE '^[0-9]+ translated messages\.$' || {
        echo "$po: has untranslated or fuzzy messages, or formats that differ; see msgfmt --check-format"
        failed=1
    }
    find src viz -name '*.[ch]' | LC_ALL=C sort | perl -Mstrict -e '
        my ($po, $failed) = (shift, 0);
        my $literal = qr/"(?:\\.|[^"\\])*"/s;
        my $text = qr/$literal(?:\s*\\?\s*$literal)*/;
        my $join = sub { join "", map { substr $_, 1, -1 } $_[0] =~ /$literal/g };
        my (%there, %marked, %translated);
        while (my $file = <STDIN>) {
            chomp $file;
            open my $in, "<", $file or die "$file: $!";
            my $code = do { local $/; <$in> };
            $code =~ s{($literal)|/\*.*?\*/|\x27(?:\\.|[^\x27\\])+\x27}{$1 // " "}gse;
            $code =~ s{\bNC_\(\s*($text),\s*($text)\)}{"\"" . $join->($1) . "\004" . $join->($2) . "\""}gse;
            $there{$join->($&)} = 1 while $code =~ /$text/g;
            my $calls = qr/N_|viz_word|lesson_text|sac_translate|viz_spots_add|viz_spots_add_slider|viz_(?:shell|loop)_message/;
            while ($code =~ /\b(?:$calls)(\((?:[^()"]|$literal|(?1))*\))/g) {
                my $call = $1;
                $marked{$join->($&)} //= $file while $call =~ /$text/g;
            }
            $marked{$join->($1)} //= $file while $file =~ /^viz/ && $code =~ /\.(?:tab|about|tip|hint)\s*=\s*($text)/g;
            $marked{$join->($&)} //= $file while $code =~ /$literal/g && $& =~ /\004/;
        }
        open my $in, "<", $po or die "$po: $!";
        for (split /\n\n+/, do { local $/; <$in> }) {
            my ($context) = /^msgctxt ($text)/m;
            my ($id) = /^msgid ($text)/m;
            if ($id =~ /%(\d+\$)?[-+0-9.*]*z?[sdufgc]/ && !/^#, c-format/m) {
                print "$po: $id is a format; put \"#, c-format\" before it, so that conversions are compared\n";
                $failed = 1;
            }
            next if !$id || $join->($id) eq "";
            my $key = ($context ? $join->($context) . "\004" : "") . $join->($id);
            $translated{$key} = 1;
            $there{$key} = 1 if /^#\. composed/m;
        }
        for (sort keys %marked) {
            next if $translated{$_} || !/[A-Za-z]{2}/;
            print "$marked{$_}: no translation of \"$_\"; add it to $po\n";
            $failed = 1;
        }
        for (sort keys %translated) {
            next if $there{$_};
            print "$po: no code has \"$_\"; delete it\n";
            $failed = 1;
        }
        exit $failed' "$po" || failed=1
done
exit $failed
