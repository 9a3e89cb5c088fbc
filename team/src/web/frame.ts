import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import type { TeamPerson } from "../enrol/index.ts";

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** Served at `/style.css`. */
export const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.4rem .6rem;border-bottom:1px solid #d5d5dc;overflow-wrap:anywhere}
button,input{font:inherit;padding:.4rem .8rem}form.inline{display:inline}.note{padding:.6rem .8rem;background:#eef2ff;border-radius:.3rem}.wrong{color:#a1160a}
body{color:#1b1b1f;background:#fff}
.card{border:1px solid #d5d5dc;border-radius:.4rem;padding:.6rem 1rem;margin:1rem 0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;max-height:20rem;overflow:auto}
@media (prefers-color-scheme:dark){body{background:#17171b;color:#e6e6ea}th,td,.card{border-color:#3a3a44}
.note{background:#22283d}
.wrong{color:#ff9b8f}}`;

/** A page. `script`: the address of one of ours. */
export const scriptFrame = (title: string, body: Html, script?: string): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
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

/** A page for somebody who is signed in. */
export const frame = (title: string, { name }: TeamPerson, body: Html, script?: string): Html =>
  scriptFrame(
    `Assent: ${title}`,
    html`<nav>${VIEWS.map(([at, label]) => html`<a href="${at}">${label}</a> `)}</nav>
      <p>
        Signed in as ${name}.
        <form class="inline" method="post" action="/sign-out"><button>Sign out</button></form>
      </p>
      <h1>${title}</h1>
      ${body}`,
    script,
  );

/** They are known, and that is all. */
export const noRolePage = ({ name }: TeamPerson): Html =>
  scriptFrame(
    "Assent: team",
    html`<h1>Assent for a team</h1>
      <p>You are signed in as ${name}, and have no role here yet. An administrator can give you one.</p>
      <form method="post" action="/sign-out"><button>Sign out</button></form>`,
  );

/** What they asked for takes somebody who has just signed in. */
export const againPage = (person: TeamPerson, hasProvider: boolean): Html =>
  frame(
    "Sign in again",
    person,
    html`<p class="wrong" role="alert">Nothing was changed: this takes an administrator who signed in less than ten minutes ago.</p>
      ${hasProvider ? html`<p><a href="/sign-in/again">Sign in again with your company's account</a>, then do it once more.</p>` : ""}
      <p>On the server, <code>assent team serve --admin-link</code> prints a link that signs an administrator in.</p>`,
  );

export const signedOutPage = (hasProvider: boolean): Html =>
  scriptFrame(
    "Assent: team",
    html`<h1>Assent for a team</h1>
      ${hasProvider ? html`<p><a href="/sign-in">Sign in with your company's account</a></p>` : ""}
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
