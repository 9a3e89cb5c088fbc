// Code that makes more than anyone would read: loops whose condition nothing changes, what doubles in a loop, amounts that nobody has.
// INVARIANT: every expression here is linear in the text, or looks a bounded way ahead.
import { MAX_SOURCE } from "./finding.ts";

const anyOf = (...patterns: readonly string[]): RegExp => new RegExp(patterns.join("|"));

/** A number that nothing reaches soon: numbers are written out before it is looked for. */
const FAR = String.raw`\d{10}`;
/** What makes as much as it is told, in the words of whichever language, and numbers of bc(1) that grow with it. */
const MUCH = anyOf(
  String.raw`(?:\.\.|\bx|["'\]]\s*\*|[[{]|\$#\w{1,60}\s*=)\s*\(?\s*${FAR}|\)\s*\*\s*\d{11}|["'\])\w]\s*\.[lrc]\w*just\s+${FAR}`,
  String.raw`\b(?:(?:str_)?repeat|rep|x?range|generate_series|limit|Array(?:\.new)?|alloc\w{0,9}|[lr]?pad\w{0,9}|` +
    String.raw`[lr]just|center|zfill|bytes|bytearray|zeroblob|` +
    String.raw`rand\w{0,5}|ones|zeros|upto)` +
    String.raw`\s*\((?:[^(),]{0,99},)?\s*${FAR}`,
  String.raw`\b(?:factorial|comb|perm|pow)\s*\((?:[^(),]{0,99},)?\s*\d{8,}\s*\)|\be\s*\(\s*\d{7}|${FAR}\.times\b|\bscale\s*=\s*\d{8}|\[\s*\d{8,}\s*\]\s*=(?!=)`,
);
/** Loops that have no end, and those that count further than anyone would read. */
const LOOPS = anyOf(
  String.raw`\bitertools\b.{0,200}\b(?:count|cycle|repeat)\(|\biter\s*\(\s*\w{1,60}\s*,|\bloop\s{0,9}(?:\{|do\b)|` +
    String.raw`(?<!\.|\b(?:select|SELECT)\s[^|;]{0,400})\brepeat\s{0,9}\(`,
  String.raw`\brange\s{0,9}\([^)]{0,200}?(?:${FAR}|infinite|;\s*0\s*\))|\brecurse\s*\((?!\s*\.[\w[])[^;)]{0,99}\)`,
  String.raw`\.\.\.?\s*\)|\bFloat::INFINITY|\.step\s*(?:\{|do\b)|\.cycle\b|\bredo\b(?!\s*(?:if|unless)\b)`,
  String.raw`\b(?:while|until|for)\b[^:{\n]{0,200}[<>]=?\s{0,9}(?:${FAR}|Infinity\b)`,
);
/** A function that calls itself whatever it finds. */
const SELF = anyOf(
  String.raw`\b(?:function|define)\s+(\w{1,60})[^{]{0,200}\{(?:(?!\bif\b|[?]|&&|\|\|)[^}]){0,300}?\b\1\s*\(`,
  String.raw`\bdef\s+(\w{1,60})[^:]{0,99}:(?:(?!\b(?:if|select|empty)\b|[?])[^;\n]){0,300}?\b\2\b`,
  String.raw`\b(\w{1,60})\s*=\s*(?:lambda\b[^:\n]{0,60}:|\([^()]{0,60}\)\s*=>|->)(?:(?!\b(?:if|and|or)\b|[?]|&&|\|\|)[^;\n]){0,300}?\b\3\s*\.?\(`,
);
const WAYS_OUT =
  /\b(?:break|exit|last|die|return|exec|sleep|getline|input|limit|first|take|take_while|find|label|isvalid|raise|throw|await|yield|islice|zip)\b|<\w*>/;
