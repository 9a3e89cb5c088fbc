import { describe, expect, test } from "vitest";
import { verdictFor } from "./knowledge/decide.ts";

const dangersOf = (command: string): readonly string[] =>
  verdictFor(command).actions.flatMap(({ action }) => (action.kind === "exec" ? (action.dangers ?? []) : []));

describe("what a service does for all to see, or for good, it does whoever starts its tool", () => {
  test.each([
    ["npx vercel --prod --yes", "publish"],
    ["npx vercel@latest deploy", "publish"],
    ["npx --yes vercel alias set a b", "publish"],
    ["npm exec -- vercel --prod", "publish"],
    ["npm exec vercel -- deploy", "publish"],
    ["pnpm dlx vercel --prod", "publish"],
    ["pnpm exec wrangler deploy", "publish"],
    ["yarn dlx wrangler deploy", "publish"],
    ["bunx serverless deploy", "publish"],
    ["uvx twine upload dist/x.whl", "publish"],
    ["pipx run twine upload dist/x.whl", "publish"],
    ["deno run npm:vercel --prod", "publish"],
    ["bash -c 'npx vercel --prod'", "publish"],
    ["npm test && npx vercel --prod", "publish"],
    ["npx vercel rm x --yes", "remote-destroy"],
    ["npx wrangler delete", "remote-destroy"],
    ["npx supabase functions delete x", "remote-destroy"],
  ])("%s: %s", (command, danger) => expect(dangersOf(command)).toContain(danger));

  test.each([
    "npx vercel ls",
    "npx vercel dev",
    "npx vercel deploy --help",
    "npx vercel --version",
    "npx wrangler dev",
    "npx wrangler whoami",
    "npx netlify status",
    "uvx twine check dist/x.whl",
    "npx tsc --noEmit",
    "npx vitest run",
    "npx prettier --write src",
    "npx prisma migrate status",
    "npx create-vite x",
  ])("%s: none", (command) => expect(dangersOf(command)).toEqual([]));

  // That a known program has the name says nothing of which code runs.
  test.each(["npx vercel ls", "npx vercel --help", "uvx twine check dist/x.whl", "npx cloc ."])("%s: not allowed by itself", (command) =>
    expect(verdictFor(command).decision).not.toBe("allow"),
  );
});
