import { FROM_NOW_ON, POINTS } from "@assent/core/data";
import { html } from "hono/html";
import type { TeamAbout } from "@assent/team/team/protocol";
import { CODED_SCRIPT, frame, type PersonPage, type Html, shown, table, timeText } from "../web/index.ts";
import type { AskedPasskey } from "./passkeys.ts";
import type { WaitingPage, PastAnswer, WaitingPlace, WaitingRow } from "./store.ts";

/**
 * Served at `/questions.js`: says when there is something new, and lets a passkey sign a yes where one has to. It changes nothing by itself:
 * somebody may be reading, or writing a word.
 */
export const QUESTIONS_SCRIPT = `const note=document.getElementById("news");const seen=note.dataset.seen;
setInterval(async()=>{try{const got=await fetch(note.dataset.look);if(!got.ok)return;
const {questions,open}=await got.json();const now=open+": "+questions.map((one)=>one.machine+"/"+one.id+"/"+one.yes.length).join(" ");
note.hidden=now===seen;document.title=(open===0?"":"("+open+") ")+"Assent: Questions"}catch{}},3000);
${CODED_SCRIPT}for(const form of document.querySelectorAll("form[data-challenge]"))form.addEventListener("submit",async(event)=>{
if(event.submitter===null||event.submitter.value!=="allow")return;event.preventDefault();
const wrong=form.querySelector("[role=alert]");const fail=(why)=>{wrong.textContent=why;wrong.hidden=false};wrong.hidden=true;
const {challenge,site,allowed}=form.dataset;
if(location.origin!==site)return fail("The policy takes passkeys of "+site+" only: open the page there.");
if(window.PublicKeyCredential===undefined)return fail("This browser uses no passkeys here: it needs https, or http://localhost.");
try{const made=await navigator.credentials.get({publicKey:{challenge:bytes(challenge),rpId:location.hostname,userVerification:"required",
timeout:300000,allowCredentials:allowed.split(" ").map((id)=>({type:"public-key",id:bytes(id)}))}});
const {authenticatorData,clientDataJSON,signature}=made.response;
form.elements.proof.value=JSON.stringify({credential:made.id,authenticatorData:text(authenticatorData),
clientDataJSON:text(clientDataJSON),signature:text(signature)});
const answer=document.createElement("input");answer.type="hidden";answer.name="answer";answer.value="allow";form.append(answer);form.submit()
}catch(error){fail("Your passkey did not sign: "+error.message)}});`;

export interface WaitingView extends PersonPage {
  readonly waiting: WaitingPage;
  readonly past: readonly PastAnswer[];
}

/** What the script compares. */
const seenText = ({ open, questions }: WaitingPage): string =>
  `${open}: ${questions.map(({ machine, id, yes }) => `${machine}/${id}/${yes.length}`).join(" ")}`;

const addressOf = (path: string, { first, after }: WaitingPlace): string => {
  const query = new URLSearchParams({ ...(first === "newest" ? {} : { first }), ...(after === undefined ? {} : { after }) }).toString();
  return query === "" ? path : `${path}?${query}`;
};

const heading = (name: string, { agent, point }: TeamAbout): string =>
  `${shown(name)}: ${agent === undefined ? "" : `${shown(agent)}, `}${POINTS[point].says}`;

/** What the script gives to the browser. */
const signing = ({ site, challenge, allowed }: AskedPasskey): Html =>
  html`data-challenge="${challenge}" data-site="${site}" data-allowed="${allowed.join(" ")}"`;

