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
    // A package, a module and an image of another name.
    ["npx firebase-tools@latest deploy --only hosting", "publish"],
    ["npx aws-cdk@2 destroy --force", "data-wipe"],
    ["npx --package aws-cdk cdk deploy", "publish"],
    ["pnpm dlx eas-cli submit", "publish"],
    ["npx @railway/cli up", "publish"],
    ["npx @cloudflare/wrangler deploy", "publish"],
    ["npx @vscode/vsce publish", "publish"],
    ["deno run -A npm:firebase-tools@13 deploy", "publish"],
    ["P=aws-cdk; npx $P deploy", "publish"],
    ["python -m awscli s3 rb s3://b --force", "remote-destroy"],
    ["nix run nixpkgs#awscli2 -- s3 rb s3://b --force", "remote-destroy"],
    ["docker run --rm amazon/aws-cli s3 rb s3://b --force", "remote-destroy"],
    ["go run github.com/goreleaser/goreleaser/v2@latest release --clean", "publish"],
    ["go run -mod=mod github.com/goreleaser/goreleaser release", "publish"],
    // By their names alone, and through whatever starts them.
    ["yarn vercel --prod", "publish"],
    ["yarn --cwd web vercel --prod", "publish"],
    ["yarn workspaces foreach -A run vercel --prod", "publish"],
    ["pnpm -F web vercel --prod", "publish"],
    ["pnpm -r exec npm publish", "publish"],
    ["bun --bun vercel --prod", "publish"],
    ["npm run vercel -- --prod", "publish"],
    ["npm exec vercel -- --prod", "publish"],
    ["python -m twine upload dist/*", "publish"],
    ["python3.12 -I -mtwine upload dist/a.whl", "publish"],
    ["uv run -m twine upload dist/a.whl", "publish"],
    ["uvx twine==6.1.0 upload dist/a.whl", "publish"],
    ["nvm exec 20 npm publish", "publish"],
    ["nvm exec --lts npm publish", "publish"],
    ["volta run --node 20 --npm 10 npm publish", "publish"],
    ["n run 20 npm publish", "publish"],
    ["infisical run --env prod npm publish", "publish"],
    ["bundle exec cap production deploy", "publish"],
    ["gem exec kamal deploy", "publish"],
    ["go tool goreleaser release", "publish"],
    ["node node_modules/.bin/vercel --prod", "publish"],
    ["lerna exec -- npm publish", "publish"],
    ["unknown-runner npm publish", "publish"],
    ["echo x | xargs yarn vercel --prod", "publish"],
    // What a shell's line starts, it starts itself.
    ["sh -c 'npx prisma migrate reset'", "data-wipe"],
    ["bash -c 'exec \"$@\"' x prisma migrate reset", "data-wipe"],
    ["sh -c '$x prisma migrate reset'", "data-wipe"],
    ["bash -c '. ./x.sh terraform destroy'", "data-wipe"],
    [`python3 -c 'import os; os.system("terraform destroy")'`, "data-wipe"],
    ["npx semantic-release", "publish"],
  ])("%s: %s", (command, danger) => expect(dangersOf(command)).toContain(danger));

  test.each([
    // Words of a shell's line that belong to two commands, and a text that is printed.
    "sh -c 'tar cf x.tar b; rm c'",
    "bash -lc 'tool cf a; rm b'",
    `python3 -c 'print("terraform destroy")'`,
    `node -e 'console.log("terraform destroy")'`,
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
    "yarn vercel ls",
    "yarn wrangler dev",
    "yarn eslint .",
    "yarn add -D firebase-tools wrangler",
    "npm i -g firebase-tools",
    "npm view wrangler version",
    "pnpm vitest run",
    "npx firebase-tools --version",
    "npx aws-cdk diff",
    "npx semantic-release --dry-run",
    "npx release-it --dry-run",
    "npx lerna run build",
    "npx cap sync",
    "python -m pytest",
    "python -m twine check dist/*",
    "python -m build",
    "nvm exec 20 npm test",
    "volta run --node 20 npm test",
    "bundle exec rspec",
    "poetry run mkdocs build",
    "go run github.com/goreleaser/goreleaser/v2@latest release --snapshot",
    "npm run deploy -- --help",
  ])("%s: none", (command) => expect(dangersOf(command)).toEqual([]));

  // That a known program has the name says nothing of which code runs.
  test.each(["npx vercel ls", "npx vercel --help", "uvx twine check dist/x.whl", "npx cloc ."])("%s: not allowed by itself", (command) =>
    expect(verdictFor(command).decision).not.toBe("allow"),
  );
});

describe("the name of a tool is no start of it where packages are kept, or files named", () => {
  test.each(["npm i -D gh-pages", "npm install semantic-release", "yarn add -D gh-pages np", "pnpm add -D release-it", "pytest tests/np"])(
    "%s publishes nothing",
    (line) => {
      expect(dangersOf(line)).not.toContain("publish");
    },
  );

  test.each(["npx np", "yarn gh-pages -d build", "npx semantic-release", "mytool node_modules/.bin/np", "pnpm exec np"])(
    "%s publishes",
    (line) => {
      expect(dangersOf(line)).toContain("publish");
    },
  );
});
