# Registered hooks of macOS and of other processors name this file: `env -i bash -p ask.bash FILE COMMAND WORD...`. It asked a judge that
# stays, of which FILE had the port. It becomes COMMAND WORD..., the fresh hook. For bash 3.2, too.
shopt -s execfail
[[ $# -lt 2 || $2 != /* ]] || exec "${@:2}"
trap '' PIPE
printf 'Node or Assent is missing; refused: sh ~/.local/share/assent/rescue\n' >&2
exit 2
