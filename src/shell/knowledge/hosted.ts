import { rows } from "./rows.ts";
import type { CommandSpec, SubcommandSpec } from "./spec.ts";

// Platforms that run what one deploys. What shows is known by its words; deploying is for others to see.

/**
 * Options that choose what is shown. All as if they took no value: a value is an operand then, which is inert too, and can
 * never hide the option behind it. Those that name another server (`--endpoint`, `--api-url`) are not among them.
 */
const SHOWING = rows(
  "-a --app --all[=text]; -j --json; -o --output[=text]; -f --format --follow[=text]; -n --num --lines --name[=text]; -l --limit[=text]; -p --project --ps[=text]; -q --quiet; --tail -t[=text]; -s --source --site --since[=text]; -e --env --environment[=text]",
  "-r --region --remote[=text]; --no-color; --sort[=text]; --page --page-size[=text]; --no-header; --columns[=text]; --token-only; --scope[=text]; --team[=text]; --service[=text]; --select[=text]; --selector[=text]; --project-ref[=text]; --linked; --only[=text]; --until[=text]; --database[=text]; --prod; --yes",
);
const reads = (service: string): SubcommandSpec => ({
  style: "bsd",
  options: SHOWING,
  operands: "text*",
  effects: `remote.read ${service}`,
});
const changes = (service: string): SubcommandSpec => ({ style: "none", operands: "text*", effects: `remote.change ${service}` });
const runs = (service: string): SubcommandSpec => ({ style: "none", operands: "text*", effects: `code.project, remote.change ${service}` });
const deploys = (service: string): SubcommandSpec => ({
  style: "none",
  operands: "text*",
  effects: `code.project, remote.publish ${service}, danger publish`,
});
const destroys = (service: string): SubcommandSpec => ({
  style: "none",
  operands: "text*",
  effects: `remote.destroy ${service}, danger remote-destroy`,
});
/** Prints keys, tokens or the variables of an application. */
const shows = (service: string): SubcommandSpec => ({ style: "none", operands: "text*", effects: `remote.read ${service}, environment` });
const VERSION: SubcommandSpec = { style: "none", operands: "" };
/** What a program does when it is told nothing, or to do something that is not known here. */
const OTHERWISE = { style: "none", operands: "code/project?=default" } as const;

