# Answers ask number N with option N modulo their count.
$| = 1;
while (<STDIN>) {
    /^ask (\d+) .*? : (.*)/ or next;
    my @options = split ' ', $2;
    print "$1 $options[$1 % @options]\n";
}
