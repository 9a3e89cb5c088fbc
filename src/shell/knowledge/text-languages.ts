import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// Programs whose arguments are source in a language of their own, and editors.

export const textLanguages: readonly CommandSpec[] = [
  {
    names: "sed gsed",
    summary: "edits a stream",
    options: rows(
      "-n --quiet --silent; --debug; -e --expression=sed -> drop script; -f --file=script/sed -> drop script; --follow-symlinks",
      "-i --in-place[=word] -> read becomes edit; -l --line-length=text; --posix; -E -r --regexp-extended; -s --separate; --sandbox; -u --unbuffered",
      "-z --null-data --zero-terminated; -b --binary; --help -> stop; --version -> stop",
    ),
    operands: "script:sed read*",
    examples: {
      allow: ["sed -n '1,120p' a.txt", "sed 's/a/b/' a.txt | head", "sed -e 's/a/b/' -e '$d' a.txt", "sed -E 's/(a|b)+/x/g' a.txt", "sed 's|/usr|/opt|g' < a.txt", "sed --version"],
      ask: [
        "sed 's/a/b/w out' a.txt",
        "sed 's|x|id|e' a.txt",
        "sed '1!e ls > x' a.txt",
        "sed -i s/a/b/ a.txt",
        "sed -ni.bak p a.txt",
        "sed --in-pl s/a/b/ a.txt",
        'sed "$SCRIPT" a.txt',
        "sed -i '' s/a/b/ a.txt",
      ],
      none: ["sed -f x.sed a.txt", "sed '1!e ./evil' a.txt"],
      deny: ["sed -n '1e rm -rf ~' a.txt", "sed p .env", "sed -i s/a/b/ ~/.bashrc", "sed -i s/a/b/ .git/hooks/pre-commit", "sed 'w ~/x' .env", "sed 'r .env' a.txt"],
    },
  },
  {
    names: "awk gawk mawk nawk original-awk",
    summary: "runs an awk program",
    style: "posix",
    options: rows(
      "-F --field-separator=text; -v --assign=text; -f --file=script/awk -> drop program; -e --source=awk -> drop program; -E --exec=script/awk -> drop program",
      "-b --characters-as-bytes; -c --traditional; -C --copyright -> stop; -d --dump-variables[=write] -> write awkvars.out; -g --gen-pot -> stop; -h --help -> stop; -I --trace",
      "-L --lint[=text]; -M --bignum; -N --use-lc-numeric; -n --non-decimal-data; -o --pretty-print[=write] -> write awkprof.out; -O --optimize",
      "-p --profile[=write] -> write awkprof.out; -P --posix; -r --re-interval; -s --no-optimize; -S --sandbox; -t --lint-old; -V --version -> stop",
      "# load code: -i --include -l --load -D --debug -W",
    ),
    operands: "program:awk read*",
    examples: {
      allow: ["awk -F: '$3 > 100 {print $1}' /etc/passwd", "awk '{print $1}' a.txt", "awk 'NR==1' a.txt b.txt", "awk -v n=3 'NR<=n' a.txt", "ls | awk '{s+=$1} END {print s}'"],
      ask: [
        "awk 'BEGIN{system(\"touch x\")}'",
        "awk '{print > \"out\"}' a.txt",
        "awk '{print $0 > $1}' a.txt",
        "awk '{\"touch x\" | getline x}' a.txt",
        "awk '{print | \"sh\"}' a.txt",
        "gawk -i inplace '{print}' a.txt",
        "gawk -l ./evil.so 1 a.txt",
        'awk "$PROG" a.txt',
        "gawk -o/tmp/x 1 a.txt",
      ],
      none: ["awk -f prog.awk a.txt", "awk 'BEGIN{system(\"./evil\")}'"],
      deny: ["awk 'BEGIN{system(\"rm -rf ~\")}'", "awk 1 .env", "awk '{print}' ~/.ssh/id_rsa", "awk 'BEGIN{while((getline l < \".env\")>0) print l}'"],
    },
  },
  {
    names: "jq gojq jaq",
    summary: "queries JSON",
    style: "bsd",
    options: rows(
      "-f --from-file=script/jq -> drop filter; -n --null-input; -e --exit-status; -s --slurp; -r --raw-output; --raw-output0; -j --join-output; -R --raw-input",
      "-c --compact-output; -C --color-output; -M --monochrome-output; -a --ascii-output; -S --sort-keys; --tab; --indent=text; --unbuffered; --stream",
      "--stream-errors; --seq; --args -> read becomes text; --jsonargs -> read becomes text; -h --help -> stop; -V --version -> stop; --build-configuration -> stop",
      "# load code: -L --library-path",
      "# take two words: --arg --argjson --slurpfile --rawfile --argfile",
    ),
    operands: "filter:jq read*",
    examples: {
      allow: [
        "jq . package.json",
        "jq -r '.scripts | keys[]' package.json",
        "jq '.a' a.txt",
        "jq -n '{a: 1}'",
        "cat package.json | jq -c .name",
        "jq -n --args '$ARGS' a b",
      ],
      ask: ["jq -n env", "jq -n '$ENV'", "jq -L evil 'import \"x\" as x; .' a.txt", 'jq "$F" a.txt', "jq --nonsense . a.txt"],
      none: ["jq -f prog.jq a.txt"],
      deny: ["jq . .env", "jq -R . .env", "jq --rawfile x .env '$x' a.txt"],
    },
  },
  {
    names: "yq",
    summary: "queries YAML (both programs of this name)",
    style: "bsd",
    options: rows(
      "-i --in-place --inplace -> read becomes edit; -n --null-input; -e --exit-status; -r --unwrapScalar --raw-output[=text]; -j --tojson; -P --prettyPrint",
      "-p --input-format=text; -o --output-format=text; -I --indent=text; -C --colors; -M --no-colors; -N --no-doc; -y --yaml-output --yml-output; -Y --yaml-roundtrip",
      "-c; -S; --yaml-output-grammar-version=text; -w --width=text; -v --verbose; -h --help -> stop; -V --version -> stop; --from-file=script/yq -> drop filter",
      "# mean different things in the two programs, or write files: -s -f",
    ),
    operands: "filter:yq? read*",
    examples: { allow: ["yq .a f.yml", "yq -r '.a.b' f.yml", "cat f.yml | yq -o json ."], ask: ["yq -i '.a=1' f.yml", "yq -n 'load(\"x\")'", "yq -n 'env(HOME)'"], deny: ["yq . .env", "yq -i .a=1 ~/.bashrc"] },
  },
  {
    names: "vim vi view nvim ex rvim gvim vimdiff ed red nano pico emacs joe micro hx helix kak mg mcedit",
    summary: "edits files by hand, runs any command",
    options: rows("--version -> stop; --help -> stop"),
    operands: "edit*",
    effects: "terminal, code.stdin ed",
    examples: {
      allow: ["vim --version"],
      ask: ["vim -c ':!id' a.txt", "vim a.txt", "ed a.txt <<< '!id'", "emacs --batch --eval '(delete-file \"x\")'", "nvim +q a.txt", "vim -es -c 'w! x' -c q", "nano a.txt", "ex -s +%s/a/b/ +wq a.txt"],
      deny: ["vim .env", "nano ~/.bashrc"],
    },
  },
  {
    names: "envsubst",
    summary: "puts environment variables into its input",
    options: rows("-v --variables; -h --help -> stop; -V --version -> stop"),
    operands: "text?",
    effects: "environment",
    examples: { ask: ["envsubst < a.txt"], deny: ["envsubst < .env"] },
  },
];
