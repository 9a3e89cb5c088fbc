/** A run that could not begin, or that Assent itself could not go on with. */
export class RunError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "RunError";
    this.code = code;
  }
}
