import { html } from "hono/html";
import type { JoinedMachine, ProviderRole, TeamPerson, WaitingMachine } from "../enrol/index.ts";
import { frame, type Html, scriptFrame, shown, timeText } from "../web/index.ts";

/** Served at `/enter.js`: the secret stands behind the `#`, which a browser sends to nobody. */
export const ENTER_SCRIPT = `const field=document.getElementById("key");field.value=location.hash.slice(1);history.replaceState(null,"","/enter");
if(field.value==="")document.getElementById("none").hidden=false;`;

/** Opening it does nothing: programs that look into mails and chats open links, too. */
export const enterPage = (problem?: string): Html =>
  scriptFrame(
    "Assent: sign in",
    html`<h1>Sign in</h1>
      ${problem === undefined ? "" : html`<p class="wrong" role="alert">${problem}</p>`}
      <form method="post" action="/enter">
        <input type="hidden" name="key" id="key" />
        <p id="none" class="wrong" hidden>This address lacks its key: open the whole link that you were given.</p>
        <button>Sign in</button>
      </form>
      <noscript><p class="wrong">This page needs JavaScript to read the key of the link.</p></noscript>`,
    "/enter.js",
  );

export interface Overview {
  readonly person: TeamPerson;
  readonly waiting: readonly WaitingMachine[];
  /** Machines that have sent what they may on this day. */
  readonly over: readonly string[];
  readonly machines: readonly JoinedMachine[];
  readonly note?: string | undefined;
  readonly problem?: string | undefined;
}

export const overviewPage = ({ person, waiting, over, machines, note, problem }: Overview): Html =>
  frame(
    "Machines",
    person,
    html`${note === undefined ? "" : html`<p class="note" role="status">${note}</p>`}
      ${problem === undefined ? "" : html`<p class="wrong" role="alert">${problem}</p>`}
      ${
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
          ? html`<p>No machine is waiting.</p>`
          : html`<table>
              <caption>
                Waiting
              </caption>
              <tr>
                <th>Calls itself</th>
                <th>Platform</th>
                <th>Policy of</th>
                <th>From</th>
                <th>Since</th>
                <th></th>
              </tr>
              ${waiting.map(
                (one) =>
                  html`<tr>
                    <td>${one.name}</td>
                    <td>${one.platform}</td>
                    <td>${one.group}</td>
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
                <th>Group</th>
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
                    <td>
                      <form method="post" action="/group">
                        <input type="hidden" name="id" value="${one.id}" /><input
                          name="group"
                          value="${one.group}"
                          size="10"
                          aria-label="Group"
                        />
                        <button>Set</button>
                      </form>
                    </td>
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

export interface PeopleView {
  readonly person: TeamPerson;
  readonly people: readonly TeamPerson[];
  /** The roles of the provider's groups; undefined: there is no provider. */
  readonly groups: readonly ProviderRole[] | undefined;
  /** A link that was just made. */
  readonly link?: { readonly name: string; readonly address: string } | undefined;
  readonly problem?: string | undefined;
}

export const peoplePage = ({ person, people, groups, link, problem }: PeopleView): Html =>
  frame(
    "People",
    person,
    html`${problem === undefined ? "" : html`<p class="wrong" role="alert">${problem}</p>`}
      ${
        link === undefined
          ? ""
          : html`<p class="note" role="status">${link.name} signs in here, once, within three days: <code>${link.address}</code></p>`
      }
      <table>
        <tr>
          <th>Name</th>
          <th>Roles</th>
          <th></th>
        </tr>
        ${people.map(
          ({ name, roles }) =>
            html`<tr>
              <td>${name}</td>
              <td>${roles.map(({ role, machines }) => (machines === "" ? role : `${role} for ${machines}`)).join(", ")}</td>
              <td>
                <form method="post" action="/people/remove">
                  <input type="hidden" name="name" value="${name}" /><button>Remove</button>
                </form>
              </td>
            </tr>`,
        )}
      </table>
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
    <table>
      <tr>
        <th>Group there</th>
        <th>Role here</th>
        <th>Machines</th>
        <th></th>
      </tr>
      ${groups.map(
        ({ name, role, machines }) =>
          html`<tr>
            <td>${name}</td>
            <td>${role}</td>
            <td>${machines === "" ? "all" : machines}</td>
            <td>
              <form method="post" action="/people/provider">
                <input type="hidden" name="what" value="remove" /><input type="hidden" name="name" value="${name}" />
                <input type="hidden" name="role" value="${role}" /><input type="hidden" name="machines" value="${machines}" />
                <button>Remove</button>
              </form>
            </td>
          </tr>`,
      )}
    </table>
    <form method="post" action="/people/provider">
      <label>Group there <input name="name" required maxlength="256" autocomplete="off" /></label>
      ${ROLE_FIELDS}
      <button>Add</button>
    </form>`;
