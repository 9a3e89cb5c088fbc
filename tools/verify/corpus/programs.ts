import type { CorpusLine } from "../types.ts";

/** Commands that only look, with operands that the scratch project has, and how many lines each prints matters to nobody. */
const LOOKING = [
  "cat a.txt",
  "head -n 2 b.txt",
  "tail -n1 a.txt",
  "wc -l a.txt",
  "sort b.txt",
  "uniq sorted.txt",
  "cut -d' ' -f1 a.txt",
  "tr a-z A-Z < a.txt",
  "ls",
  "ls src",
  "ls -la dir",
  "grep foo a.txt",
  "grep -rn TODO src",
  "grep -c two a.txt b.txt",
  "sed -n 1,2p a.txt",
  "awk '{ print $2 }' b.txt",
  "find src -name '*.ts'",
  "find . -maxdepth 1 -type f",
  "stat a.txt",
  "file a.txt",
  "basename src/index.ts",
  "dirname src/a/b.ts",
  "realpath link.txt",
  "readlink link.txt",
  "md5sum a.txt",
  "sha256sum b.txt",
  "diff a.txt b.txt",
  "cmp a.txt copy.txt",
  "comm a.txt b.txt",
  "nl a.txt",
  "tac b.txt",
  "rev b.txt",
  "paste a.txt b.txt",
  "join sorted.txt sorted.txt",
  "fold -w 10 a.txt",
  "expand a.txt",
  "od -c a.txt",
  "echo hi",
  "printf '%s\\n' x",
  "date",
  "pwd",
  "true",
  "false",
  "test -f a.txt",
  "[ -d src ]",
  "id",
  "whoami",
  "uname",
  "seq 3",
  "git status",
  "git log --oneline",
  "git diff",
  "git show HEAD",
  "git branch",
  "git ls-files",
  "git rev-parse HEAD",
  "jq . a.json",
  "du -s src",
  "tree src",
  "cat '../my notes.txt'",
  "cat odd/-dash.txt",
] as const;

/** What reads its standard input. */
const FILTERS = [
  "cat",
  "head -n 3",
  "tail -n 2",
  "wc -l",
  "sort",
  "sort -r",
  "uniq -c",
  "grep -v foo",
  "grep o",
  "cut -c1-5",
  "tr -d o",
  "sed 's/o/0/'",
  "sed -n p",
  "awk 'NR<3'",
  "nl",
  "rev",
  "tac",
  "cat -n",
  "tee /dev/null",
  "xargs echo",
  "xargs -n1 echo",
  "cat - b.txt",
  "paste -",
  "md5sum",
  'while read l; do echo "$l"; done',
  '{ read a; echo "$a"; cat; }',
  "(cat)",
  "grep -f pattern.txt",
] as const;

/** Operands, several words among them; spelled in the ways a shell has. */
const FILES = [
  "a.txt",
  "b.txt",
  "'../my notes.txt'",
  '"a.txt"',
  "./b.txt",
  "src/index.ts",
  "src/{index,helper}.ts",
  "{a,b}.txt",
  "[ab].txt",
  "*.csv",
  "src/*.ts",
  "d?/a.txt",
  "$PWD/a.txt",
  "dir/../b.txt",
  "link.txt",
  "a\\.txt",
  "$'a.txt'",
  "ünïcode.txt",
  "~/project/a.txt",
  '"$PWD"/b.txt',
  "docs/*.md",
  "odd/-dash.txt",
] as const;

const PREFIXES = [
  "env",
  "env A=1",
  "nice",
  "nice -n 5",
  "timeout 5",
  "command",
  "nohup",
  "stdbuf -oL",
  "time -p",
  "setsid -w",
  "LC_ALL=C",
  "A=1 B=2",
];

const READERS = [
  "cat",
  "head -n1",
  "wc -c",
  "grep -n o",
  "sort",
  "ls -d",
  "stat -c %n",
  "md5sum",
  "tail -n 1",
  "sed -n 1p",
  "nl",
  "file",
  "cut -c1",
  "awk 1",
] as const;

