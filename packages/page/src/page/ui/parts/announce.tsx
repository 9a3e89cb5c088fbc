import { useEffect, useState } from "preact/hooks";

let tell: (text: string) => void = () => undefined;

/** Says something to those who do not see the page; what is told a second time is told in other letters, so that it is heard. */
export function announce(text: string): void {
  tell(text);
}

export function Announcer() {
  const [text, setText] = useState("");
  useEffect(() => {
    tell = (next) => setText((before) => (before === next ? `${next}\u00a0` : next));
    return () => {
      tell = () => undefined;
    };
  }, []);
  return (
    <div class="unseen" role="status" aria-live="polite">
      {text}
    </div>
  );
}
