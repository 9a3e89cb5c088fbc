# What a host's shell starts where there is no native client: `env -i bash -p ask.bash FILE COMMAND WORD...`. Asks the judge that stays,
# whose port and secrets are in FILE, and ends as it answers; where that does not work, for whatever reason, it becomes COMMAND WORD...
# with the same input. ask-bash.ts says what is in the file, what is sent, and what is an answer. For bash 3.2, too; builtins alone, no
# here-strings (they are files), and nothing of the environment, which is empty.
LC_ALL=C
IFS=$' \t\n'
shopt -s execfail

# More takes longer to read here, byte by byte, than a fresh process takes to start.
MOST=32768

refuse() {
  trap '' PIPE
  printf 'Assent could not be started, so this is refused; run: assent doctor\n' >&2
  exit 2
}

fresh() {
  exec "${command[@]}"
  refuse
}

# The same with what has been read, and what has not. $1: a byte that `read` has taken away, in the form of printf.
again() {
  exec "${command[@]}" < <(
    printf "%s$1" "$input" || exit
    [[ $rest ]] || exit 0
    [[ -x /bin/cat ]] && exec /bin/cat
    while IFS= read -r -d '' input; do printf '%s\0' "$input"; done
    printf %s "$input"
  )
  refuse
}

# Another system's file, another boot's, another namespace's, and that of a process that has gone or stands still are none.
find_resident() {
  local magic boot pid end name value stat ours=-
  [[ -f $file && -O $file && ! -L $file ]] || return
  read -r magic port first second boot pid end < "$file" || return
  [[ $magic == assent-1 && $end == . && ${#first} == 64 && ${#second} == 64 ]] || return
  case $port$pid in *[!0-9]*) return 1 ;; esac
  case $first$second in *[!0-9a-f]*) return 1 ;; esac
  [[ $port && $pid ]] && kill -0 "$pid" || return
  [[ -r /proc/sys/kernel/random/boot_id ]] && read -r ours < /proc/sys/kernel/random/boot_id
  [[ $ours == "$boot" ]] || return
  [[ $ours == - ]] && return
  for name in mnt net pid user; do [[ /proc/self/ns/$name -ef /proc/$pid/ns/$name ]] || return; done
  read -r stat < "/proc/$pid/stat" || return
  case ${stat##*) } in [RSD]*) ;; *) return 1 ;; esac
  # In a supervised run the supervisor answers.
  while read -r name value; do [[ $name == NoNewPrivs: ]] && break; done < /proc/self/status
  [[ $name == NoNewPrivs: && $value == 0 ]]
}

# In a process of its own, which holds nothing of the host's: connecting has no time limit in bash.
converse() {
  local greeting answer
  exec < /dev/null 2> /dev/null
  # By itself: while a line of them is made, what they replace is kept.
  exec 3<> "/dev/tcp/127.0.0.1/$port" || exit
  printf 'assent?1 %s\n' "$first" >&3
  # Before it is known who listens, nothing is told.
  read -r -t "$patience" -u 3 greeting && [[ $greeting == "$second" ]] || exit
  printf '%s\0' "$$" "$PPID" "$PWD" "${#command[@]}" "${command[@]}" "$input" >&3
  IFS= read -r -d '' -t "$patience" -u 3 answer || exit
  printf '%s\0' "$answer"
}

[[ $# -ge 2 && $2 == /* ]] || refuse
file=$1
shift
command=("$@")
[[ $file == /* && $PWD == /* ]] || fresh
find_resident 2> /dev/null || fresh

rest=
if IFS= read -r -d '' -n $((MOST + 1)) input; then
  rest=1
  [[ ${#input} -gt $MOST ]] && again ''
  again '\0'
fi
# What does not end like an envelope may be a part of one.
[[ ${input%$'\n'} == *\} ]] || { rest=1; again ''; }

# Whole seconds are the least that 3.2 can wait.
patience=1
[[ ${BASH_VERSINFO[0]} -ge 4 ]] && patience=0.3
IFS= read -r -d '' -t "$patience" -u 4 answer 4< <(converse) || again ''
head=${answer%%$'\n'*}
texts=${answer#*$'\n'}
status=${head%% *}
length=${head#* }
[[ $head == "$status $length" && $answer == "$head"$'\n'* ]] || again ''
case $status$length in *[!0-9]*) again '' ;; esac
[[ $status && $length && ${#status} -le 3 && ${#length} -le 8 ]] || again ''
[[ $((10#$status)) -le 255 && $((10#$length)) -le ${#texts} ]] || again ''
trap '' PIPE
printf %s "${texts:$((10#$length))}" >&2
printf %s "${texts:0:$((10#$length))}" || refuse
exit "$((10#$status))"
