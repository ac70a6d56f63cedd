#!/bin/sh
# Always answers with the first option: what silence would mean, only faster.

while read -r verb id rest; do
    [ "$verb" = ask ] || continue
    options=${rest#* : }
    echo "$id ${options%% *}"
done
