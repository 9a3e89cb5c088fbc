/** A sentence in which `…` is code. */
export function Words({ text }: { readonly text: string }) {
  return <>{text.split(/`([^`\n]+)`/).map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}
