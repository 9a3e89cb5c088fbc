import * as v from "valibot";
import { count, described, object, optional, refuseLists, text } from "./schema-parts.ts";

const OTLP = 'write "otlp": { "endpoint": "https://collector.example.org:4318" }';
const HEADERS = 'write "headers": { "authorization": "COLLECTOR_TOKEN" }, the name of the environment variable that holds it';

/** No user, no password: a policy is no place for secrets. */
const COLLECTOR = /^https?:\/\/[^/@?#\s]+(?:\/[^@?#\s]*)?$/;

const header = v.pipe(v.string(`\n${HEADERS}`), v.regex(/^[A-Z_a-z]\w{0,127}$/, `is no name of an environment variable\n${HEADERS}`));
const headerName = v.pipe(v.string(), v.regex(/^[\w!#$%&'*+.^`|~-]{1,128}$/, `is no name of a header\n${HEADERS}`));

export const auditSettings = described(
  object(
    {
      keepDays: optional(count("Days the log is kept. Without it: 90.", 'write "keepDays": 90')),
      keepMegabytes: optional(
        count("Megabytes the log may have; the oldest records are dropped above them. Without it: 4096.", 'write "keepMegabytes": 4096'),
      ),
      otlp: optional(
        described(
          object(
            {
              endpoint: described(
                v.pipe(text(OTLP), v.regex(COLLECTOR, `is no http(s) address without user, query and fragment\n${OTLP}`)),
                "The collector's address for OTLP over HTTP; `/v1/logs` is added where it is missing.",
              ),
              headers: optional(
                described(
                  refuseLists(v.record(headerName, header, `\n${HEADERS}`)),
                  "Headers to send, each with the name of the environment variable that holds its value.",
                ),
              ),
            },
            OTLP,
          ),
          "Where `assent log export --otlp` sends the log. Only your own and the managed policy may say so.",
        ),
      ),
    },
    'write "audit": { "keepDays": 90 }',
  ),
  "The log of verdicts.",
);
