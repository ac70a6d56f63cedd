# @NAME@, a bot for @GAME@. `choose` is its strategy: change that. All else reads the protocol.
# `arena games @GAME@` explains the rules, and all that the arena tells and asks.
use strict;
use warnings;
use List::Util qw(first max min uniq);

# Words that claim a card; the first words of options, the best first; asks in which to name a card is
# to claim it; and asks for a card to give away, the least wanted one.
my %CARDS  = map { $_ => 1 } qw(@CARDS@);
my @WANTED = qw(@WANTED@);
my %CLAIMS = map { $_ => 1 } qw(action block);
my %LOSSES = map { $_ => 1 } qw(lose show return);

# What we know of one game. Each game begins anew, so that nothing is left from the game before.
my $me;                 # our seat
my %state;              # "p1" or "table" => the facts of its newest `state` line
my %events;             # "refuted p1" => how often an `event` line began so
my $chance;             # the state of our random numbers

# Never lie, challenge only liars that have been caught, else take what is wanted most.
sub choose {
    my ($kind, $facts, @options) = @_;
    return 'challenge' if $kind eq 'challenge' && $events{"refuted $facts->{on}"};
    if ($CLAIMS{$kind}) {
        my @honest = grep { is_true($_) } @options;
        @options = @honest if @honest;
    }
    my @ranks = map { rank_of($_) } @options;
    my $best  = $LOSSES{$kind} ? max(@ranks) : min(@ranks);
    @options = grep { rank_of($_) == $best } @options;
    return $options[random(scalar @options)];
}

# Whether we could prove a claim: all cards that it names are one card, and in our hand.
sub is_true {
    my ($option) = @_;
    my @cards = uniq(grep { $CARDS{$_} } split /[:@]/, $option);
    return @cards == 0 || (@cards == 1 && grep { $_ eq $cards[0] } hand());
}

# The place of an option in WANTED, or the last one.
sub rank_of {
    my ($word) = split /[:@+.]/, shift;
    return first { $_ == @WANTED || $WANTED[$_] eq $word } 0 .. @WANTED;
}

sub hand {
    return split /,/, $state{$me}{hand} // '';
}

# A number below `count`. The same seed gives the same numbers, so that games can be repeated.
sub random {
    my ($count) = @_;
    $chance = $chance * 48271 % 2147483647;    # the generator minstd_rand of C++
    return $chance % $count;
}

# The words of the form key=value, as a hash.
sub pairs_of {
    return map { split /=/, $_, 2 } grep { /=/ } @_;
}

sub answer {
    my ($kind, $facts, @options) = @_;
    return 'ok name=@NAME@ version=1' if $kind eq 'hello';
    return defined $me && $kind ne 'ready' ? choose($kind, $facts, @options) : $options[0];
}

$| = 1;    # flush after every line
while (my $line = <STDIN>) {
    my ($verb, @words) = split ' ', $line;
    next unless defined $verb;
    if ($verb eq 'game') {
        my %facts = pairs_of(@words);
        ($me, $chance) = ($facts{you}, $facts{seed} % 2147483646 + 1);
        %state = %events = ();
    } elsif ($verb eq 'state') {
        $state{ $words[0] } = { pairs_of(@words) };
    } elsif ($verb eq 'event') {
        $events{ join ' ', grep { defined } @words[0, 1] }++;
    } elsif ($verb eq 'ask') {    # <id> <kind> <ms> <key>=<value> ... : <option> ...
        my $colon = first { $words[$_] eq ':' } 0 .. $#words;
        my %facts = pairs_of(@words[0 .. $colon]);
        print "$words[0] ", answer($words[1], \%facts, @words[$colon + 1 .. $#words]), "\n";
    } elsif ($verb eq 'error') {    # we made a mistake; stderr is kept with the game
        print STDERR $line;
    } elsif ($verb eq 'bye') {
        last;
    }
}
