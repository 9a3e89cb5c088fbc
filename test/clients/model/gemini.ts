import type { Dialect, Heard, Reply, Turn, Wire } from "./dialect.ts";
import { fields, list, text, words } from "./dig.ts";

/** Gemini's generateContent and streamGenerateContent. */
export const gemini: Dialect = {
  name: "Gemini",
  speaks: (path) => /:(?:streamG|g)enerateContent$/.test(path),
  hear,
  answer,
};

function hear(body: Readonly<Record<string, unknown>>, path: string): Heard {
  const turns = list(body["contents"]).flatMap((content): Turn[] =>
    list(content["parts"]).map((part): Turn => {
      const call = part["functionCall"];
      if (call !== undefined) return { by: "model", call: text(fields(call)["name"]), text: "" };
      const response = part["functionResponse"];
      if (response !== undefined) return { by: "tool", text: outcome(fields(fields(response)["response"])) };
      const said = text(part["text"]);
      return content["role"] === "model" ? { by: "model", call: undefined, text: said } : { by: "user", text: said };
    }),
  );
  const declared = list(body["tools"]).flatMap((tool) => list(tool["functionDeclarations"]));
  const offers = new Map(declared.map((tool) => [text(tool["name"]), { kind: "function" } as const]));
  return { offers, turns, streams: path.includes(":stream") };
}

function outcome(response: Readonly<Record<string, unknown>>): string {
  const parts = [response["output"], response["error"]].map(words).filter((part) => part !== "");
  return parts.length > 0 ? parts.join("\n") : JSON.stringify(response);
}

function answer(reply: Reply): Wire {
  const part = "say" in reply ? { text: reply.say } : { functionCall: { name: reply.call, args: reply.input } };
  const whole = {
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
    modelVersion: "fake-model",
  };
  return { events: [{ data: whole }], whole };
}
