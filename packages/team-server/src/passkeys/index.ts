import { createHash } from "node:crypto";
import type { Hono } from "hono";
import { passkeyHost } from "@assent/guard/signature";
import { addPasskey, beginPasskey, organisationOf, passkeysOf, removePasskey, takeBegunPasskey, type TeamPerson } from "../enrol/index.ts";
import { formBody, formFields, limitedForm, RateLimit, type WebContext, type RouteOptions, type WebVariables } from "../web/index.ts";
import { passkeysPage, PASSKEYS_SCRIPT, type PasskeysView } from "./pages.ts";
import { ALGORITHMS, readRegistration } from "./register.ts";

export interface PasskeyRoutes extends RouteOptions {
  /** The address that people use; absent: the one by which a request came. */
  readonly origin?: string | undefined;
}

const NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u;
/** With an attestation. */
const REGISTERED_BYTES = 32_768;

const SAID = {
  other: "This passkey is registered already.",
  full: "You have as many passkeys as there may be. Remove one first.",
} as const;

/** People register their passkeys. Which of them count says the policy that the team's key signs. */
export function addPasskeyRoutes(app: Hono<WebVariables>, { db, now, origin, gates, tell }: PasskeyRoutes): void {
  const starts = new RateLimit(20, 3000, () => now().getTime());
  // The gate has held what the browser says against the address by which it came.
  const siteOf = (context: WebContext): string => origin ?? context.req.header("origin") ?? new URL(context.req.url).origin;
  const view = async (context: WebContext, person: TeamPerson): Promise<PasskeysView> => ({
    person,
    passkeys: await passkeysOf(db, person.name),
    site: siteOf(context),
  });

  app.get("/passkeys.js", (context) => context.body(PASSKEYS_SCRIPT, 200, { "content-type": "text/javascript; charset=utf-8" }));
  app.get("/passkeys", gates.looking, async (context) => context.html(passkeysPage(await view(context, context.var.person))));
  app.post("/passkeys/start", formBody, gates.signedIn, async (context) => {
    const { person, session } = context.var;
    if (!starts.take(person.name)) return context.text("Too many at once. Wait a minute.", 429);
    const { challenge } = await beginPasskey(db, session, now());
    const user = createHash("sha256")
      .update(`assent passkey user 1\n${JSON.stringify([await organisationOf(db), person.name])}\n`)
      .digest("base64url");
    return context.json({
      publicKey: {
        challenge,
        rp: { id: passkeyHost(siteOf(context)), name: "Assent" },
        user: { id: user, name: person.name, displayName: person.name },
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
        excludeCredentials: (await passkeysOf(db, person.name)).map(({ id }) => ({ type: "public-key", id })),
        authenticatorSelection: { userVerification: "required", residentKey: "preferred" },
        attestation: "none",
        timeout: 300_000,
      },
    });
  });
  app.post("/passkeys/add", limitedForm(REGISTERED_BYTES), gates.signedIn, async (context) => {
    const { person, session } = context.var;
    const wrong = async (problem: string, status: 400 | 409) =>
      context.html(passkeysPage({ ...(await view(context, person)), problem }), status);
    const field = await formFields(context);
    const name = field("name").trim();
    if (!NAME.test(name)) return wrong("That is not a name.", 400);
    const begun = await takeBegunPasskey(db, session, now());
    if (begun === undefined) return wrong("That was begun too long ago, or ended before. Add it again.", 409);
    const made = await readRegistration(field("credential"), { ...begun, site: siteOf(context) });
    if (made === undefined)
      return wrong("That is not a passkey which this page asked for, or not one that checks who uses it. Try another one.", 400);
    const added = await addPasskey(db, { ...made, person: person.name, name, made: now() });
    if (added !== "added") return wrong(SAID[added], 409);
    tell("passkey added", { person: person.name });
    return context.redirect("/passkeys", 303);
  });
  app.post("/passkeys/remove", formBody, gates.signedIn, async (context) => {
    const { person } = context.var;
    await removePasskey(db, person.name, (await formFields(context))("id"), now());
    tell("passkey removed", { person: person.name });
    return context.redirect("/passkeys", 303);
  });
}
