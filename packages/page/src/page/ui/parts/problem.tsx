/** What went wrong, said at once; nothing where nothing did. */
export function Problem({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : (
    <p class="notice bad" role="alert">
      {text}
    </p>
  );
}
