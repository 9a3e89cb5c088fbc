import { useEffect } from "preact/hooks";

/** One key as the help of the page lists it. */
export interface PageKey {
  /** `KeyboardEvent.key`, or words for several: `1 to 6`. */
  readonly key: string;
  readonly does: string;
}

const OFF = "assent-keys-off";

/** Single keys can be switched off: who dictates types them by speaking (WCAG 2.2, 2.1.4). */
export const areKeysOn = (): boolean => sessionStorage.getItem(OFF) === null;

export function switchKeys(on: boolean): void {
  if (on) sessionStorage.removeItem(OFF);
  else sessionStorage.setItem(OFF, "1");
}

const WRITES = "input:not([type=checkbox]):not([type=radio]):not([type=button]), textarea, select, [contenteditable]";

/** Whether the key belongs to what has the focus, or to the browser. */
function isTaken(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.defaultPrevented) return true;
  if (document.querySelector("dialog[open]") !== null) return true;
  return event.target instanceof Element && event.target.closest(WRITES) !== null;
}

/** Calls what is named for a key, while the component is there. A handler that returns false leaves the key alone. */
export function useKeys(handlers: Readonly<Record<string, (event: KeyboardEvent) => unknown>>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (isTaken(event) || !areKeysOn()) return;
      const handler = Object.hasOwn(handlers, event.key) ? handlers[event.key] : undefined;
      if (handler === undefined || handler(event) === false) return;
      event.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  });
}

/** Moves the focus among these, as Tab does, by so many. */
export function moveFocus(selector: string, by: number): void {
  const all = [...document.querySelectorAll<HTMLElement>(selector)];
  const at = all.findIndex((one) => one.contains(document.activeElement));
  all[Math.min(all.length - 1, Math.max(0, at === -1 ? 0 : at + by))]?.focus();
}
