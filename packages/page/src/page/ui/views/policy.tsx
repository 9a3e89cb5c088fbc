import { useEffect, useState } from "preact/hooks";
import type { PolicyOverview } from "../../api/policy.ts";
import type { PolicyFileShape } from "../../policy-places.ts";
import { useApi } from "../load.ts";
import { FolderForm } from "../parts/folder-form.tsx";
import { PolicyEditor } from "./policy-editor.tsx";
import type { PageView, ViewProps } from "./view.ts";
import { Problem } from "../parts/problem.tsx";

const LAYERS: Readonly<Record<string, string>> = {
  managed: "your administrator's",
  user: "yours, for every project",
  project: "this project's",
  explicit: "named when agents start",
  profile: "remembered for one program",
};

/** Whether leaving would lose something that is not saved. */
let isDirty = false;

function Policy({ folder, query, go, setFolder }: ViewProps) {
  const overview = useApi<PolicyOverview>("policy", { folder });
  const files = overview.value?.files ?? [];
  const wanted = query.get("file");
  const file = files.find((one) => one.file === wanted) ?? files.find(({ editable }) => editable);

  useEffect(() => {
    const leaving = (event: BeforeUnloadEvent): void => {
      if (isDirty) event.preventDefault();
    };
    addEventListener("beforeunload", leaving);
    return () => removeEventListener("beforeunload", leaving);
  }, []);

  return (
    <>
      <FolderForm folder={folder} setFolder={setFolder} />
      <Problem text={overview.problem} />
      <div class="beside">
        <nav aria-label="Policy files">
          <ul class="files">
            {files.map((one) => (
              <li key={one.file}>
                <FileEntry one={one} current={one.file === file?.file} onOpen={() => go("policy", { file: one.file })} />
              </li>
            ))}
          </ul>
        </nav>
        {file === undefined || overview.value === undefined ? null : (
          <PolicyEditor
            key={`${overview.value.folder}\n${file.file}`}
            folder={overview.value.folder}
            file={file}
            onDirty={(dirty) => {
              isDirty = dirty;
            }}
            onSaved={overview.again}
          />
        )}
      </div>
    </>
  );
}

function FileEntry({ one, current, onOpen }: { readonly one: PolicyFileShape; readonly current: boolean; readonly onOpen: () => void }) {
  const [asked, setAsked] = useState(false);
  const open = (): void => {
    if (isDirty && !current && !asked) setAsked(true);
    else onOpen();
  };
  const { short, layer, exists, trusted, rules, mistakes } = one;
  return (
    <button type="button" class="file" aria-current={current ? "true" : undefined} onClick={open} onBlur={() => setAsked(false)}>
      <span class="mono">{short}</span>
      <span class="faint">
        {LAYERS[layer]}
        {exists ? `, ${rules} ${rules === 1 ? "rule" : "rules"}` : ", does not exist yet"}
        {trusted ? "" : ", not trusted: its allow rules do not count"}
      </span>
      {mistakes === 0 ? null : (
        <span class="deny">
          {mistakes} {mistakes === 1 ? "mistake" : "mistakes"}
        </span>
      )}
      {asked ? (
        <span class="ask" role="alert">
          Your changes are not saved. Press again to leave them behind.
        </span>
      ) : null}
    </button>
  );
}

export const POLICY: PageView = {
  id: "policy",
  title: "Policy",
  keys: [
    { key: "e", does: "edit the text" },
    { key: "F8", does: "go to the next remark, in the text too" },
    { key: "Ctrl+S", does: "see what a save would change, then save" },
  ],
  View: Policy,
};
