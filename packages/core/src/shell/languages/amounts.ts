/** A number that nothing reaches soon, as languages write it. */
const FAR = /(?:\d{10}|\d+e\d\d|10\s*(?:\*\*|\^)\s*\d\d|2\s*(?:\*\*|\^)\s*[3-9]\d|1\s*<<\s*[3-9]\d)/.source;

/** What makes more than anyone would read, in the words of whichever language. INVARIANT: linear in the text, as every expression here. */
const MUCH = new RegExp(`(?:\\.\\.|\\bx|["'\\])]\\s*\\*|\\b(?:repeat|xrange|limit|Array|alloc)\\s*\\() *${FAR}`);
/** Loops that have no end, and those that count further than anyone would read. */
const LOOPS = new RegExp(
  String.raw`\bitertools\b.{0,200}\b(?:count|cycle|repeat)\(|` +
    String.raw`\b(?:while\s{0,9}\(?\s{0,9}(?:[1-9]\d*|!0|[Tt]rue)|until\s{0,9}\(?\s{0,9}(?:0|!1|false))\s{0,9}(?:[)};:\n]|$)|\bwhile\s{0,9}\(\s{0,9}\)|` +
    String.raw`^\s{0,9}1\s+while\b|\bloop\s{0,9}(?:\{|do\b)|(?<!\.)\brepeat\s{0,9}\(|\brange\s{0,9}\([^)]{0,200}?(?:${FAR}|infinite)|` +
    String.raw`\bfor\s{0,9}\([^;]{0,200};(?:\s{0,9};|[^;]{0,200}<=?\s{0,9}${FAR})`,
);
const WAYS_OUT =
  /\b(?:break|exit|last|die|return|redo|exec|sleep|getline|input|limit|first|label|isvalid|raise|throw|await|yield|islice|zip)\b|<\w*>/;

/** True for code that goes on until the memory or the disk is full. */
export const goesOn = (source: string): boolean => MUCH.test(source) || (LOOPS.test(source) && !WAYS_OUT.test(source));
