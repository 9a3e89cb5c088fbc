import { localTime } from "./time.ts";

type Fact = readonly [name: string, text: string];

/** Names and what they are; the one called `time` is a time. */
export function Facts({ facts, time }: { readonly facts: readonly Fact[]; readonly time: string }) {
  return (
    <dl class="facts">
      {facts.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{name === time ? <time dateTime={text}>{localTime(text)}</time> : <span class="mono">{text}</span>}</dd>
        </div>
      ))}
    </dl>
  );
}
