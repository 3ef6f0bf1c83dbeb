# Prints what zsh offers for each line of its input, whose last word is incomplete, and "--" after each: offered.zsh COMPLETION
# The completion runs in the line editor of a zsh on a pseudo-terminal, which writes what is offered to a file. (compadd
# with -O, -A or -D only puts words into an array.)
zmodload zsh/zpty
rm -f offers ready
zpty shell zsh -f -i
zpty -w shell "PS1=; stty -echo; autoload -Uz compinit; compinit -u -D; source $1"'
compadd() {
  if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
    local -a offered
    builtin compadd -O offered "$@"
    print -rl -- ${(Q)offered} >>offers
  fi
  builtin compadd "$@"
}
offer() { _main_complete; print -- -- >>offers; compstate[insert]= compstate[list]= }
zle -C offer list-choices offer
bindkey "^T" offer
: >ready'
wait_for() {  # until the command succeeds
  for i in {1..1200}; do "$@" && return; sleep 0.05; done
  print "zsh does not answer"
  exit 1
}
ended() { [[ $(grep -cx -- -- offers 2>/dev/null) == $1 ]]; }
wait_for test -e ready
lines=0
while IFS= read -r line; do
  zpty -n -w shell $'\C-u'"$line"$'\C-t'
  wait_for ended $((++lines))
done
grep -v '^$' offers