const card = (one: WaitingRow, { first, after }: WaitingPlace): Html => {
  const { about, yes, passkey } = one;
  const yesText = about.what?.startsWith(FROM_NOW_ON) === true ? "Yes, from now on" : "Yes, once";
  return html`<section class="card">
    <h2>${heading(one.machineName, about)}</h2>
    ${
      about.what === undefined
        ? html`<p>What it wants to do stays on the machine.</p>`
        : html`<p>wants to</p>
            <pre>${shown(about.what)}</pre>`
    }
    <p>asked because: ${shown(about.reason)}</p>
    <p>
      ${about.folder === undefined ? "" : html`in ${shown(about.folder)}; `}${about.rule === undefined ? "" : html`rule ${shown(about.rule)}; `}
      asked ${timeText(one.asked)}, until ${timeText(one.expires)}
    </p>
    ${one.people === 2 ? html`<p>Two people have to say yes.${yes.length === 0 ? "" : html` ${yes.join(", ")} did.`}</p>` : ""}
    ${
      passkey === undefined
        ? ""
        : html`<p>
            Your passkey has to sign a
            yes.${passkey.allowed.length > 0 ? "" : html` The policy of this machine knows none of yours: <a href="/passkeys">Passkeys</a>.`}
          </p>`
    }
    ${
      one.mayAnswer
        ? html`<form method="post" action="/answer" ${passkey === undefined ? "" : signing(passkey)}>
            <input type="hidden" name="machine" value="${one.machine}" /><input type="hidden" name="id" value="${one.id}" />
            <input type="hidden" name="request" value="${one.request}" /><input type="hidden" name="first" value="${first}" />
            ${after === undefined ? "" : html`<input type="hidden" name="after" value="${after}" />`}
            <label>A word to the agent, with a no <input name="note" maxlength="500" autocomplete="off" /></label>
            ${passkey === undefined ? "" : html`<input type="hidden" name="proof" /><span class="wrong" role="alert" hidden></span>`}
            <button class="no" name="answer" value="deny">No</button>
            ${passkey?.allowed.length === 0 ? "" : html`<button class="yes" name="answer" value="allow">${yesText}</button>`}
          </form>`
        : html`<p>You may see it, and not answer.</p>`
    }
  </section>`;
};

const ENDED: Readonly<Record<string, string>> = { allowed: "yes", refused: "no", withdrawn: "needs no answer any more" };
const BECAME: Readonly<Record<string, string>> = {
  applied: "",
  late: "; too late: the machine needed it no longer",
  refused: "; the machine did not take it: its policy does not let it be answered from here",
};

const orders = ({ open, first, after, questions }: WaitingPage): Html | "" =>
  open < 2 && after === undefined
    ? ""
    : html`<p>
        ${questions.length === open ? `${open} wait.` : `${open} wait; ${questions.length} of them are here.`}
        ${
          first === "newest"
            ? html`The newest come first. <a href="${addressOf("/questions", { first: "urgent" })}">First those that end soonest</a>`
            : html`Those that end soonest come first. <a href="${addressOf("/questions", { first: "newest" })}">First the newest</a>`
        }
        ${after === undefined ? "" : html`<a href="${addressOf("/questions", { first })}">Back to the first page</a>`}
      </p>`;

export const questionsPage = ({ waiting, past, ...page }: WaitingView): Html =>
  frame(
    "Questions",
    page,
    html`<p
        class="note"
        id="news"
        role="status"
        hidden
        data-look="${addressOf("/questions.json", waiting)}"
        data-seen="${seenText(waiting)}"
      >
        Something has changed. <a href="${addressOf("/questions", waiting)}">Show it</a>
      </p>
      ${orders(waiting)}
      ${waiting.open === 0 ? html`<p>Nothing waits for an answer.</p>` : waiting.questions.map((one) => card(one, waiting))}
      ${waiting.next === undefined ? "" : html`<p><a href="${addressOf("/questions", { first: waiting.first, after: waiting.next })}">The next ones</a></p>`}
      <h2>Before</h2>
      ${
        past.length === 0
          ? html`<p>Nothing yet.</p>`
          : table(
              ["Machine", "Wanted to", "Answer", "When"],
              past.map((one) => [
                { long: heading(one.machineName, one.about) },
                { long: shown(one.about.what ?? "") },
                `${ENDED[one.state] ?? one.state}${one.by.length === 0 ? "" : ` (${one.by.join(", ")})`}${BECAME[one.became ?? ""] ?? ""}`,
                timeText(one.decided),
              ]),
            )
      }`,
    "/questions.js",
  );
