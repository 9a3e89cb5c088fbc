import type { Hono } from "hono";
import { html } from "hono/html";
import { endProviderSessions, enterFromProvider, SESSION_MS } from "../enrol/index.ts";
import {
  addressOf,
  BEGUN_COOKIE,
  COOKIE,
  formField,
  limitedForm,
  RateLimit,
  refused,
  scriptFrame,
  type WebContext,
  type RouteOptions,
  type WebVariables,
} from "../web/index.ts";
import { ProviderAway } from "./away.ts";
import type { SignInProvider } from "./provider.ts";

export interface SignInRoutes extends RouteOptions {
  readonly provider: SignInProvider;
  /** Somebody came from the provider and was not let in. */
  readonly onFailed?: () => void;
}

const PATH = "/sign-in";
const LARGEST_LOGOUT = 1 << 14;

/**
 * Signing in by the provider. Beginning keeps nothing here, so a link may do it. Nothing of a request says where people are sent but
 * the provider's own settings and this page.
 */
export function addSignInRoutes(app: Hono<WebVariables>, { db, now, gates, provider, tell, onFailed }: SignInRoutes): void {
  const attempts = new RateLimit(60, 1000, () => now().getTime());
  // All of a provider's come from few addresses.
  const logouts = new RateLimit(300, 100, () => now().getTime());
  const away = (context: WebContext, error: unknown): Response | Promise<Response> => {
    if (!(error instanceof ProviderAway)) throw error;
    tell("provider away", { why: error.message, cause: error.cause instanceof Error ? error.cause.message.slice(0, 200) : "" });
    return context.html(
      problemPage("The sign-in of your company cannot be reached now. Try again, or ask an administrator for a link."),
      503,
    );
  };
  const begin = async (context: WebContext, again: boolean): Promise<Response> => {
    if (!attempts.take(addressOf(context))) return context.html(problemPage("Too many attempts. Wait a minute."), 429);
    try {
      const { cookie, address } = await provider.begin(again);
      // Lax: the provider sends the browser back here.
      gates.cookies.set(context, BEGUN_COOKIE, cookie, { sameSite: "Lax", maxAge: 600 });
      return context.redirect(address.href, 303);
    } catch (error) {
      return away(context, error);
    }
  };
  app.get(PATH, (context) => begin(context, false));
  app.get(`${PATH}/again`, (context) => begin(context, true));
  // The provider says so itself: no browser, no cookie, nothing but its signature.
  app.post(`${PATH}/logout`, limitedForm(LARGEST_LOGOUT), async (context) => {
    if (!logouts.take(addressOf(context))) return refused(context, 429, "asked too often", 10);
    const isForm = (context.req.header("content-type") ?? "").startsWith("application/x-www-form-urlencoded");
    try {
      const ended = isForm ? await provider.readLogout(await formField(context, "logout_token")) : undefined;
      const sessions = ended === undefined ? undefined : await endProviderSessions(db, ended, now());
      if (sessions === undefined) {
        tell("logout refused", { address: addressOf(context) });
        return refused(context, 400, "no session was ended: this is not a logout token of the provider for this server, or it was used");
      }
      tell("signed out by the provider", { sessions });
      return context.body(null, 200);
    } catch (error) {
      if (!(error instanceof ProviderAway)) throw error;
      tell("provider away", { why: error.message });
      return refused(context, 503, "the provider cannot be asked for its keys now: try again", 10);
    }
  });
  app.get(`${PATH}/callback`, async (context) => {
    if (!attempts.take(addressOf(context))) return context.html(problemPage("Too many attempts. Wait a minute."), 429);
    const cookie = gates.cookies.get(context, BEGUN_COOKIE) ?? "";
    gates.cookies.set(context, BEGUN_COOKIE, "", { sameSite: "Lax", maxAge: 0 });
    const at = context.req.url.indexOf("?");
    try {
      const person = await provider.end(at < 0 ? "" : context.req.url.slice(at), cookie);
      if (person === undefined) {
        onFailed?.();
        tell("not signed in", { address: addressOf(context), why: "the provider does not vouch for it" });
        return context.html(problemPage("That did not work, or took too long."), 403);
      }
      const session = await enterFromProvider(db, person, now());
      if (session === undefined) {
        onFailed?.();
        return context.html(problemPage("An administrator has removed you. Another invitation lets you in again."), 403);
      }
      gates.cookies.set(context, COOKIE, session, { sameSite: "Strict", maxAge: SESSION_MS / 1000 });
      tell("signed in", { address: addressOf(context), by: "provider" });
      return context.html(enteredPage());
    } catch (error) {
      return away(context, error);
    }
  });
}

/** A page, and no redirect: a strict cookie does not go with what another site has begun. */
const enteredPage = () =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="refresh" content="0;url=/" />
        <title>Assent: signed in</title>
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <p>You are signed in. <a href="/">Go on</a></p>
      </body>
    </html>`;

const problemPage = (problem: string) =>
  scriptFrame(
    "Assent: sign in",
    html`<main>
      <h1>Not signed in</h1>
      <p class="wrong" role="alert">${problem}</p>
      <p><a href="/sign-in">Try again</a></p>
    </main>`,
  );
