# Prints what bash offers for each line of its input, whose last word is incomplete, and "--" after each: offered.bash COMPLETION
set -u
source "$1"
while IFS= read -r line; do
  read -ra COMP_WORDS <<<"$line"
  [[ $line != *' ' ]] || COMP_WORDS+=('')
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
  _highwater_cli
  [ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
  echo --
done
