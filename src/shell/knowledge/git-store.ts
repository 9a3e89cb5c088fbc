import { optionTable, REVISIONS } from "./git-options.ts";
import type { SubcommandSpec } from "./spec.ts";

const CHANGES = "repository, write $git";

/** Git subcommands that write objects, packs, patches and archives, and filters. */
export const GIT_STORE: Readonly<Record<string, SubcommandSpec>> = {
  "patch-id": {
    style: "gnu",
    options: "--stable\n--unstable\n--verbatim",
    operands: "",
    examples: { allow: ["git diff | git patch-id --stable"] },
  },
  stripspace: {
    style: "gnu",
    options: optionTable("-s --[no-]strip-comments; -c --[no-]comment-lines"),
    operands: "",
    output: "input",
    examples: { allow: ["git stripspace -s < a.txt"] },
  },
  column: {
    style: "gnu",
    options: optionTable(
      "--command=text; --no-command; --[no-]mode[=text]; --raw-mode=text; --width=text; --indent=text; --nl=text; --padding=text",
    ),
    operands: "",
    output: "input",
    examples: { allow: ["git column --mode=row < a.txt"] },
  },
  "verify-pack": {
    style: "gnu",
    options: optionTable("-v --[no-]verbose; -s --[no-]stat-only; --object-format=text"),
    operands: "read+",
    effects: "repository",
    examples: { allow: ["git verify-pack -v .git/objects/pack/x.idx"] },
  },
  "get-tar-commit-id": { style: "gnu", operands: "", examples: { allow: ["git get-tar-commit-id < a.tar"] } },
  // The old form prints; the new one (`--write-tree`, the default) adds objects that nothing refers to.
  "merge-tree": {
    // The result is kept as objects that nothing refers to.
    upkeep: ["write $git/objects/**"],
    style: "gnu",
    options: optionTable(
      "--write-tree; --trivial-merge; --[no-]messages; -z; --name-only; --allow-unrelated-histories; --stdin; --quiet; --merge-base=text; -X --strategy-option=text",
    ),
    operands: "text*",
    effects: "repository",
    examples: { allow: ["git merge-tree main feature"] },
  },
  "hash-object": {
    style: "gnu",
    options: optionTable(
      "-t=text; -w -> write $git/objects; --[no-]stdin; --[no-]stdin-paths; --no-filters; --[no-]literally; --path=text; --no-path",
    ),
    operands: "read*",
    examples: { allow: ["git hash-object a.txt"], ask: ["git hash-object -w a.txt"], deny: ["git hash-object .env"] },
  },
  fsck: {
    style: "gnu",
    options: optionTable(`
      -v --[no-]verbose; --[no-]unreachable; --[no-]dangling; --[no-]tags; --[no-]root; --[no-]cache; --[no-]reflogs; --[no-]full
      --[no-]connectivity-only; --[no-]strict; --[no-]lost-found -> write $git/lost-found; --[no-]progress; --[no-]name-objects; --references; --no-references`),
    operands: "text*",
    effects: "repository",
    examples: { allow: ["git fsck --full"], ask: ["git fsck --lost-found"] },
  },
  "fast-export": {
    style: "bsd",
    options: optionTable(
      REVISIONS,
      `
      --progress=text; --signed-tags=text; --tag-of-filtered-object=text; -M; -C; --export-marks=write; --import-marks=read
      --import-marks-if-exists=read; --fake-missing-tagger; --use-done-feature; --no-data; --full-tree; --anonymize
      --anonymize-map=text; --reference-excluded-parents; --show-original-ids; --reencode=text; --refspec=text`,
    ),
    operands: "read*",
    effects: "repository",
    examples: { allow: ["git fast-export --all"], ask: ["git fast-export --export-marks=m --all"] },
  },
  "read-tree": {
    style: "gnu",
    options: optionTable(`
      --index-output=write; --[no-]empty; -v --[no-]verbose; -m; --[no-]trivial; --[no-]aggressive; --[no-]reset -> danger history-rewrite
      --prefix=text; -u; --exclude-per-directory=text; -i; -n --[no-]dry-run; --no-sparse-checkout; --[no-]recurse-submodules[=text]; -q --[no-]quiet`),
    operands: "text*",
    effects: CHANGES,
    examples: { ask: ["git read-tree HEAD", "git read-tree --reset -u HEAD"] },
  },
  "update-index": {
    style: "gnu",
    options: optionTable(`
      -q; --[no-]ignore-submodules; --[no-]add; --[no-]replace; --[no-]remove; --[no-]unmerged; --refresh; --really-refresh
      --cacheinfo=text; --chmod=text; --[no-]assume-unchanged; --[no-]skip-worktree; --[no-]ignore-skip-worktree-entries
      --[no-]info-only; --[no-]force-remove; -z; --stdin; --index-info; --unresolve; -g --again; --[no-]ignore-missing
      --[no-]verbose; --clear-resolve-undo; --index-version=text; --[no-]split-index; --[no-]untracked-cache
      --[no-]test-untracked-cache; --[no-]force-untracked-cache; --[no-]force-write-index; --[no-]fsmonitor-valid`),
    operands: "list*",
    effects: CHANGES,
    examples: { ask: ["git update-index --assume-unchanged a.txt"] },
  },
  "write-tree|commit-tree|mktree|mktag|unpack-objects|index-pack": {
    style: "gnu",
    options: optionTable(`
      --[no-]missing-ok; --prefix=text; -p=text; -m=text; -F=read; -S --gpg-sign[=text]; -z; --missing; --batch; --[no-]strict; -n; -q; -r
      -v; -o=write; --stdin; --fix-thin; --keep[=text]; --verify`),
    operands: "text*",
    effects: CHANGES,
    examples: { ask: ["git write-tree", "git commit-tree HEAD^{tree} -m x"] },
  },
  "pack-refs|multi-pack-index write|commit-graph write|update-server-info": {
    style: "gnu",
    options: optionTable(
      "--[no-]all; --[no-]prune; --[no-]progress; --reachable; --stdin-packs; --stdin-commits; --append; --changed-paths; --split[=text]; --auto; --include=text; --exclude=text; -f --force",
    ),
    operands: "",
    effects: CHANGES,
    examples: { ask: ["git pack-refs --all", "git commit-graph write --reachable"] },
  },
  archive: {
    style: "gnu",
    options: optionTable(`
      --format=text; --prefix=text; --add-file=read; --add-virtual-file=text; -o --output=write; --no-output; --worktree-attributes
      -v --[no-]verbose; -1..-9; -l --list; --remote=text -> remote.read git, net; --no-remote; --exec=foreign/command; --no-exec; --mtime=text`),
    operands: "tree:text? read*",
    effects: "repository",
    analyse: "git-revisions",
    examples: {
      deny: ["git archive HEAD .env", "git archive HEAD:.env"],
      allow: ["git archive HEAD", "git archive HEAD src", "git archive --list"],
      ask: ["git archive -o x.tar HEAD", "git archive --remote=ext::'sh -c evil' HEAD"],
    },
  },
  "bundle create": {
    style: "gnu",
    options: optionTable(
      "-q --[no-]quiet; --[no-]progress; --[no-]all-progress; --[no-]all-progress-implied; --version=text; --all; --branches; --tags; --since=text; -1..-9",
    ),
    operands: "write text*",
    effects: "repository",
    examples: { ask: ["git bundle create x.bundle --all"] },
  },
  "bundle verify|bundle list-heads": {
    style: "gnu",
    options: optionTable("-q --[no-]quiet"),
    operands: "read text*",
    effects: "repository",
    examples: { allow: ["git bundle verify x.bundle"] },
  },
  "bundle unbundle": {
    style: "gnu",
    options: "--progress",
    operands: "read text*",
    effects: CHANGES,
    examples: { ask: ["git bundle unbundle x.bundle"] },
  },
  // Trailer commands come from the repository's configuration.
  "interpret-trailers": {
    style: "gnu",
    options: optionTable(`
      --[no-]in-place -> read becomes edit; --[no-]trim-empty; --where=text; --no-where; --if-exists=text; --no-if-exists; --if-missing=text
      --no-if-missing; --[no-]only-trailers; --[no-]only-input; --[no-]unfold; --parse; --no-divider; --trailer=text -> code.project; --no-trailer`),
    operands: "read*",
    effects: "repository",
    examples: {
      allow: ["git interpret-trailers --parse a.txt"],
      ask: ["git interpret-trailers --in-place --trailer x a.txt"],
      none: ["git interpret-trailers --trailer 'a: b' a.txt"],
    },
  },
  "merge-file": {
    style: "gnu",
    options: optionTable(
      "-p --[no-]stdout -> edit becomes read; --[no-]diff3; --[no-]zdiff3; --[no-]ours; --[no-]theirs; --[no-]union; --marker-size=text; -q --[no-]quiet; -L=text; --object-id; --diff-algorithm=text",
    ),
    operands: "edit read read",
    examples: { ask: ["git merge-file a.txt base b.txt"], allow: ["git merge-file -p a.txt base b.txt"] },
  },
  "rerere|rerere clear|rerere forget|rerere gc": {
    style: "gnu",
    options: optionTable("--[no-]rerere-autoupdate"),
    operands: "text*",
    effects: CHANGES,
    examples: { ask: ["git rerere", "git rerere clear"] },
  },
  "sparse-checkout init|sparse-checkout set|sparse-checkout add|sparse-checkout reapply|sparse-checkout disable": {
    style: "gnu",
    options: optionTable("--[no-]cone; --[no-]sparse-index; --skip-checks; --stdin"),
    operands: "text*",
    effects: CHANGES,
    examples: { ask: ["git sparse-checkout set src"] },
  },
  "sparse-checkout list|sparse-checkout check-rules": {
    style: "gnu",
    options: optionTable("--[no-]cone; --rules-file=read; -z"),
    operands: "",
    effects: "repository",
    examples: { allow: ["git sparse-checkout list"] },
  },
  // Without `--stdout` the patches become files.
  "format-patch": {
    style: "bsd",
    options: optionTable(`
      -n --[no-]numbered; -N; -s --[no-]signoff; --[no-]stdout; --[no-]cover-letter; --[no-]numbered-files; --suffix=text; --no-suffix
      --start-number=text; --no-start-number; -v --reroll-count=text; --no-reroll-count; --filename-max-length=text; --rfc
      --cover-from-description=text; --subject-prefix=text; -o --output-directory=write; --output=write; -k --keep-subject; --no-binary
      --[no-]zero-commit; --[no-]ignore-if-in-upstream; -p --no-stat; --add-header=text; --no-add-header; --to=text; --no-to; --cc=text
      --no-cc; --[no-]from[=text]; --in-reply-to=text; --no-in-reply-to; --[no-]attach[=text]; --inline[=text]; --[no-]thread[=text]
      --signature=text; --no-signature; --base=text; --no-base; --signature-file=read; -q --[no-]quiet; --[no-]progress; --root; -1..-9
      -M; -C; --stat; --interdiff=text; --range-diff=text; --creation-factor=text; --[no-]force-in-body-from; --full-index; --binary`),
    operands: "text*",
    effects: "repository, write .",
    examples: { ask: ["git format-patch -1", "git format-patch -o out main"] },
  },
};
