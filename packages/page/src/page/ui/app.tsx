import { useEffect, useRef, useState } from "preact/hooks";
import { onConnection } from "./client.ts";
import { areKeysOn, type PageKey, switchKeys, useKeys } from "./keys.ts";
import { session } from "./session.ts";
import { Announcer } from "./parts/announce.tsx";
import { VIEWS } from "./views/index.ts";
import type { PageView, ViewProps } from "./views/view.ts";

interface Place {
  readonly view: PageView;
  readonly query: URLSearchParams;
}

function placeNow(): Place | undefined {
  const [id, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const view = VIEWS.find((one) => one.id === id) ?? VIEWS[0];
  return view === undefined ? undefined : { view, query: new URLSearchParams(query) };
}

const addressOf = (view: string, query: Readonly<Record<string, string>>): string => {
  const words = new URLSearchParams(query).toString();
  return `#/${view}${words === "" ? "" : `?${words}`}`;
};

const go: ViewProps["go"] = (view, query = {}) => {
  location.hash = addressOf(view, query);
};

/** Keys that work in every view. */
const EVERYWHERE: readonly PageKey[] = [
  { key: `1 to ${VIEWS.length}`, does: "go to that view, in the order of the navigation" },
  { key: "?", does: "show this help" },
];

export function App() {
  const [place, setPlace] = useState(placeNow);
  const [isOpen, setOpen] = useState(true);
  const [folder, setFolder] = useState(() => session().folder);
  const help = useRef<HTMLDialogElement>(null);

  useEffect(() => {
    const moved = (): void => setPlace(placeNow());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  useEffect(() => onConnection(setOpen), []);
  const id = place?.view.id;
  // Who moves to another view by keyboard or screen reader is at its beginning.
  useEffect(() => {
    document.querySelector<HTMLElement>("main h1")?.focus();
    document.title = `${place?.view.title ?? "Assent"} · Assent`;
  }, [id]);

  useKeys({
    ...Object.fromEntries(VIEWS.map((view, at) => [String(at + 1), () => go(view.id)])),
    "?": () => help.current?.showModal(),
  });

  if (place === undefined) return null;
  const { View } = place.view;
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <header>
        <nav aria-label="Views">
          <ul>
            {VIEWS.map((view, at) => (
              <NavItem key={view.id} view={view} current={view.id === id} number={at + 1} />
            ))}
          </ul>
        </nav>
        <button type="button" class="quiet" aria-label="Keys" onClick={() => help.current?.showModal()}>
          <span class="wide">Keys </span>
          <kbd aria-hidden="true">?</kbd>
        </button>
      </header>
      {isOpen ? null : (
        <p class="notice bad" role="alert">
          Not connected. If this stays, open the page again with: <code>assent open</code>
        </p>
      )}
      <main id="main">
        <section key={id} class={id} aria-labelledby={`${place.view.id}-title`}>
          <h1 id={`${place.view.id}-title`} tabIndex={-1}>
            {place.view.title}
          </h1>
          <View folder={folder} query={place.query} go={go} setFolder={setFolder} />
        </section>
      </main>
      <Announcer />
      <dialog ref={help} aria-labelledby="help-title">
        <Help view={place.view} />
      </dialog>
    </>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("main h1")?.focus();
}

const useNothing = (): number => 0;

function NavItem({ view, current, number }: { readonly view: PageView; readonly current: boolean; readonly number: number }) {
  const count = (view.useCount ?? useNothing)();
  return (
    <li>
      <a href={`#/${view.id}`} aria-current={current ? "page" : undefined}>
        {view.title}
        {count === 0 ? null : <span class="count">{count}</span>}
        <kbd aria-hidden="true">{number}</kbd>
      </a>
    </li>
  );
}

function Help({ view }: { readonly view: PageView }) {
  const [on, setOn] = useState(areKeysOn);
  return (
    <form method="dialog">
      <h2 id="help-title">Keys</h2>
      <KeyList title="Everywhere" keys={EVERYWHERE} />
      {view.keys.length === 0 ? null : <KeyList title={view.title} keys={view.keys} />}
      <label>
        <input
          type="checkbox"
          checked={on}
          onChange={(event) => {
            switchKeys(event.currentTarget.checked);
            setOn(event.currentTarget.checked);
          }}
        />{" "}
        Single keys do something
      </label>
      <p>
        <button type="submit">Close</button>
      </p>
    </form>
  );
}

function KeyList({ title, keys }: { readonly title: string; readonly keys: readonly PageKey[] }) {
  return (
    <>
      <h3>{title}</h3>
      <dl class="keys">
        {keys.map(({ key, does }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
