import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import type { JoinedMachine, WaitingMachine } from "../enrol/index.ts";

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** Served at `/style.css`. */
export const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1f;background:#fff}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.4rem .6rem;border-bottom:1px solid #d5d5dc;overflow-wrap:anywhere}
button,input{font:inherit;padding:.4rem .8rem}form.inline{display:inline}.note{padding:.6rem .8rem;background:#eef2ff;border-radius:.3rem}.wrong{color:#a1160a}
@media (prefers-color-scheme:dark){body{background:#17171b;color:#e6e6ea}th,td{border-color:#3a3a44}.note{background:#22283d}.wrong{color:#ff9b8f}}`;

/** Served at `/enter.js`: the secret stands behind the `#`, which a browser sends to nobody. */
export const ENTER_SCRIPT = `const field=document.getElementById("key");field.value=location.hash.slice(1);history.replaceState(null,"","/enter");
if(field.value==="")document.getElementById("none").hidden=false;`;

const frame = (title: string, body: Html, script = false): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        ${body} ${script ? html`<script src="/enter.js"></script>` : ""}
      </body>
    </html>`;

/** Opening it does nothing: programs that look into mails and chats open links, too. */
export const enterPage = (problem?: string): Html =>
  frame(
    "Assent: sign in",
    html`<h1>Sign in</h1>
      ${problem === undefined ? "" : html`<p class="wrong" role="alert">${problem}</p>`}
      <form method="post" action="/enter">
        <input type="hidden" name="key" id="key" />
        <p id="none" class="wrong" hidden>This address lacks its key: open the whole link that the server printed.</p>
        <button>Sign in as administrator</button>
      </form>
      <noscript><p class="wrong">This page needs JavaScript to read the key of the link.</p></noscript>`,
    true,
  );

export const signedOutPage = (): Html =>
  frame(
    "Assent: team",
    html`<h1>Assent for a team</h1>
      <p>You are not signed in. On the server, <code>assent team serve --admin-link</code> prints a link that signs you in once.</p>`,
  );

export interface Overview {
  readonly person: string;
  readonly waiting: readonly WaitingMachine[];
  readonly machines: readonly JoinedMachine[];
  readonly note?: string | undefined;
  readonly problem?: string | undefined;
}

const timeText = (time: Date): string => `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;

export const overviewPage = ({ person, waiting, machines, note, problem }: Overview): Html =>
  frame(
    "Assent: team",
    html`<h1>Machines</h1>
      <p>
        Signed in as ${person}.
        <form class="inline" method="post" action="/sign-out"><button>Sign out</button></form>
      </p>
      ${note === undefined ? "" : html`<p class="note" role="status">${note}</p>`}
      ${problem === undefined ? "" : html`<p class="wrong" role="alert">${problem}</p>`}
      <h2>Let a machine in</h2>
      <p>Type the code that <code>assent team join</code> shows on the machine. Ask its person for it; confirm none that you do not expect.</p>
      <form method="post" action="/confirm">
        <label>Code <input name="code" required autocomplete="off" autocapitalize="characters" spellcheck="false" size="10" /></label>
        <button>Confirm</button>
      </form>
      ${
        waiting.length === 0
          ? html`<p>No machine is waiting.</p>`
          : html`<table>
              <caption>
                Waiting
              </caption>
              <tr>
                <th>Calls itself</th>
                <th>Platform</th>
                <th>From</th>
                <th>Since</th>
                <th></th>
              </tr>
              ${waiting.map(
                (one) =>
                  html`<tr>
                    <td>${one.name}</td>
                    <td>${one.platform}</td>
                    <td>${one.address}</td>
                    <td>${timeText(one.started)}</td>
                    <td>
                      <form method="post" action="/refuse"><input type="hidden" name="id" value="${one.id}" /><button>Refuse</button></form>
                    </td>
                  </tr>`,
              )}
            </table>`
      }
      <h2>Joined</h2>
      ${
        machines.length === 0
          ? html`<p>None yet.</p>`
          : html`<table>
              <tr>
                <th>Name</th>
                <th>Platform</th>
                <th>Joined</th>
                <th>Confirmed by</th>
                <th>Records</th>
                <th>Forks</th>
                <th></th>
              </tr>
              ${machines.map(
                (one) =>
                  html`<tr>
                    <td>${one.name}</td>
                    <td>${one.platform}</td>
                    <td>${timeText(one.joined)}</td>
                    <td>${one.by}</td>
                    <td>${one.records}</td>
                    <td>${one.forks === 0 ? "" : html`<strong>${one.forks}</strong>`}</td>
                    <td>
                      ${
                        one.gone === null
                          ? html`<form method="post" action="/remove">
                              <input type="hidden" name="id" value="${one.id}" /><button>Remove</button>
                            </form>`
                          : html`left ${timeText(one.gone)}`
                      }
                    </td>
                  </tr>`,
              )}
            </table>`
      }`,
  );
