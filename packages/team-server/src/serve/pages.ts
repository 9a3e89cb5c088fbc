import { html } from "hono/html";
import type { JoinedMachine, ProviderRole, TeamPerson, WaitingMachine } from "../enrol/index.ts";
import { asking, type Cell, frame, type PersonPage, type Html, scriptFrame, shown, table, timeText } from "../web/index.ts";

/** Served at `/enter.js`: the secret stands behind the `#`, which a browser sends to nobody. */
export const ENTER_SCRIPT = `const field=document.getElementById("key");field.value=location.hash.slice(1);history.replaceState(null,"","/enter");
if(field.value==="")document.getElementById("none").hidden=false;`;

/** Opening it does nothing: programs that look into mails and chats open links, too. */
export const enterPage = (problem?: string): Html =>
  scriptFrame(
    "Assent: sign in",
    html`<main>
      <h1>Sign in</h1>
      ${problem === undefined ? "" : html`<p class="wrong" role="alert">${problem}</p>`}
      <form method="post" action="/enter">
        <input type="hidden" name="key" id="key" />
        <p id="none" class="wrong" hidden>This address lacks its key: open the whole link that you were given.</p>
        <button>Sign in</button>
      </form>
      <noscript><p class="wrong">This page needs JavaScript to read the key of the link.</p></noscript>
    </main>`,
    "/enter.js",
  );

export interface Overview extends PersonPage {
  readonly waiting: readonly WaitingMachine[];
  /** Machines that have sent what they may on this day. */
  readonly over: readonly string[];
  readonly machines: readonly JoinedMachine[];
}

export const overviewPage = ({ waiting, over, machines, ...page }: Overview): Html =>
  frame(
    "Machines",
    page,
    html`${
        over.length === 0
          ? ""
          : html`<p class="wrong">Sent what they may today, and keep the rest until tomorrow: ${over.map(shown).join(", ")}</p>`
      }
      <h2>Let a machine in</h2>
      <p>
        Type the code that <code>assent team join</code> shows on the machine. Ask its person for it; confirm none that you do not expect.
      </p>
      <form method="post" action="/confirm">
        <label>Code <input name="code" required autocomplete="off" autocapitalize="characters" spellcheck="false" size="10" /></label>
        <button>Confirm</button>
      </form>
      ${
        waiting.length === 0
          ? html`<p class="empty">No machine is waiting.</p>`
          : table(
              ["Calls itself", "User", "Platform", "Policy of", "From", "Since", ""],
              waiting.map((one) => [
                named(one),
                shown(one.user ?? ""),
                one.platform,
                one.group,
                one.address,
                timeText(one.started),
                asking("Refuse", `${one.name} is not let in.`, "Refuse it", "/refuse", { id: one.id }),
              ]),
              "Waiting",
            )
      }
      <h2>Joined</h2>
      ${
        machines.length === 0
          ? html`<p class="empty">None yet.</p>`
          : table(["Name", "User", "Last seen", "Version", "Group", "Joined", "Records", ""], machines.map(machineRow))
      }`,
  );

/** Two machines may have one name: its id is its own. */
const named = ({ id, name }: { readonly id: string; readonly name: string }): Cell => ({
  long: html`${shown(name)} <code class="id">${id}</code>`,
});

const machineRow = (one: JoinedMachine): readonly Cell[] => [
  named(one),
  { long: shown(one.user ?? "") },
  one.seen === null ? "never" : timeText(one.seen),
  html`${shown(one.version)}<br /><span class="faint">${one.platform}</span>`,
  html`<form class="inline" method="post" action="/group">
    <input type="hidden" name="id" value="${one.id}" /><input
      name="group"
      value="${one.group}"
      size="8"
      aria-label="Group of ${one.name}"
    />
    <button>Set</button>
  </form>`,
  { long: html`<time>${timeText(one.joined)}</time><br /><span class="faint">by ${one.by}</span>` },
  html`${one.records}${one.forks === 0 ? "" : html`<br /><strong class="wrong">${one.forks} ${one.forks === 1 ? "fork" : "forks"}</strong>`}`,
  one.gone === null
    ? asking(
        "Remove",
        html`${shown(one.name)} <code>${one.id}</code> may send and ask nothing any more, and its policy stays as it is. Its records stay.
          To come back it has to join again.`,
        "Remove it",
        "/remove",
        { id: one.id },
      )
    : html`left ${timeText(one.gone)}`,
];

export interface PeopleView extends PersonPage {
  readonly people: readonly TeamPerson[];
  /** The roles of the provider's groups; undefined: there is no provider. */
  readonly groups: readonly ProviderRole[] | undefined;
  /** A link that was just made. */
  readonly link?: { readonly name: string; readonly address: string } | undefined;
}

export const peoplePage = ({ people, groups, link, ...page }: PeopleView): Html =>
  frame(
    "People",
    page,
    html`${
        link === undefined
          ? ""
          : html`<p class="note" role="status">${link.name} signs in here, once, within three days: <code>${link.address}</code></p>`
      }
      ${table(
        ["Name", "Roles", ""],
        people.map(({ name, roles }) => [
          { long: name },
          roles.map(({ role, machines }) => (machines === "" ? role : `${role} for ${machines}`)).join(", "),
          asking("Remove", `${name} is signed out everywhere, and has no role any more.`, "Remove this person", "/people/remove", { name }),
        ]),
      )}
      <h2>Let a person in</h2>
      <p>You get a link to give to them. A role can be for one group of machines; an administrator is one for all.</p>
      <form method="post" action="/people/invite">
        <label>Name <input name="name" required maxlength="128" autocomplete="off" /></label>
        ${ROLE_FIELDS}
        <button>Make a link</button>
      </form>
      ${groups === undefined ? "" : providerGroups(groups)}`,
  );

/** Which role, and for which machines. */
const ROLE_FIELDS: Html = html`<label
    >Role
    <select name="role">
      <option>approver</option>
      <option>viewer</option>
      <option>admin</option>
    </select></label
  >
  <label>Group of machines <input name="machines" maxlength="128" placeholder="all" autocomplete="off" /></label>`;

const providerGroups = (groups: readonly ProviderRole[]): Html =>
  html`<h2>Roles by groups of your company</h2>
    <p>
      Who signs in by the provider has the roles of their groups there, written as the provider writes them. Who is in none sees nothing.
    </p>
    ${table(
      ["Group there", "Role here", "Machines", ""],
      groups.map(({ name, role, machines }) => [
        { long: name },
        role,
        machines === "" ? "all" : machines,
        asking("Remove", `Who is in ${name} is no longer ${role} by that.`, "Remove it", "/people/provider", {
          what: "remove",
          name,
          role,
          machines,
        }),
      ]),
    )}
    <form method="post" action="/people/provider">
      <label>Group there <input name="name" required maxlength="256" autocomplete="off" /></label>
      ${ROLE_FIELDS}
      <button>Add</button>
    </form>`;