/** Twice what it was, in each round of a loop. */
const DOUBLES = anyOf(
  String.raw`(?<![\w.])([A-Za-z_]\w{0,60})\s*(?:[-+.*]|<<)?=\s*(?:""\s*%\s*)?[[(]?(?:\.\.\.|\*)?[$@]?\1(?:\s*[+.,*]\s*(?:\.\.\.|\*)?|\s)[$@]?\1\b`,
  String.raw`(?<![\w.])([A-Za-z_]\w{0,60})\s*(?:[+.*]=|<<)\s*[$@]?\2\b(?!\s*[-[(.\/%?])`,
  String.raw`\bpush\s+@(\w{1,60})\s*,\s*@\3\b|\b(\w{1,60})\.(?:extend|push|concat)\s*\(\s*(?:\.\.\.)?\4\b`,
  String.raw`\bfor\s*\(?[^:;{]{0,60}\b(?:in|of)\s+(\w{1,60})\b(?:(?!\bif\b)[^]){0,200}?\b\5\.(?:append|push|extend|insert|unshift|add)\b`,
  // A text or a list, and so many times what it was.
  String.raw`(?<![\w.])([A-Za-z_]\w{0,60})\s*=\s*(?:""|\[)[^]{0,300}?(?<![\w.])[$@]?\6\s*` +
    String.raw`(?:(?:\*|x)=\s*\d|=\s*[$@]?\6\s*(?:\*|\bx)\s*\d|=\s*\6\.repeat\s*\(|\.repeat!)|\brepeat\(2,\s*[$@]?(\w{1,60})`,
  String.raw`\breduce\b[^]{0,99}?(?:(?<![\w.])(\w{1,60})\s*\+\s*\8\b|(?<!\w)\.\s*\+\s*\.(?!\w))`,
);
const ROUNDS = /\b(?:for|foreach|forEach|while|until|times|each|map|loop|step|upto|reduce)\b|(?:^|\})\s*\{/;

/** `s/a/aa/`, `x.replace("a", "aa")`, `gsub(/a/, "aa", x)`. */
const SUBSTITUTES = new RegExp(
  String.raw`(?:([$]\w{1,60})\s*=~\s*)?\bs/([^/\n]{1,40})/([^/\n]{1,80})/g|` +
    String.raw`\b(replace|replaceAll|r?e?\.?sub|gsub!?)\s*\(\s*["'/]([^"'/\n]{1,40})["'/]g?\s*,\s*["']([^"'\n]{1,80})["']`,
  "g",
);
/** What stands for what was found, twice. */
const doublesWhat = (of: string, by: string): boolean => by.split(of).length > 2 || /(\$&|\$\d|\\\d|&).*\1/.test(by);

/** Texts and patterns say nothing; numbers are written out, with what they are called. `undefined`: one is too long for that. */
function plain(source: string): string | undefined {
  let text = source
    .replaceAll(
      SUBSTITUTES,
      (whole: string, ...[name = "$_", inPerl = "", put = "", call = "", of = inPerl, by = put]: readonly string[]) =>
        !doublesWhat(of, by) ? whole : call === "" ? `${name} x= 2` : call.endsWith("!") ? "repeat!(" : "repeat(2",
    )
    .replaceAll(/(?:\b[fFrRbBuU]{1,2}(?="|'))?(?:"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|`[^`]*`)/g, (quoted) => {
      const names = [...quoted.matchAll(/[$#]?\{(\w+)\}|[$@](\w+)/g)].map(([, braced, plain = ""]) => braced ?? plain);
      const twice = names.find((name, at) => names.indexOf(name) < at);
      return twice === undefined ? '""' : ` ${twice} . ${twice} `;
    })
    .replaceAll(/(^|[(,~{};!&|]|\b(?:if|unless|while|until|and|or|not|split|grep))(\s*)\/(?:[^/\\\n]|\\.)+\//g, '$1$2""=~""')
    .replaceAll(/(?<=\d)_(?=\d)|(?<=\b\d{1,40})n\b/g, "")
    .replaceAll(/(?:\b|(?<=["')\]]\s{0,3}x))\d{1,20}(?:\.\d{1,20})?e\+?\d{1,3}\b/gi, (number) => writeOut(Number(number)));
  for (let round = 0; round < 8; round++) {
    const before = text;
    let isHuge = false;
    text = text
      .replaceAll(
        /(?<![\w.])(\d{1,40})\s*(\*\*|\^|<<)\s*\(?(\d{1,40})\)?(?!\d|\s*(?:\*\*|\^))/g,
        (_, base: string, sign: string, by: string) => {
          isHuge ||= Number(by) >= 1e7 && Number(base) > (sign === "<<" ? 0 : 1);
          return writeOut(sign === "<<" ? Number(base) * 2 ** Number(by) : Number(base) ** Number(by));
        },
      )
      .replaceAll(/(?<![\w.])(\d{1,40})\s*\*\s*(\d{1,40})(?![\w.]|\s*(?:\*\*|\^))/g, (_, a: string, b: string) =>
        writeOut(Number(a) * Number(b)),
      )
      .replaceAll(/(?<![\w.])\((\d{1,40})\)/g, "$1");
    for (const [, name = "", number = ""] of text.matchAll(/(?<![\w.])\$?([A-Za-z_]\w{0,60})\s*=\s*(\d{10,40})(?![\w.])/g))
      text = text.replaceAll(new RegExp(String.raw`\$?\b${name}\b(?!\s*=)`, "g"), number);
    if (isHuge) return undefined;
    if (text === before) break;
  }
  // `x = x "a"` only appends.
  return text.replaceAll(
    /(?<![\w.$])(\$?)([A-Za-z_]\w{0,60})\s*=\s*(?:""\s*[.+]?\s*\1\2|\1\2\s*[.+]?\s*"")(?![\s.+]*[\w$("])/g,
    '$1$2 += ""',
  );
}

const writeOut = (number: number): string => (number < 1e21 ? String(Math.round(number)) : "9".repeat(22));

/** No names of anything that could change. */
const FIXED = /^(?:and|or|not|is|in|eq|ne|lt|gt|le|ge|true|false|none|null|nil|undefined|len|length|defined|int|abs|scalar|my|let|var)$/i;

/** A condition that is asked again and again, what happens in between, and whether the loop goes on while it holds. */
interface Asked {
  readonly condition: string;
  readonly rest: string;
  readonly isUntil: boolean;
}

function conditionsIn(text: string): readonly Asked[] {
  return [...text.matchAll(/(?<![\w.$"])(while|until|for)\b\s*(\()?/g)].slice(0, 64).flatMap(([whole, word, opens], n, all): Asked[] => {
    const from = (all[n]?.index ?? 0) + whole.length;
    const end = opens === undefined ? from + text.slice(from).search(/[:;\n{}]|\bdo\b|$/) : closing(text, from);
    const parts = text.slice(from, end).split(";");
    const before = text.slice(0, all[n]?.index ?? 0);
    const body = bodyOfDo(before);
    if (word !== "for" && body !== undefined) return [{ condition: parts[0] ?? "", rest: body, isUntil: word === "until" }];
    // What stands before the loop happens once, unless a loop or a function is begun there.
    const [same] = /[^;{}\n]*$/.exec(before) ?? [];
    const rest = `${same}\n${/\b(?:def|function|sub|proc|lambda|while|until|for|loop|do)\b|[-=]>/.test(before) ? before : ""}\n${text.slice(end)}`;
    if (word === "for")
      return parts.length === 3 ? [{ condition: parts[1] ?? "", rest: `${text.slice(end)};${parts[2]}`, isUntil: false }] : [];
    return [{ condition: parts[0] ?? "", rest: parts.length > 1 ? `${rest};${parts[1]}` : rest, isUntil: word === "until" }];
  });
}

/** `do { … }`, `begin … end` in front of its condition. */
function bodyOfDo(before: string): string | undefined {
  if (/\bend\s*$/.test(before)) return before.slice(Math.max(0, before.lastIndexOf("begin")));
  if (!/\}\s*$/.test(before)) return undefined;
  let depth = 0;
  for (let at = before.lastIndexOf("}"); at >= 0; at--) {
    if (before[at] === "}") depth++;
    else if (before[at] === "{" && --depth === 0) return /\b(?:do|begin)\s*$/.test(before.slice(0, at)) ? before.slice(at) : undefined;
  }
  return undefined;
}

function closing(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "(") depth++;
    else if (text[at] === ")" && --depth === 0) return at;
  }
  return text.length;
}

/** SQL: a query that takes itself in again, and nothing says how often. */
const recursesOn = (text: string): boolean =>
  /\bwith\s+recursive\b/i.test(text) &&
  !/\blimit\b/i.test(text) &&
  [...text.matchAll(/\bunion\b/gi)].some(
    ({ index }) => !/\b(?:where|join|from\s+\w+(?:\s+\w+)?\s*,)/i.test(text.slice(index, closing(text, index))),
  );

const ARRANGES = new RegExp(
  String.raw`\b(?:(product)|(permutations)|combinations\w*)\s*\((?:range\s*\(\s*(\d{1,9})\s*\)|[^(),]{0,99})` +
    String.raw`(?:,[^()]{0,99}?(\d{1,9})\s*)?\)`,
  "g",
);
/** Arrangements of things, of ten where nobody says how many: more of them than anyone would look through. */
function arrangesMany(text: string): boolean {
  const calls = text.matchAll(ARRANGES);
  return [...calls].some(([, product, permutations, things = "10", times]) => {
    const of = Number(things);
    const by = Number(times ?? (permutations === undefined ? 1 : of));
    let count = 1;
    for (let i = 0; i < ((product ?? permutations) ? by : Math.min(by, of - by)) && count <= 1e9; i++)
      count *= product ? of : (of - i) / (permutations ? 1 : i + 1);
    return count > 1e9;
  });
}

/** A loop that goes on however often its body has run. */
function hasNoEnd({ condition, rest, isUntil }: Asked): boolean {
  const asked = condition.trim().replaceAll(/\b(?:len|length|count|strlen)\s*\(\s*([$@]?\w+)\s*\)|([$@]?\w+)\.(?:length|size)\b/g, "$1$2");
  // It changes something itself, or asks what nobody knows here: a call, a match, the next of something.
  if (/\+\+|--|(?<![=!<>])=(?![=])|=~|<\w*>|(?<![\w)\]])\.|[$@][^\w(]|\$_\b|`|\/.*\/|\b(?:s|m|tr|y)\s*[{|#]/.test(asked)) return false;
  if ([...asked.matchAll(/(\w+)\s*\(/g)].some(([, name = ""]) => !FIXED.test(name)) || /\.\w|\?/.test(asked)) return false;
  const names = [...asked.matchAll(/(?<!\w)[A-Za-z_]\w*/g)].map(([name]) => name).filter((name) => !FIXED.test(name));
  if (names.length === 0) {
    const isNever = /^(?:!\s*1|not\s+true|0|false|none|nil|null|undef)$/i.test(asked);
    return isUntil ? isNever : !isNever && (asked !== "" || rest.includes(")"));
  }
  const [, left, sign] = /^(?:[$@%]?(\w+)(?:\[[^\]]*\])?)\s*(<=?|>=?|(?:!==?|ne)(?=\s*"")|$)/.exec(asked) ?? [];
  // What is asked about alone ends a loop as nothing, or as something; what only grows is never again a certain text.
  const isUpwards =
    sign === ""
      ? isUntil
      : /^[!n]/.test(sign ?? "")
        ? isUntil
        : (name: string): boolean => (name === left) !== (sign?.startsWith("<") === isUntil);
  return !names.some((name) =>
    changes(name, rest, typeof isUpwards === "boolean" ? isUpwards : isUpwards(name), sign === undefined || names.length > 2),
  );
}

const GROWS = "append|push|add|extend|unshift|insert";

/** Whether the text changes what has the name, upwards or down as the condition needs it. */
function changes(name: string, text: string, isUpwards: boolean, isEither: boolean): boolean {
  const at = String.raw`(?<![\w.])[$@%]?${name}(?:\[[^\]]{0,99}\])?`;
  const up = [
    String.raw`${at}\s*(?:\+\+|[+.|]=|\*\*?=|x=|<<)|\+\+\s*${at}|\b(?:push|unshift)\s*\(?\s*${at}`,
    String.raw`${at}\.(?:${GROWS})\b`,
  ];
  const down = [
    String.raw`${at}\s*(?:--|-=|\/{1,2}=|%=|>>=)|--\s*${at}|\b(?:pop|shift|chop|splice|delete|del)\s*\(?\s*${at}`,
    String.raw`${at}\.(?!(?:${GROWS})\b)\w`,
  ];
  const other = [
    String.raw`${at}\s*(?:,[^;\n=]{0,99})?(?:&|\^|:|\|\|)?=(?![=~])|,\s*${at}\s*=|${at}\s*=~`,
    String.raw`\b(?!(?:while|until|if|for|print|printf|len|length|int|str|puts|log)\b)\w+\s*\([^()]{0,200}(?<!\w)${name}\b`,
  ];
  // A number is changed by no call that gets it.
  const isNumber = !isEither && new RegExp(String.raw`(?<![\w.])[$]?${name}\s*(?:\+\+|--|[-+]=\s*\d)|(?:\+\+|--)[$]?${name}\b`).test(text);
  return anyOf(...(isEither ? [...up, ...down] : isUpwards ? up : down), ...(isNumber ? other.slice(0, 1) : other)).test(text);
}

/** Commands of sed(1): `s` with its two sides; an address, and `!`; a label, or a branch to it; the others. */
const SED = new RegExp(
  String.raw`s([^\w\s\\])((?:\\[^]|(?!\1)[^\\])*)\1((?:\\[^]|(?!\1)[^\\])*)\1[gpiIm\d]*|(\/(?:\\[^]|[^/\\])*\/|\$)\s*(!?)|` +
    String.raw`(?::\s*|([btT])[ \t]*)([^\s;}]*)|[nNdDqQ{}]|[GHhxpPgz=]`,
  "g",
);

/** sed(1): a branch back that does not wait for the end of the input. */
function branchesBack(script: string): boolean {
  const seen = [...script.matchAll(SED)];
  return seen.some(([, , , , , , branch, label], at) => {
    const start = seen.findIndex(([whole, , , , , , command, name]) => command === undefined && whole.startsWith(":") && name === label);
    if (branch === undefined || start < 0 || start > at) return false;
    const body = seen.slice(start, at);
    const waits = ([whole]: readonly string[], i: number): boolean =>
      /^[nNdqQD]$/.test(whole ?? "") && !/^\$\s*!/.test(body[i - 1]?.[0] ?? "");
    if (body.some(waits)) return false;
    const opened = body.findLast(([whole], i) => whole === "{" && body.slice(i).every(([one]) => one !== "}"));
    const last = opened === undefined ? body.at(-1) : body[body.indexOf(opened) - 1];
    const moves = body.some(([whole]) => /^[nN]$/.test(whole));
    if (moves && /^\$\s*!/.test(last?.[0] ?? "")) return false;
    const changed = body.filter(([whole, delimiter]) => delimiter !== undefined && whole.startsWith("s"));
    const isAddressed = last?.[4] !== undefined;
    if (branch === "T" || (branch === "b" && !isAddressed) || changed.length === 0) return true;
    return changed.some(([, , pattern = "", put = ""]) => {
      const isPlain = !/[\\[\].*^$]/.test(pattern);
      return /(\\\d|&).*\1/.test(put) || /^(?:\^|\$|.\*)?$/.test(pattern) || (isPlain && (put.includes("&") || put.includes(pattern)));
    });
  });
}

/** True for code that goes on until the memory or the disk is full. */
export const goesOn = (sources: readonly string[], program: string): boolean =>
  program.endsWith("sed") ? branchesBack(sources.join("\n")) : sources.some(makesMore);

function makesMore(source: string): boolean {
  // Longer code asks anyway.
  if (source.length > MAX_SOURCE) return false;
  const text = plain(source);
  if (text === undefined || MUCH.test(text) || SELF.test(text) || (DOUBLES.test(text) && ROUNDS.test(text))) return true;
  return !WAYS_OUT.test(text) && (LOOPS.test(text) || arrangesMany(text) || recursesOn(text) || conditionsIn(text).some(hasNoEnd));
}

/** The variables that a condition of the shell asks about, as its parser writes it: nothing stands in it but what asks, prints or assigns. */
export function askedBy(condition: string, never: string): readonly string[] | undefined {
  const commands = [...condition.matchAll(/"name":\{"type":"Word","text":"([^"]*)"/g)].map(([, name = ""]) => name);
  if (/\$\((?!\()|`|\$\{?[^\w{(]|\$\{?\d|\$\{[^\w#!]|"Function"/.test(condition)) return undefined;
  if (commands.some((name) => !/^(?::|true|false|\[|test|let|echo|printf|cd|pwd)$/.test(name))) return undefined;
  if (commands.length === 1 && never.split(" ").includes(commands[0] ?? "") && !condition.includes('"Pipeline"')) return undefined;
  if (commands.length === 0 && !/"(?:Test|Arithmetic)/.test(condition)) return [];
  const names = condition.matchAll(/\$\{?[#!]?(\w+)|"ArithmeticWord","pos":\d+,"end":\d+,"value":"(\w+)"/g);
  return [...names].map(([, name = "", word = name]) => word);
}

/** `[ $i -ge 0 ]`, `[[ $x != b ]]`, `i >= 0` as the parser writes them: a variable, how it is compared, and with what. */
const COMPARED = new RegExp(
  String.raw`"suffix":\[\{"type":"Word","text":"(?:\\")?([^"\\]*)(?:\\")?".*?"type":"Word","text":"(-\w\w|[!=]=?)".*?"text":"([^"\\$]*)"|` +
    String.raw`"operator":"([<>!=]=?)","left":\{"type":"(?:Word|ArithmeticWord)",[^{]*?"(?:text|value)":"([^"\\]*)".*?` +
    String.raw`"right":\{[^{]*?"(?:text|value)":"([^"\\$*?]*)"`,
);
const UP = /^(?:<=?|-l[te])$/;
const DOWN = /^(?:>=?|-g[te])$/;

/** A loop of the shell in which each round takes the variable further from what would end it: `x=a$x` while it is not `b`. */
export function runsAway(condition: unknown, body: unknown, isUntil: boolean): boolean {
  const asked = JSON.stringify(condition);
  if (asked.length > 2000 || /"(?:AndOr|Pipeline|Test(?:Logical|Not)|Function)|"operator":"(?:&&|\|\|)"/.test(asked)) return false;
  const found =
    COMPARED.exec(asked)
      ?.slice(1)
      .filter((part) => part !== undefined) ?? [];
  const isTest = asked.includes('"suffix"');
  const [compared = "", sign = "", limit = ""] = isTest ? found : [found[1], found[0], found[2]];
  const name = /^\$?\{?#?(\w+)\}?$/.exec(compared)?.[1];
  // Text that only grows is never again a shorter one; a number may be met on the way.
  const isOther = (isUntil ? /^(?:==?|-eq)$/ : /^(?:!=|-ne)$/).test(sign) && !/^\d*$/.test(limit);
  const goal = isOther ? "down" : UP.test(sign) !== isUntil ? "up" : "down";
  if (name === undefined || !(isOther || UP.test(sign) || DOWN.test(sign))) return false;
  const text = JSON.stringify(body);
  if (new RegExp(String.raw`"type":"Word","text":"(?:-\w+)?${name}(?:=[^"]*)?"`).test(text)) return false;
  const assigned = text.matchAll(new RegExp(String.raw`"type":"Assignment",[^{]*?"text":"${name}(\+?)=((?:[^"\\]|\\.)*)"`, "g"));
  const counted = text.matchAll(
    new RegExp(
      String.raw`"operator":"([-+*/%&|^]?=|<<=|>>=|\+\+|--)","(?:left|operand)":\{"type":"ArithmeticWord",[^{]*?"value":"${name}"`,
      "g",
    ),
  );
  const ways = [
    ...[...assigned].map(([, append, value = ""]) => {
      const [, step] = new RegExp(String.raw`^\$\(\(\s*\$?${name}\s*([-+])\s*\d+\s*\)\)$`).exec(value) ?? [];
      const isMore = append === "+" || (!/`|\$\(|\$\{\w+[^\w}]/.test(value) && new RegExp(String.raw`\$\{?${name}\b`).test(value));
      return (step ?? (isMore ? "+" : "")).replace("+", "up").replace("-", "down");
    }),
    ...[...counted].map(([, change = ""]) => (/^\+[+=]$/.test(change) ? "up" : /^-[-=]$/.test(change) ? "down" : "")),
  ];
  return ways.length > 0 && ways.every((way) => way !== "" && way !== goal);
}
