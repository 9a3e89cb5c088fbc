/**
 * Words of the code's own language that nobody who uses Assent must have to learn, with what is said instead. They are looked
 * for in everything that a person reads, docs included, outside of ids, paths, quoted commands and rules (`prose.ts` takes those out).
 */
export interface ForbiddenWord {
  readonly word: RegExp;
  readonly instead: string;
}

/** What has another name for people than in code. */
const RENAMED: readonly ForbiddenWord[] = [
  // A key, an option and a rule keep the name.
  { word: /(?<!["-]|assent )\b(?:un)?confin(?:e|es|ed|ing|ement)\b(?!["-])/i, instead: "sandboxed" },
  { word: /\bundecided\b/i, instead: "no opinion, and who decides" },
  { word: /\bno opinion\b(?!:|$)/i, instead: "no opinion: and who decides" },
  { word: /\bsilence\b/i, instead: "who decides: the agent; it is told nothing" },
  { word: /\bpreset default\b/i, instead: "by default you are asked" },
  { word: /\bis listed here\b/i, instead: "what the thing does" },
  { word: /\bconsents?\b/i, instead: "agree, say yes" },
];

export const FORBIDDEN: readonly ForbiddenWord[] = [
  { word: /\bfloors?\b/i, instead: "never allowed" },
  { word: /\bupkeep\b/i, instead: "the program's own files" },
  { word: /\bcode project\b/i, instead: "run project scripts" },
  { word: /\bcode (?!of\b)\w+ \((?:inline|file|data|project)\)/i, instead: "run … code" },
  { word: /\bdoors?\b/i, instead: "say what happens, without the part's name" },
  { word: /\bwalls?\b|\bwalled\b/i, instead: "supervised, sandboxed" },
  { word: /\blower(?:ing|ed)\b/i, instead: "understood, read" },
  { word: /\bmetadata\b(?! (?:service|address))/i, instead: "times, owner, permissions" },
  { word: /\bmkdir (?:recursively )?\//i, instead: "create the folder" },
  { word: /\b(?:wants|want|would|to) (?:to )?listen\b/i, instead: "accept connections on port N" },
  { word: /(?<!\bthere )\b(?:is|are) no (?!longer\b|more\b|other\b)\w+/i, instead: "is not a …, or say what it is" },
  { word: /\bthere (?:is|are) no(?:ne|body)?\b/i, instead: "the … does not exist; … was not found" },
  { word: /\bnothing to say\b/i, instead: "no problems found" },
  { word: /\b(?:is|are) said\b/i, instead: "say it" },
  { word: /\bwould go with it\b/i, instead: "would delete your whole home folder" },
  { word: /\berrands?\b/i, instead: "what the program is known to need" },
  { word: /\bsteer(?:s|ing|ed)?\b/i, instead: "decides which programs or servers later commands use" },
  { word: /\bobey(?:s|ed|ing)?\b/i, instead: "uses, reads its settings from" },
  { word: /\bbasis\b/i, instead: "why" },
  { word: /\bunknowns\b|\ban unknown\b(?! (?:\w+))/i, instead: "what cannot be known beforehand" },
  { word: /\bcannot be told\b/i, instead: "it is not clear" },
  { word: /\bspeaks? about\b/i, instead: "a rule covers, fits, matches" },
  { word: /\blets? the user confirm\b/i, instead: "to a person: allow it with …; to a model: ask the user to …" },
  { word: /\bafar\b/i, instead: "remotely, or: by people of the team" },
  { word: /\bmend(?:s|ed|ing)?\b/i, instead: "fix" },
  { word: /\bwaiv(?:e|es|ed|able)\b/i, instead: "skip questions" },
  { word: /\bwaive questions\b/i, instead: "skip questions" },
  { word: /\bliterally\b/i, instead: "by name" },
  { word: /\bhangs on\b/i, instead: "depends on" },
  { word: /\bpreimage|pre-image\b/i, instead: "the file as it was" },
  { word: /\bargv\b/, instead: "the words of the command" },
  { word: /\bpin(?:s|ned)\b/i, instead: "kept open" },
  { word: /\bverdict rests\b/i, instead: "was decided by" },
  { word: /\bspelled\b|\bspelling(?:s)?\b/i, instead: "written" },
  ...RENAMED,
  { word: /\binterpose[sd]?\b/i, instead: "say what happens" },
];
