import { useEffect, useState } from "preact/hooks";
import { ApiError, get } from "../client.ts";

/** Where a person says which folder a view is about. */
export function FolderForm({ folder, setFolder }: { readonly folder: string; readonly setFolder: (folder: string) => void }) {
  const [written, setWritten] = useState(folder);
  const [problem, setProblem] = useState<string>();
  useEffect(() => setWritten(folder), [folder]);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      const found = await get<{ readonly folder: string }>("where", { folder: written.trim() });
      setProblem(undefined);
      setFolder(found.folder);
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : String(error));
    }
  };
  return (
    <form class="row" onSubmit={(event) => void submit(event)}>
      <label for="folder">Folder</label>
      <input
        id="folder"
        class="mono grow"
        type="text"
        value={written}
        onInput={(event) => setWritten(event.currentTarget.value)}
        aria-describedby={problem === undefined ? undefined : "folder-problem"}
        aria-invalid={problem !== undefined}
        spellcheck={false}
        autocapitalize="off"
      />
      <button type="submit">Show</button>
      {problem === undefined ? null : (
        <p id="folder-problem" class="deny" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