export const hosted: readonly CommandSpec[] = [
  {
    names: "fly flyctl",
    summary: "Fly.io",
    ...OTHERWISE,
    subcommands: {
      "version|--version": { ...VERSION, examples: { allow: ["fly version"] } },
      "status|logs|releases|doctor|apps list|machine list|machines list|machine status|regions list|ips list|volumes list|volume list|secrets list|services list|checks list|config show|config validate|scale show|certs list|certs show|platform regions|platform vm-sizes|orgs list|image show|auth whoami|history":
        { ...reads("fly"), examples: { allow: ["fly status -a x", "flyctl apps list", "fly logs -a x"] } },
      "deploy|launch": { ...deploys("fly"), examples: { ask: ["fly deploy", "fly launch --now"] } },
      "scale|secrets set|secrets unset|machine start|machine stop|machine restart|machine update|machine clone|apps create|apps restart|volumes create|volumes extend|ips allocate-v4|ips allocate-v6|certs add|config save|auth login|auth logout|postgres create|redis create|wireguard create":
        { ...changes("fly"), examples: { ask: ["fly scale count 0", "fly secrets set A=b"] } },
      "ssh console|console|machine run|machine exec|proxy|postgres connect|sftp": {
        ...runs("fly"),
        examples: { ask: ["fly ssh console -C 'rm -rf /'"] },
      },
      "apps destroy|destroy|machine destroy|machine remove|volumes destroy|volume destroy|ips release|certs remove|redis destroy|extensions destroy":
        { ...destroys("fly"), examples: { ask: ["fly apps destroy x --yes", "fly volumes destroy vol_1"] } },
      "auth token|tokens create|ssh issue": { ...shows("fly"), examples: { ask: ["fly auth token"] } },
    },
    examples: { none: ["fly", "fly agent start"] },
  },
  {
    names: "auth0",
    helps: "--help -h",
    summary: "Auth0's tenants",
    style: "bsd",
    // --reveal-secrets is not listed.
    options: rows(
      "--json; --json-compact; --csv; -n --number=number; -q --query=text; -s --sort=text; --tenant=text; --no-color; --no-input; -p --picker; --debug; -f --filter=text; -h --help -> stop; -v --version -> stop",
    ),
    subcommands: {
      "apps list|apps ls|apps show|apps session-transfer show|apis list|apis ls|apis show|apis scopes list|users search|users search-by-email|users show|users roles show|users blocks list|roles list|roles ls|roles show|roles permissions list|rules list|rules ls|rules show|actions list|actions ls|actions show|actions diff|orgs list|orgs ls|orgs show|orgs members list|orgs roles list|orgs roles members list|orgs invitations list|domains list|domains ls|domains show|tenants list|tenants ls|logs list|logs ls|logs tail|logs streams list|logs streams show|quickstarts list|ips check|attack-protection breached-password-detection show|attack-protection brute-force-protection show|attack-protection suspicious-ip-throttling show|protection brute-force-protection show|email templates show|universal-login show|universal-login templates show|terraform list":
        {
          operands: "text*",
          effects: "remote.read auth0",
          examples: {
            allow: ["auth0 apps list", "auth0 users search -q x --json", "auth0 logs list -n 10"],
            ask: ["auth0 apps show x --reveal-secrets", "auth0 apps list -r"],
          },
        },
      "email provider show|test token|tenant-settings show": {
        operands: "text*",
        effects: "remote.read auth0, secrets",
        examples: { ask: ["auth0 test token"] },
      },
      "* delete|* rm|* remove|* * delete|* * rm|* * remove": {
        style: "none",
        operands: "text*",
        effects: "remote.destroy auth0, danger remote-destroy",
        examples: { ask: ["auth0 apps delete x", "auth0 orgs roles delete x"] },
      },
      "* create|* update|* import|* open|* enable|* disable|* deploy|* unblock|* use|* * create|* * update|* * add|* * set|login|logout|api|terraform generate|test login|quickstarts download|quickstarts setup":
        {
          style: "none",
          operands: "text*",
          effects: "remote.change auth0",
          examples: { ask: ["auth0 apps create -n x", "auth0 api get tenants/settings", "auth0 login"] },
        },
    },
    examples: { allow: ["auth0 --version"], none: ["auth0 frobnicate"] },
  },
  {
    names: "vercel now",
    summary: "Vercel; without a subcommand it deploys",
    style: "none",
    subcommands: {
      "--version|version": { ...VERSION, examples: { allow: ["vercel --version"] } },
      "list|ls|inspect|whoami|project ls|project list|domains ls|domains inspect|env ls|env list|teams ls|certs ls|dns ls|alias ls|alias list|help|target ls":
        {
          ...reads("vercel"),
          examples: { allow: ["vercel ls", "vercel whoami", "vercel env ls"], ask: ["vercel ls --api https://evil.example"] },
        },
      "logs|log": { ...reads("vercel"), examples: { allow: ["vercel logs x"] } },
      "deploy|--prod|promote|redeploy|rollback|alias set|alias|--yes|-y": {
        ...deploys("vercel"),
        examples: { ask: ["vercel deploy --prod", "vercel --prod", "vercel promote x"] },
      },
      "build|dev": { ...runs("vercel"), examples: { ask: ["vercel build"] } },
      "env add|env update|link|login|logout|switch|domains add|dns add|project add|git connect|git disconnect": {
        ...changes("vercel"),
        examples: { ask: ["vercel env add A production", "vercel link"] },
      },
      "remove|rm|env rm|env remove|project rm|project remove|domains rm|dns rm|certs rm|alias rm|teams rm": {
        ...destroys("vercel"),
        examples: { ask: ["vercel rm x --yes", "vercel env rm A"] },
      },
      // Writes the variables of the application into a file.
      "env pull|pull": {
        style: "none",
        operands: "write?=.env.local text*",
        effects: "remote.read vercel, environment",
        examples: { deny: ["vercel env pull"] },
      },
    },
    operands: "code/project?=deploy",
    examples: { none: ["vercel", "vercel bisect"] },
  },
  {
    names: "netlify ntl",
    summary: "Netlify",
    ...OTHERWISE,
    subcommands: {
      "--version|version": { ...VERSION, examples: { allow: ["netlify --version"] } },
      "status|sites:list|functions:list|logs:function|logs:deploy|watch|recipes:list|blobs:list": {
        ...reads("netlify"),
        examples: { allow: ["netlify status", "netlify sites:list"] },
      },
      "env:list|env:get|api": { ...shows("netlify"), examples: { ask: ["netlify env:list"] } },
      deploy: { ...deploys("netlify"), examples: { ask: ["netlify deploy --prod"] } },
      "build|dev|dev:exec|functions:invoke|functions:serve": {
        ...runs("netlify"),
        examples: { ask: ["netlify build", "netlify dev:exec rm x"] },
      },
      "env:set|env:import|env:clone|init|link|unlink|login|logout|sites:create|open|blobs:set": {
        ...changes("netlify"),
        examples: { ask: ["netlify env:set A b", "netlify link"] },
      },
      "sites:delete|env:unset|blobs:delete": { ...destroys("netlify"), examples: { ask: ["netlify sites:delete x"] } },
    },
    examples: { none: ["netlify"] },
  },
  {
    names: "heroku",
    summary: "Heroku",
    ...OTHERWISE,
    subcommands: {
      "--version|version": { ...VERSION, examples: { allow: ["heroku --version"] } },
      "apps:info|info|logs|releases:info|addons:info|status|auth:whoami|whoami|pg:info|pg:ps|pipelines:info": {
        ...reads("heroku"),
        examples: { allow: ["heroku logs -n 50 -a x", "heroku apps:info x"] },
      },
      // A blank may stand for the colon: `heroku apps create x`.
      "apps|ps|releases|addons|domains|regions|stack|buildpacks|pipelines|features|certs|access|members|drains|spaces|notifications": {
        ...reads("heroku"),
        style: "bsd",
        options: rows(
          "-a --app=text; -r --remote=text; -t --team=text; -s --space=text; -A --all; -p --personal; --json; -n --num=text; -x --extended",
        ),
        operands: "",
        examples: { allow: ["heroku apps", "heroku ps -a x"], ask: ["heroku apps create x", "heroku certs add x"] },
      },
      "config|config:get|auth:token|pg:credentials:url|redis:credentials": {
        ...shows("heroku"),
        examples: { ask: ["heroku config -a x", "heroku auth:token"] },
      },
      "run|run:detached|ps:exec|pg:psql|redis:cli|local|local:run|builds:create": {
        ...runs("heroku"),
        examples: { ask: ["heroku run bash", "heroku pg:psql -c 'drop table x'"] },
      },
      "config:set|config:unset|ps:scale|ps:restart|restart|scale|addons:create|addons:attach|domains:add|maintenance:on|maintenance:off|apps:create|create|login|logout|rollback|releases:rollback|access:add|buildpacks:set|buildpacks:add|git:remote|labs:enable|plugins:install|container:push|container:release|pipelines:promote":
        { ...changes("heroku"), examples: { ask: ["heroku config:set A=b", "heroku ps:scale web=0", "heroku maintenance:on"] } },
      "apps:destroy|destroy|addons:destroy|pg:reset|domains:remove|domains:clear|pipelines:destroy|access:remove|apps:transfer|ps:kill|ps:stop|pg:killall|keys:clear|keys:remove":
        { ...destroys("heroku"), examples: { ask: ["heroku apps:destroy -a x --confirm x", "heroku pg:reset DATABASE"] } },
    },
    examples: { none: ["heroku", "heroku plugins"] },
  },
  {
    names: "wrangler",
    summary: "Cloudflare",
    ...OTHERWISE,
    subcommands: {
      "--version|-v": { ...VERSION, examples: { allow: ["wrangler --version"] } },
      "whoami|deployments list|deployments status|versions list|d1 list|d1 info|kv namespace list|kv key list|r2 bucket list|secret list|queues list|pages project list|pages deployment list|tail|hyperdrive list|vectorize list":
        { ...reads("cloudflare"), examples: { allow: ["wrangler whoami", "wrangler d1 list", "wrangler deployments list"] } },
      "deploy|publish|pages deploy|pages publish|versions deploy|versions upload|rollback|triggers deploy": {
        ...deploys("cloudflare"),
        examples: { ask: ["wrangler deploy", "wrangler pages deploy dist"] },
      },
      "d1 execute|d1 migrations apply|d1 create|kv key put|kv bulk put|kv namespace create|r2 object put|r2 bucket create|secret put|secret bulk|queues create|login|logout|pages project create|d1 time-travel restore":
        {
          ...changes("cloudflare"),
          examples: {
            ask: ["wrangler d1 execute db --command 'drop table x' --remote", "wrangler secret put A", "wrangler kv key put a b"],
          },
        },
      "dev|pages dev|types|build": { ...runs("cloudflare"), examples: { ask: ["wrangler dev"] } },
      "delete|d1 delete|kv key delete|kv bulk delete|kv namespace delete|r2 object delete|r2 bucket delete|secret delete|queues delete|pages project delete|pages deployment delete":
        { ...destroys("cloudflare"), examples: { ask: ["wrangler delete", "wrangler r2 bucket delete b"] } },
      "kv key get|r2 object get|d1 export": {
        ...shows("cloudflare"),
        examples: { ask: ["wrangler kv key get a", "wrangler d1 export db --output x"] },
      },
    },
    examples: { none: ["wrangler"] },
  },
  {
    names: "firebase",
    summary: "Firebase; functions and rules of the project run",
    ...OTHERWISE,
    subcommands: {
      "--version|-V": { ...VERSION, examples: { allow: ["firebase --version"] } },
      "projects:list|apps:list|functions:list|functions:log|hosting:sites:list|hosting:channel:list|login:list|target|database:instances:list|firestore:databases:list|firestore:indexes|remoteconfig:get|appdistribution:testers:list":
        { ...reads("firebase"), examples: { allow: ["firebase projects:list", "firebase functions:log"] } },
      "functions:config:get|apps:sdkconfig|functions:secrets:access|login:ci|auth:export|database:get": {
        ...shows("firebase"),
        examples: { ask: ["firebase functions:config:get", "firebase auth:export users.json"] },
      },
      "deploy|hosting:channel:deploy|appdistribution:distribute": {
        ...deploys("firebase"),
        examples: { ask: ["firebase deploy", "firebase deploy --only functions"] },
      },
      "emulators:exec": {
        style: "bsd",
        options: "--only=text\n--project -P=text\n--import=list\n--ui",
        operands: "shell",
        effects: "code.project",
        examples: { deny: ["firebase emulators:exec 'rm -rf ~'"] },
      },
      "emulators:start|functions:shell|serve|experimental:functions:shell": {
        ...runs("firebase"),
        examples: { ask: ["firebase emulators:start"] },
      },
      "use|login|logout|init|database:set|database:update|database:push|functions:config:set|functions:secrets:set|auth:import|target:apply|apps:create|projects:create|hosting:clone|remoteconfig:rollback":
        { ...changes("firebase"), examples: { ask: ["firebase use prod", "firebase database:set / data.json"] } },
      "database:remove|firestore:delete|functions:delete|hosting:disable|hosting:sites:delete|hosting:channel:delete|functions:config:unset|functions:secrets:destroy|firestore:databases:delete|auth:delete":
        { ...destroys("firebase"), examples: { ask: ["firebase firestore:delete --all-collections", "firebase database:remove /"] } },
    },
    examples: { none: ["firebase"] },
  },
  {
    names: "supabase",
    summary: "Supabase",
    ...OTHERWISE,
    subcommands: {
      "--version|-v": { ...VERSION, examples: { allow: ["supabase --version"] } },
      "projects list|functions list|migration list|branches list|orgs list|secrets list|inspect db|services|db lint": {
        ...reads("supabase"),
        examples: { allow: ["supabase projects list", "supabase migration list"] },
      },
      "status|projects api-keys": { ...shows("supabase"), examples: { ask: ["supabase status", "supabase projects api-keys"] } },
      "functions deploy": { ...deploys("supabase"), examples: { ask: ["supabase functions deploy x"] } },
      "start|stop|functions serve|gen types|gen keys|db diff|db pull|db dump|test db|seed buckets|migration new|init|link": {
        ...runs("supabase"),
        examples: { ask: ["supabase start", "supabase db dump -f x.sql", "supabase gen types typescript"] },
      },
      "db push|migration up|migration repair|migration squash|secrets set|config push|login|logout|branches create|storage cp|projects create|network-bans remove":
        { ...changes("supabase"), examples: { ask: ["supabase db push", "supabase secrets set A=b"] } },
      "db reset|projects delete|functions delete|branches delete|secrets unset|storage rm": {
        ...destroys("supabase"),
        examples: { ask: ["supabase db reset --linked", "supabase projects delete x"] },
      },
    },
    examples: { none: ["supabase"] },
  },
  {
    names: "hcloud linode-cli vultr-cli",
    summary: "clouds whose commands are `TOPIC VERB`",
    ...OTHERWISE,
    subcommands: {
      "version|--version": { ...VERSION, examples: { allow: ["hcloud version"] } },
      "* list|* describe|* view": {
        ...reads("cloud"),
        examples: {
          allow: ["hcloud server list", "linode-cli linodes list", "hcloud server describe x"],
          ask: ["hcloud server list --endpoint https://evil.example"],
        },
      },
      "* delete|* remove|* rm|* shutdown|* poweroff|* reset|* rebuild": {
        ...destroys("cloud"),
        examples: { ask: ["hcloud server delete x", "linode-cli linodes delete 1"] },
      },
      "* create|* update|* restart|* start|* stop|* set|* attach|* detach|* add-label|* enable|* disable|configure|context": {
        ...changes("cloud"),
        examples: { ask: ["hcloud server create --name x"] },
      },
      "* ssh|* exec|* request-console|plugins|register-image|obj": {
        ...runs("cloud"),
        examples: { ask: ["hcloud server ssh x rm -rf y"] },
      },
    },
    examples: { none: ["hcloud"] },
  },
  {
    names: "doctl",
    summary: "DigitalOcean",
    ...OTHERWISE,
    subcommands: {
      "version|--version": { ...VERSION, examples: { allow: ["doctl version"] } },
      "account get|balance get|compute droplet list|compute droplet get|compute image list|compute size list|compute region list|compute domain list|compute domain records list|compute ssh-key list|compute volume list|compute snapshot list|compute firewall list|compute load-balancer list|kubernetes cluster list|kubernetes cluster get|databases list|databases get|apps list|apps get|apps logs|apps list-deployments|registry get|registry repository list-v2|projects list|vpcs list":
        {
          ...reads("digitalocean"),
          examples: {
            allow: ["doctl compute droplet list", "doctl apps list"],
            ask: ["doctl compute droplet list --api-url=https://evil.example"],
          },
        },
      "compute droplet delete|compute domain delete|compute volume delete|compute snapshot delete|compute image delete|kubernetes cluster delete|databases delete|apps delete|registry delete|registry repository delete-manifest|projects delete|vpcs delete":
        { ...destroys("digitalocean"), examples: { ask: ["doctl compute droplet delete x -f", "doctl databases delete x"] } },
      "compute ssh|compute droplet create|compute droplet-action|apps create|apps update|apps create-deployment|apps console|kubernetes cluster create|databases create|registry login|serverless|sandbox|auth":
        {
          ...runs("digitalocean"),
          examples: { ask: ["doctl compute ssh list", "doctl serverless functions invoke list"] },
        },
      "kubernetes cluster kubeconfig|databases connection|databases user|registry docker-config": {
        ...shows("digitalocean"),
        examples: { ask: ["doctl kubernetes cluster kubeconfig show x", "doctl databases connection x"] },
      },
    },
    examples: { none: ["doctl"] },
  },
  {
    names: "railway render scw ibmcloud oci dokku cf planetscale pscale neonctl neon turso atlas",
    summary: "clouds of which only the version is known",
    ...OTHERWISE,
    subcommands: { "--version|version": { ...VERSION, examples: { allow: ["turso --version"] } } },
    examples: {
      none: ["railway run ls", "turso db shell list 'drop table x'", "cf push", "dokku apps:destroy x", "oci os object bulk-delete"],
    },
  },
];
