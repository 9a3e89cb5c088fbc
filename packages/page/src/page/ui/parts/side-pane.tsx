import type { ComponentChildren, Ref } from "preact";

interface SidePaneProps {
  readonly title: string;
  readonly heading?: Ref<HTMLHeadingElement>;
  readonly close: () => void;
  readonly problem: string | undefined;
  readonly children: ComponentChildren;
}

/** What lies beside a list until it is closed. */
export function SidePane({ title, heading = null, close, problem, children }: SidePaneProps) {
  return (
    <aside class="card timeline-record" aria-labelledby="side-title">
      <div class="row spread">
        <h2 id="side-title" tabIndex={-1} ref={heading}>
          {title}
        </h2>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
      {problem === undefined ? null : <p class="deny">{problem}</p>}
      {children}
    </aside>
  );
}
