import { html } from "hono/html";
import { passkeyPrint } from "@assent/guard/signature";
import type { PersonPasskey } from "../enrol/index.ts";
import { asking, CODED_SCRIPT, frame, type PersonPage, type Html, shown, table, timeText } from "../web/index.ts";

/** Served at `/passkeys.js`: lets the browser make a passkey, and sends what came of it by the page's own form. */
export const PASSKEYS_SCRIPT = `${CODED_SCRIPT}const form=document.getElementById("add");const wrong=document.getElementById("wrong");
const fail=(why)=>{wrong.textContent=why;wrong.hidden=false};
form.addEventListener("submit",async(event)=>{event.preventDefault();wrong.hidden=true;
if(window.PublicKeyCredential===undefined)return fail("This browser makes no passkeys here: it needs https, or http://localhost.");
try{const got=await fetch("/passkeys/start",{method:"POST",headers:{"content-type":"application/x-www-form-urlencoded"},body:""});
if(!got.ok)return fail(await got.text());
const {publicKey}=await got.json();
const made=await navigator.credentials.create({publicKey:{...publicKey,challenge:bytes(publicKey.challenge),
user:{...publicKey.user,id:bytes(publicKey.user.id)},excludeCredentials:publicKey.excludeCredentials.map((one)=>({...one,id:bytes(one.id)}))}});
form.elements.credential.value=JSON.stringify({id:made.id,rawId:text(made.rawId),type:made.type,
response:{clientDataJSON:text(made.response.clientDataJSON),attestationObject:text(made.response.attestationObject)}});
form.submit()}catch(error){fail("No passkey was made: "+error.message)}});`;

export interface PasskeysView extends PersonPage {
  readonly passkeys: readonly PersonPasskey[];
  readonly site: string;
}

export const passkeysPage = ({ passkeys, site, ...page }: PasskeysView): Html =>
  frame(
    "Passkeys",
    page,
    html`<p>
        Your policy may say that a yes counts only if a passkey signed it. Machines then believe the passkey, and not this server. A new one
        counts once whoever signs the policy has taken it over: <code>assent team policy passkeys</code>. Read its print out to them: the
        one that they see has to be the same.
      </p>
      ${
        passkeys.length === 0
          ? html`<p>You have none.</p>`
          : table(
              ["Name", "Print", "Added", ""],
              passkeys.map(({ id, name, key, made }) => [
                { long: shown(name) },
                { long: html`<code>${passkeyPrint(key)}</code>` },
                timeText(made),
                asking(
                  "Remove",
                  `${shown(name)} can be taken over no more. Where a policy has it, it counts until the next one.`,
                  "Remove it",
                  "/passkeys/remove",
                  {
                    id,
                  },
                ),
              ]),
            )
      }
      <h2>Add a passkey</h2>
      <p>It belongs to ${site}. It has to ask who you are: by a PIN, a finger or your face.</p>
      <p class="wrong" role="alert" id="wrong" hidden></p>
      <form method="post" action="/passkeys/add" id="add">
        <label>What you call it <input name="name" required maxlength="100" autocomplete="off" placeholder="my laptop" /></label>
        <input type="hidden" name="credential" />
        <button>Add</button>
      </form>`,
    "/passkeys.js",
  );
