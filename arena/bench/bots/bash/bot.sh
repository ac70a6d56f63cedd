# Answers ask number N with option N modulo their count.
while read -r verb number rest; do
    [[ $verb == ask ]] || continue
    options=(${rest#* : })
    echo "$number ${options[number % ${#options[@]}]}"
done
