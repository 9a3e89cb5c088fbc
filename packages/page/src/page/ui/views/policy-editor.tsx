import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PolicyCheck, PolicyRemark, EditedText } from "../../api/policy.ts";
import type { PolicyFileShape } from "../../policy-places.ts";
import { get, messageOf, post } from "../client.ts";
import { useKeys } from "../keys.ts";
import { announce } from "../parts/announce.tsx";
import { Editor, type EditorHandle } from "../parts/editor.tsx";
import { Words } from "../parts/words.tsx";
import { hintAt, type SchemaNode } from "../parts/schema-hint.ts";
import { PolicyRules } from "./policy-rules.tsx";
import { SavePolicy } from "./policy-save.tsx";
import { Problem } from "../parts/problem.tsx";

interface PolicyEditorProps {
  readonly folder: string;
  readonly file: PolicyFileShape;
  readonly onDirty: (dirty: boolean) => void;
  readonly onSaved: () => void;
}

/** Typing is looked at when it pauses this long. Milliseconds. */
const PAUSE_MS = 300;

let schema: Promise<SchemaNode> | undefined;

/** One policy file: its text, what is wrong with it, its rules, and saving. */
export function PolicyEditor({ folder, file, onDirty, onSaved }: PolicyEditorProps) {
  /** What the file said when it was opened or saved; null: it does not exist. Undefined: nobody knows yet. */
  const [was, setWas] = useState<string | null>();
  const [text, setText] = useState("");
  const [check, setCheck] = useState<PolicyCheck>();
  const [problem, setProblem] = useState<string>();
  const [saving, setSaving] = useState(false);
  const [round, setRound] = useState(0);
  const handle = useRef<EditorHandle | null>(null);
  const { file: path, editable } = file;

  useEffect(() => {
    if (!editable) return undefined;
    const gone = new AbortController();
    get<EditedText>("policy/text", { folder, file: path }, gone.signal).then(
      (found) => {
        setWas(found.text);
        setText(found.text ?? found.starter);
        setProblem(undefined);
      },
      (error: unknown) => !gone.signal.aborted && setProblem(messageOf(error)),
    );
    return () => gone.abort();
  }, [folder, path, round]);

  const dirty = was !== undefined && text !== was;
  useEffect(() => onDirty(dirty), [dirty]);
  useEffect(() => () => onDirty(false), []);

  const look = (): (() => void) => {
    const gone = new AbortController();
    post<PolicyCheck>("policy/check", { folder, file: path, text, was }, gone.signal).then(setCheck, (error: unknown) => {
      if (!gone.signal.aborted) setProblem(messageOf(error));
    });
    return () => gone.abort();
  };
  useEffect(() => {
    if (was === undefined) return undefined;
    let stop: (() => void) | undefined;
    const timer = setTimeout(() => {
      stop = look();
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop?.();
    };
  }, [text, was]);
  // Somebody else may have changed the file meanwhile.
  useEffect(() => {
    const back = (): void => {
      if (was !== undefined) look();
    };
    addEventListener("focus", back);
    return () => removeEventListener("focus", back);
  });

  const remarks = check?.remarks ?? [];
  const next = useRef(0);
  const goTo = ({ line, column, message }: PolicyRemark): void => {
    handle.current?.goTo(line, column);
    announce(`line ${line}: ${message}`);
  };
  const nextRemark = (): void => {
    const remark = remarks[next.current % Math.max(1, remarks.length)];
    next.current += 1;
    if (remark !== undefined) goTo(remark);
  };
  const canSave = dirty && check?.flawless === true;

  useKeys({ e: () => handle.current?.goTo(1, 1), F8: nextRemark });
  useEffect(() => {
    // In the text, too.
    const press = (event: KeyboardEvent): void => {
      if (event.key === "F8" && !event.defaultPrevented && event.target instanceof HTMLTextAreaElement) nextRemark();
      else if (event.key === "s" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
        if (canSave) setSaving(true);
      } else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  });

  if (!editable)
    return (
      <p class="notice grow">
        This file is not yours to change here. <code>assent rules</code> lists what it says.
      </p>
    );
  const failed = <Problem text={problem} />;
  if (was === undefined) return <div class="grow">{failed}</div>;
  return (
    <div class="grow">
      {failed}
      {check?.changedBelow === true ? (
        <p class="notice bad" role="alert">
          The file has changed since you opened it.{" "}
          <button type="button" onClick={() => setRound(round + 1)}>
            Read it again{dirty ? ", without your changes" : ""}
          </button>
        </p>
      ) : null}
      <Editor
        id="policy-text"
        label={`Text of ${file.short}`}
        describedBy="remarks"
        text={text}
        marks={remarks}
        onText={setText}
        onCursor={(offset) => setCursor.current?.(offset)}
        handle={handle}
      />
      <p class="row">
        <button type="button" class="main" disabled={!canSave} onClick={() => setSaving(true)}>
          Save…
        </button>
        <button type="button" disabled={!dirty} onClick={() => setText(was ?? text)}>
          Take back all changes
        </button>
        <span class="faint">{was === null ? "This file does not exist yet." : dirty ? "Not saved." : "Saved."}</span>
      </p>
      <h2>Remarks</h2>
      <div id="remarks" aria-busy={check === undefined}>
        <Remarks remarks={remarks} known={check !== undefined} goTo={goTo} />
      </div>
      <Hint text={text} insert={(more) => handle.current?.insert(more)} />
      <PolicyRules
        rules={check?.rules ?? []}
        flawless={check?.flawless === true}
        change={async (change) => {
          const changed = await post<{ readonly text: string }>("policy/edit", { folder, file: path, text, change });
          setText(changed.text);
        }}
        goTo={(line) => handle.current?.goTo(line, 1)}
      />
      {saving ? (
        <SavePolicy
          folder={folder}
          file={file}
          was={was}
          text={text}
          close={(saved) => {
            setSaving(false);
            if (!saved) return;
            setWas(text);
            announce("saved");
            onSaved();
          }}
        />
      ) : null}
    </div>
  );
}

const WORDS = { error: "mistake", warning: "warning", info: "note" } as const;

interface RemarksProps {
  readonly remarks: readonly PolicyRemark[];
  readonly known: boolean;
  readonly goTo: (remark: PolicyRemark) => void;
}

function Remarks({ remarks, known, goTo }: RemarksProps) {
  if (remarks.length === 0) return <p class="empty">{known ? "No problems found." : "Reading…"}</p>;
  return (
    <ul class="remarks">
      {remarks.map((remark) => {
        const { severity, line, column, code, message, help } = remark;
        return (
          <li key={`${line}:${column}:${message}`}>
            <button type="button" class="link" onClick={() => goTo(remark)}>
              line {line}
            </button>{" "}
            <strong class={severity === "error" ? "deny" : severity === "warning" ? "ask" : "faint"}>
              {WORDS[severity]}
              {code === undefined ? "" : ` ${code}`}
            </strong>{" "}
            <Words text={message} />
            {help === undefined ? null : (
              <span class="faint">
                {" "}
                (<Words text={help} />)
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Set by the hint, so that moving the cursor draws nothing else anew. */
const setCursor: { current: ((offset: number) => void) | null } = { current: null };

function Hint({ text, insert }: { readonly text: string; readonly insert: (text: string) => void }) {
  const [offset, setOffset] = useState(0);
  const [root, setRoot] = useState<SchemaNode>();
  useEffect(() => {
    setCursor.current = setOffset;
    schema ??= get<SchemaNode>("policy/schema");
    schema.then(setRoot, () => {
      schema = undefined;
    });
    return () => {
      setCursor.current = null;
    };
  }, []);
  const hint = useMemo(() => (root === undefined ? undefined : hintAt(text, offset, root)), [text, offset, root]);
  if (hint === undefined) return null;
  const { path, description, values, keys } = hint;
  return (
    <details class="hint">
      <summary>
        At the cursor: <code>{path === "" ? "the top" : path}</code>
      </summary>
      {description === undefined ? null : (
        <p>
          <Words text={description} />
        </p>
      )}
      {values.length === 0 ? null : (
        <p>
          One of:{" "}
          {values.map((value) => (
            <code key={value} class="word">
              {value}
            </code>
          ))}
        </p>
      )}
      {keys.length === 0 ? null : (
        <>
          <p>May also stand here:</p>
          <dl class="facts">
            {keys.map(({ key, description: about }) => (
              <div key={key}>
                <dt>
                  <button type="button" class="link mono" onClick={() => insert(`"${key}": `)} aria-label={`write ${key} at the cursor`}>
                    {key}
                  </button>
                </dt>
                <dd>{about === undefined ? null : <Words text={about} />}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </details>
  );
}
