const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Operators and statement words after which a term follows. */
export const BEFORE_TERM = words(
  "and or not xor x eq ne lt gt le ge cmp if elsif unless while until for foreach return split grep map sort join push unshift print say printf reverse keys values my our local lc uc defined scalar",
);
/** Words that may stand where an operator is expected. */
export const INFIX = words("and or xor x eq ne lt gt le ge cmp if unless while until for foreach");
/** Functions and statement words that compute, print, or stop. */
export const FUNCTIONS = words(`
  print say printf sprintf length substr index rindex uc lc ucfirst lcfirst reverse join split sort map grep keys values each exists delete
  defined undef scalar push pop shift unshift splice wantarray abs int sqrt sin cos atan2 exp log hex oct ord chr rand srand time localtime
  gmtime sleep chomp chop pos quotemeta die warn exit my our local if elsif else unless while until for foreach last next redo return not
  BEGIN END eof`);
/** What these modules export only computes. */
export const MODULES: Readonly<Record<string, ReadonlySet<string>>> = {
  strict: words(""),
  warnings: words(""),
  integer: words(""),
  utf8: words(""),
  feature: words("say state fc"),
  "List::Util": words("sum sum0 max min first maxstr minstr product uniq shuffle any all none"),
  POSIX: words("floor ceil fmod strftime"),
};
/** Variables through which Perl is steered: which files it reads, where it looks for code, what runs on a signal. */
export const STEERING = words("ARGV ARGVOUT INC SIG ISA EXPORT EXPORT_OK STDIN STDOUT STDERR DATA");
