import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import type { TeamPerson } from "../enrol/index.ts";

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** Beside `team.mjs`, and where this runs from its sources. */
const STYLE_FILE = ["./style.css", "../../dist/style.css"]
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path) && !path.endsWith("/web/style.css"));

/** Served at `/style.css`: the looks of the page of one machine (`packages/page/src/page/ui/base.css`), and what these pages have more. */
export const readStyle = (): string => (STYLE_FILE === undefined ? "" : readFileSync(STYLE_FILE, "utf8"));

/** A page. `script`: the address of one of ours. */
export const scriptFrame = (title: string, body: Html, script?: string): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        ${body} ${script === undefined ? "" : html`<script src="${script}"></script>`}
      </body>
    </html>`;

/** The views that there are, each with its address. */
const VIEWS = [
  ["/questions", "Questions"],
  ["/", "Machines"],
  ["/records", "Records"],
  ["/policy", "Policies"],
  ["/people", "People"],
  ["/keys", "Keys"],
  ["/passkeys", "Passkeys"],
  ["/webhooks", "Webhooks"],
] as const;

/** What every page shows: whose it is, and what became of what was asked for. */
export interface PersonPage {
  readonly person: TeamPerson;
  readonly note?: string | undefined;
  readonly problem?: string | undefined;
}

/** A page for somebody who is signed in. */
export const frame = (title: string, { person: { name }, note, problem }: PersonPage, body: Html, script?: string): Html =>
  scriptFrame(
    `Assent: ${title}`,
    html`<a class="skip" href="#main">Skip to the content</a>
      <header>
        <nav aria-label="Views">
          <ul>
            ${VIEWS.map(([at, label]) => html`<li><a href="${at}" ${label === title ? html`aria-current="page"` : ""}>${label}</a></li>`)}
          </ul>
        </nav>
        <div class="who">
          <span>Signed in as ${name}.</span>
          <form class="inline" method="post" action="/sign-out"><button>Sign out</button></form>
        </div>
      </header>
      <main id="main">
        <h1>${title}</h1>
        ${note === undefined ? "" : html`<p class="note" role="status">${note}</p>`}
        ${problem === undefined ? "" : html`<p class="wrong" role="alert">${problem}</p>`} ${body}
      </main>`,
    script,
  );

/** The same without views: for who is not in. */
const plain = (title: string, body: Html): Html =>
  scriptFrame(
    "Assent: team",
    html`<main>
      <h1>${title}</h1>
      ${body}
    </main>`,
  );

/** A cell of a table. `long`: others' words, which may break anywhere. */
export type Cell = Html | string | number | { readonly long: Html | string };

/** A table; a phone shows each row as a card whose cells say what they are. A column without a name has what can be done. */
export const table = (heads: readonly string[], rows: readonly (readonly Cell[])[], caption?: string): Html =>
  html`<table>
    ${
      caption === undefined
        ? ""
        : html`<caption>
            ${caption}
          </caption>`
    }
    <thead>
      <tr>
        ${heads.map((head) => html`<th scope="col">${head === "" ? html`<span class="unseen">Actions</span>` : head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${row.map((cell, at) => tableCell(heads[at] ?? "", cell))}
          </tr>`,
      )}
    </tbody>
  </table>`;

function tableCell(head: string, cell: Cell): Html {
  const isLong = typeof cell === "object" && "long" in cell;
  const content = isLong ? cell.long : cell;
  // A time in a narrow column is one word.
  const isTime = typeof content === "string" && /^\d{4}-\d\d-\d\d \d\d:\d\d\S*(?: UTC)?$/.test(content);
  if (content === "") return html`<td data-label="${head}"></td>`;
  return html`<td data-label="${head}" ${isLong ? html` class="long"` : ""}>
    <div>${isTime ? html`<time>${content}</time>` : content}</div>
  </td>`;
}

/** A button that asks first: what it does cannot be taken back. `does`: words for the button that does it. */
export const asking = (
  label: string,
  question: Html | string,
  does: string,
  path: string,
  fields: Readonly<Record<string, string>>,
): Html =>
  html`<details class="asks">
    <summary>${label}…</summary>
    <p>${question}</p>
    <form class="inline" method="post" action="${path}">
      ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <button class="no">${does}</button>
    </form>
  </details>`;

/** They are known, and that is all. */
export const noRolePage = ({ name }: TeamPerson): Html =>
  plain(
    "Assent for a team",
    html`<p>You are signed in as ${name}, and have no role here yet. An administrator can give you one.</p>
      <form method="post" action="/sign-out"><button>Sign out</button></form>`,
  );

/** What they asked for takes somebody who has just signed in. */
export const againPage = (person: TeamPerson, hasProvider: boolean): Html =>
  frame(
    "Sign in again",
    { person, problem: "Nothing was changed: this takes an administrator who signed in less than ten minutes ago." },
    html`${hasProvider ? html`<p><a href="/sign-in/again">Sign in again with your company's account</a>, then do it once more.</p>` : ""}
      <p>On the server, <code>assent team serve --admin-link</code> prints a link that signs an administrator in.</p>`,
  );

export const signedOutPage = (hasProvider: boolean): Html =>
  plain(
    "Assent for a team",
    html`${hasProvider ? html`<p><a href="/sign-in">Sign in with your company's account</a></p>` : ""}
      <p>
        You are not signed in. An administrator can give you a link that signs you in once; on the server,
        <code>assent team serve --admin-link</code> prints one for an administrator.
      </p>`,
  );

export const timeText = (time: Date): string => `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Others' words: what cannot be seen, or would turn the direction of the text around it, is shown by its number. */
export const shown = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (sign) =>
    sign === "\n" ? sign : `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
  );