/** Random shell programs of harmless commands: what counts is whether the parser and bash agree on what is started with which words. */
class ProgramWriter {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** mulberry32 */
  #below(n: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * n);
  }

  #pick(list: readonly string[]): string {
    return list[this.#below(list.length)] ?? "";
  }

  program(): string {
    const parts = 1 + this.#below(3);
    return Array.from({ length: parts }, () => this.#part(2)).reduce(
      (text, part) => `${text}${this.#pick([" && ", " || ", "; ", "\n", "; "])}${part}`,
    );
  }

  #reader(): string {
    return (
      `${this.#pick(READERS)} ${this.#pick(FILES)}` +
      `${this.#pick(["", "", ` ${this.#pick(FILES)}`, " 2>/dev/null", " </dev/null", " 2>&1", " > /dev/null"])}`
    );
  }

  #plain(): string {
    return this.#below(3) === 0 ? this.#pick(LOOKING) : this.#reader();
  }

  #pipe(): string {
    const filters = 1 + this.#below(3);
    return Array.from({ length: filters }, () => this.#pick(FILTERS)).reduce(
      (text, filter) => `${text} ${this.#pick(["|", "|", "|", "|&"])} ${filter}`,
      this.#plain(),
    );
  }

  #part(depth: number): string {
    if (depth <= 0) return this.#plain();
    const d = depth - 1;
    switch (this.#below(24)) {
      case 0:
        return `(${this.#part(d)})`;
      case 1:
        return `{ ${this.#part(d)}; }`;
      case 2:
        return `if ${this.#part(d)}; then ${this.#part(d)}; else ${this.#part(d)}; fi`;
      case 3:
        return `for f in ${this.#pick(FILES)} ${this.#pick(FILES)}; do ${this.#pick(READERS)} "$f"; done`;
      case 4:
        return `for n in 1 2 3; do ${this.#part(d)}; done`;
      case 5:
        return `case a in ${this.#pick(["a", "*", "b|a", "[a-c]"])}) ${this.#part(d)} ;; *) ${this.#plain()} ;; esac`;
      case 6:
        return `x=$(${this.#plain()}); echo "$x"`;
      case 7:
        return `echo "$(${this.#part(d)})"`;
      case 8:
        return `f() { ${this.#part(d)}; }; f`;
      case 9:
        return `${this.#pick(["cat", "wc -l", "grep o", "sort"])} <<EOF\nfoo $((1 + 2))\nbar\nEOF`;
      case 10:
        return `${this.#pick(["cat", "tr a-z A-Z", "wc -c"])} <<< ${this.#pick(["foo", '"a b"', "'x y'", "$HOME"])}`;
      case 11:
        return `${this.#pick(["diff", "comm", "paste", "cat"])} <(${this.#plain()}) <(${this.#plain()})`;
      case 12:
        return (
          `find ${this.#pick(["src", "dir", ". -maxdepth 1"])} -type f ${this.#pick(["-name '*.ts' ", ""])}-exec ` +
          `${this.#pick(READERS)} {} ${this.#pick(["\\;", "+"])}`
        );
      case 13:
        return `find ${this.#pick(["src", "dir", "docs"])} -name '*.${this.#pick(["ts", "txt", "md"])}' -print0 | xargs -0 ${this.#pick(READERS)}`;
      case 14:
        return `! ${this.#plain()}`;
      case 15:
        return `time ${this.#plain()}`;
      case 16:
        return `${this.#pick(PREFIXES)} ${this.#reader().replace(/^while.*/, "cat a.txt")}`;
      case 17:
        return `bash -c '${this.#plain().replaceAll("'", '"')}'`;
      case 18:
        return `cd ${this.#pick(["src", "dir", "docs", "."])} && ${this.#pick(["ls", "cat *", "pwd", "wc -l *", "head -n1 -- *", "git status"])}`;
      case 19:
        return `while read -r line; do ${this.#pick(["echo", "printf '%s\\n'", "basename"])} "$line"; done < ${this.#pick(["a.txt", "list.txt"])}`;
      case 20:
        return `[[ ${this.#pick(["-f a.txt", "a == a", "$HOME =~ dev", "1 -lt 2"])} ]] && ${this.#part(d)}`;
      case 21:
        return `(( ${this.#pick(["1 + 1", "2 > 1", "0"])} )) || ${this.#part(d)}`;
      default:
        return this.#pipe();
    }
  }
}

/** So many programs; the same seed gives the same ones. */
export function shellLines(count: number, seed: number): readonly CorpusLine[] {
  const writer = new ProgramWriter(seed);
  const lines = new Set<string>();
  for (let tries = 0; lines.size < count && tries < 4 * count; tries++) lines.add(writer.program());
  return [...lines].map((line) => ({ line, family: "shell programs" }));
}
