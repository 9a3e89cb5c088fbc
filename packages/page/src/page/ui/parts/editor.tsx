import { useEffect, useMemo, useRef } from "preact/hooks";

export interface EditorMark {
  readonly line: number;
  readonly severity: "error" | "warning" | "info";
}

export interface EditorHandle {
  /** Puts the cursor at a place, and the place into sight. Lines and columns count from 1. */
  readonly goTo: (line: number, column: number) => void;
  /** Writes at the cursor, as if it had been typed: Undo takes it back. */
  readonly insert: (text: string) => void;
}

interface EditorProps {
  readonly id: string;
  readonly label: string;
  readonly describedBy: string;
  readonly text: string;
  readonly marks: readonly EditorMark[];
  readonly onText: (text: string) => void;
  /** Where the cursor is, as an offset into the text. */
  readonly onCursor: (offset: number) => void;
  readonly handle: { current: EditorHandle | null };
}

/** Beyond it nothing is coloured: typing must not wait. */
const MOST_COLOURED = 120_000;

/**
 * A text that is edited in the browser's own text field, so that it works with every keyboard and screen reader: its letters are
 * transparent, and the same text lies behind them in colours. Tab moves on, as everywhere.
 */
export function Editor({ id, label, describedBy, text, marks, onText, onCursor, handle }: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const behind = useRef<HTMLPreElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => text.split("\n").length, [text]);
  const coloured = text.length <= MOST_COLOURED;
  const tokens = useMemo(() => (coloured ? jsonTokens(text) : []), [text, coloured]);

  useEffect(() => {
    handle.current = {
      goTo: (line, column) => {
        const area = field.current;
        if (area === null) return;
        const offset = offsetOf(area.value, line, column);
        area.focus();
        area.setSelectionRange(offset, offset);
        area.scrollTop = Math.max(0, (line - 4) * lineHeight(area));
        area.scrollLeft = 0;
        onCursor(offset);
      },
      insert: (more) => {
        field.current?.focus();
        write(field.current, more);
      },
    };
    return () => {
      handle.current = null;
    };
  });

  const scrolled = (): void => {
    const area = field.current;
    if (area === null) return;
    if (behind.current !== null) {
      behind.current.scrollTop = area.scrollTop;
      behind.current.scrollLeft = area.scrollLeft;
    }
    if (gutter.current !== null) gutter.current.scrollTop = area.scrollTop;
  };
  const moved = (): void => {
    if (field.current !== null) onCursor(field.current.selectionStart);
  };

  return (
    <div class="editor" style={{ height: `clamp(12rem, ${lines * 1.35 + 2}rem, 65vh)` }}>
      <div class="gutter" aria-hidden="true" ref={gutter}>
        <Gutter lines={lines} marks={marks} />
      </div>
      <div class="sheet">
        {coloured ? (
          <pre class="behind" aria-hidden="true" ref={behind}>
            {tokens.map(({ is, text: part }, at) =>
              is === "plain" ? (
                part
              ) : (
                <span class={`json-${is}`} key={at}>
                  {part}
                </span>
              ),
            )}
            {"\n"}
          </pre>
        ) : null}
        <textarea
          id={id}
          ref={field}
          class={coloured ? "over" : ""}
          aria-label={label}
          aria-describedby={describedBy}
          wrap="off"
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          value={text}
          onInput={(event) => {
            onText(event.currentTarget.value);
            scrolled();
          }}
          onScroll={scrolled}
          onKeyUp={moved}
          onClick={moved}
          onKeyDown={indent}
        />
      </div>
    </div>
  );
}

function Gutter({ lines, marks }: { readonly lines: number; readonly marks: readonly EditorMark[] }) {
  const worst = new Map<number, string>();
  for (const { line, severity } of marks) if (severity === "error" || worst.get(line) !== "error") worst.set(line, severity);
  return (
    <pre>
      {Array.from({ length: lines }, (_, at) => {
        const mark = worst.get(at + 1);
        return (
          <span key={at} class={mark === undefined ? "" : `mark-${mark}`}>
            {`${at + 1}\n`}
          </span>
        );
      })}
      {"\n"}
    </pre>
  );
}

const lineHeight = (area: HTMLTextAreaElement): number => Number.parseFloat(getComputedStyle(area).lineHeight);

export function offsetOf(text: string, line: number, column: number): number {
  let at = 0;
  for (let left = line - 1; left > 0; left--) {
    const end = text.indexOf("\n", at);
    if (end === -1) return text.length;
    at = end + 1;
  }
  return Math.min(text.length, at + column - 1);
}

/** As typed, so that the browser's Undo knows it. */
function write(area: HTMLTextAreaElement | null, text: string): void {
  if (area === null) return;
  // Deprecated, and the only way that leaves Undo whole.
  if (document.execCommand("insertText", false, text)) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

/** A new line begins where the one before does. */
function indent(event: KeyboardEvent): void {
  const area = event.currentTarget;
  if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey || !(area instanceof HTMLTextAreaElement)) return;
  const start = area.value.lastIndexOf("\n", area.selectionStart - 1) + 1;
  const [blanks = ""] = /^[ \t]*/.exec(area.value.slice(start, area.selectionStart)) ?? [];
  if (blanks === "") return;
  event.preventDefault();
  write(area, `\n${blanks}`);
}

/** The parts of a JSON5 text that look different from one another. */
interface JsonToken {
  readonly is: "comment" | "key" | "text" | "word" | "plain";
  readonly text: string;
}

const TOKEN = /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|\b(?:true|false|null)\b|-?\b\d[\w.+-]*/g;

/** A text as tokens: together they are the text again, whatever it is. */
function jsonTokens(text: string): readonly JsonToken[] {
  const out: JsonToken[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > at) out.push({ is: "plain", text: text.slice(at, match.index) });
    const [found] = match;
    at = match.index + found.length;
    out.push({ is: kindOf(found, text, at), text: found });
  }
  if (at < text.length) out.push({ is: "plain", text: text.slice(at) });
  return out;
}

function kindOf(found: string, text: string, end: number): JsonToken["is"] {
  if (found.startsWith("/")) return "comment";
  if (!/^["']/.test(found)) return "word";
  let next = end;
  while (" \t\r\n".includes(text[next] ?? "x")) next += 1;
  return text[next] === ":" ? "key" : "text";
}
