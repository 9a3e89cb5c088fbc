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
  printf 'Node or Assent is missing; refused: sh ~/.local/share/assent/rescue\n' >&2
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

# 0: one is there. 1: none is, and one may be started. 2: what is there is not for us.
find_resident() {
  local magic boot pid end name value stat ours=-
  [[ -r /proc/sys/kernel/random/boot_id ]] && read -r ours < /proc/sys/kernel/random/boot_id
  if [[ $ours != - ]]; then
    # In a supervised run the supervisor answers.
    while read -r name value; do [[ $name == NoNewPrivs: ]] && break; done < /proc/self/status
    [[ $name == NoNewPrivs: && $value == 0 ]] || return 2
  fi
  [[ -e $file || -L $file ]] || return 1
  [[ -f $file && -O $file && ! -L $file ]] || return 2
  # Another system's file, another boot's, and that of a process that has gone or stands still are none; so is another namespace's.
  read -r magic port first second boot pid end < "$file" || return 1
  [[ $magic == assent-1 && $end == . && ${#first} == 64 && ${#second} == 64 ]] || return 1
  case $port$pid in *[!0-9]*) return 1 ;; esac
  case $first$second in *[!0-9a-f]*) return 1 ;; esac
  [[ $port && $pid && $ours == "$boot" ]] && kill -0 "$pid" || return 1
  [[ $ours == - ]] && return 0
  for name in mnt net pid user; do [[ /proc/self/ns/$name -ef /proc/$pid/ns/$name ]] || return 2; done
  read -r stat < "/proc/$pid/stat" || return 1
  case ${stat##*) } in [RSD]*) return 0 ;; [Tt]*) return 2 ;; *) return 1 ;; esac
}

# Where the folder is, somebody wants one. It is not waited for, gets nothing of what the host has opened or has in its environment, and a
# group of its own, which outlives the host's. FOLDER/starting names the process until that one takes calls, or has found another that does;
# where it has gone instead, and could not start, each fiftieth call tries again.
start_resident() {
  local folder=${file%/*} words=2 pid= calls=0 word fd
  local assigned=()
  [[ -d $folder && -O $folder && ! -L $folder && ${command[0]} == /usr/bin/env && ${command[1]} == -i ]] || return
  while
    word=${command[words]}
    [[ $word == *=* && $word != /* ]]
  do
    case $word in HOME=* | XDG_STATE_HOME=*) assigned+=("$word") ;; esac
    words=$((words + 1))
  done
  [[ ${command[words]} == /* && ${command[words + 1]} == /* ]] || return
  [[ -e $folder/starting ]] && read -r pid calls < "$folder/starting"
  if [[ $pid ]]; then
    case $pid$calls in *[!0-9]*) return ;; esac
    kill -0 "$pid" && return
    calls=$(((10#0$calls + 1) % 50))
    printf '%s %s\n' "$pid" "$calls" >| "$folder/starting"
    [[ $calls == 0 ]] || return
  fi
  # What cannot be noted, on a full disk, is not tried.
  printf '%s 0\n' "$$" >| "$folder/starting" || return
  set -m
  {
    for fd in /dev/fd/*; do
      fd=${fd##*/}
      # Of these 255 is the script, which goes by itself.
      case $fd in *[!0-9]* | [012] | 255) ;; *) eval "exec $fd>&-" ;; esac
    done
    cd / && exec /usr/bin/env -i "${assigned[@]}" "${command[@]:words:2}" daemon --serve bash
  } < /dev/null > /dev/null &
  set +m
  printf '%s 0\n' "$!" >| "$folder/starting"
}

# In a process of its own, which holds nothing of the host's: connecting has no time limit in bash. Says first what came of it.
converse() {
  local greeting answer
  exec < /dev/null 2> /dev/null
  # By itself: while a line of them is made, what they replace is kept.
  exec 3<> "/dev/tcp/127.0.0.1/$port" || { printf 'nobody\n'; exit; }
  printf 'assent?1 %s\n' "$first" >&3
  # Before it is known who listens, nothing is told.
  read -r -t "$soon" -u 3 greeting && [[ $greeting == "$second" ]] || { printf 'stranger\n'; exit; }
  # Where that is heard by nobody, nothing is asked.
  printf 'resident\n' || exit
  printf '%s\0' "$$" "$PPID" "$PWD" "${#command[@]}" "${command[@]}" "$input" >&3
  IFS= read -r -d '' -t "$patience" -u 3 answer || exit
  printf '%s\0' "$answer"
}

[[ $# -ge 2 && $2 == /* ]] || refuse
file=$1
shift
command=("$@")
[[ $file == /* && $PWD == /* ]] || fresh
find_resident 2> /dev/null
case $? in
  0) ;;
  1) start_resident 2> /dev/null; fresh ;;
  *) fresh ;;
esac

rest=
if IFS= read -r -d '' -n $((MOST + 1)) input; then
  rest=1
  [[ ${#input} -gt $MOST ]] && again ''
  again '\0'
fi
# What does not end like an envelope may be a part of one.
[[ ${input%$'\n'} == *\} ]] || { rest=1; again ''; }

# For the greeting, for both processes together, and for the answer. Whole seconds are the least that 3.2 can wait.
soon=1 both=2 patience=1
[[ ${BASH_VERSINFO[0]} -ge 4 ]] && soon=0.1 both=0.2 patience=0.2
who= got=
{
  IFS= read -r -t "$both" -u 4 who && [[ $who == resident ]] && IFS= read -r -d '' -t "$patience" -u 4 answer && got=1
} 4< <(converse)
[[ $who == nobody ]] && start_resident 2> /dev/null
[[ $got ]] || again ''
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
