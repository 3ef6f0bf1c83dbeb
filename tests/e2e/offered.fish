# Prints what fish offers for each line of its input, whose last word is incomplete, and "--" after each: offered.fish COMPLETION
source $argv[1]
while read -l line
    complete -C "$line" | string split -f 1 \t
    echo -- --
end
