/** As much of an expression as later steps ask about. */
export type Node =
  | { readonly is: "name"; readonly name: string }
  /** A module, which may only be followed by `.` and a listed name. */
  | { readonly is: "module"; readonly path: string }
  | { readonly is: "string"; readonly value: string | undefined }
  | { readonly is: "number"; readonly text: string }
  | { readonly is: "subscript" }
  | { readonly is: "tuple"; readonly items: readonly Node[] }
  | { readonly is: "value" };

export const VALUE: Node = { is: "value" };
