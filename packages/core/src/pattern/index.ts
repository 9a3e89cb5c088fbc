export { expandBraces } from "./brace.ts";
export { hostCovers, hostMatches, hostOfUrl, normaliseHost, possibleHosts } from "./host.ts";
export {
  bindPattern,
  type BoundPattern,
  DEEP,
  escapePath,
  escapeSegment,
  foldSegment,
  matchesAlternative,
  matchesSegments,
  type PathPattern,
  pathPattern,
  type PatternBase,
  type Segment,
} from "./path.ts";
export { ANY, compileRegex, type LinearMatcher, literalRegex, parseRegex, type Regex } from "./regex.ts";
export { genericInstances, genericWord, globRegion, pathRegion, patternCovers, reachOf, type Region } from "./region.ts";
export { type Answer, both, BoundedMap, either, mistake, type Mistake, ok, type Result } from "./result.ts";
export { type Element, GAP, matchSequence } from "./sequence.ts";
export { expandsTo, expandsToName, shellPattern } from "./shell.ts";
export { type Meter, type Steps, walk } from "./walk.ts";
export {
  checkEscape,
  covers,
  escapeWord,
  literalWord,
  matchesText,
  matchesWord,
  overlaps,
  parseUnits,
  shellGlob,
  wordGlob,
  type WordGlob,
  wordOf,
} from "./word.ts";
