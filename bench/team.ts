// The load of a team's server: `npm run bench:team -- [--part steady|storm|policy|questions|ramp …] [--write]`. PostgreSQL of Debian in a
// scratch cluster with fsync on, the server as people start it, with TLS, and a generator in a process of its own. What it takes: docs/team.md.
import { obey } from "./team/generator.ts";
import { measureTeam } from "./team/measure.ts";

if (process.env["ASSENT_BENCH_GENERATOR"] === undefined) await measureTeam(process.argv.slice(2));
else obey();
