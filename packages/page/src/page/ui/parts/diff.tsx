import { structuredPatch } from "diff";

/** Lines of a text that changed, each beside its number; for screen readers every line says what became of it. */
export function TextDiff({ before, after, label }: { readonly before: string; readonly after: string; readonly label: string }) {
  const { hunks } = structuredPatch("", "", before, after, undefined, undefined, { context: 2 });
  if (hunks.length === 0) return <p class="faint">The text is the same.</p>;
  return (
    <div class="diff" role="group" aria-label={label} tabIndex={0}>
      {hunks.map((hunk) => (
        <DiffLines key={hunk.oldStart} lines={hunk.lines} start={hunk.newStart} />
      ))}
    </div>
  );
}

const SAID: Readonly<Record<string, string>> = { "+": "added", "-": "removed" };

/** The lines of a hunk, as `diff` writes them: the first character says what became of the line. */
export function DiffLines({ lines, start }: { readonly lines: readonly string[]; readonly start: number }) {
  let number = start - 1;
  return (
    <pre>
      {lines.map((line, at) => {
        const sign = line.slice(0, 1);
        if (sign !== "-") number += 1;
        const said = SAID[sign];
        return (
          <span key={at} class={said === undefined ? "diff-same" : `diff-${said}`}>
            <span class="diff-number" aria-hidden="true">
              {sign === "-" ? "" : number}
            </span>
            {said === undefined ? null : <span class="unseen">{said}: </span>}
            {`${line}\n`}
          </span>
        );
      })}
    </pre>
  );
}
