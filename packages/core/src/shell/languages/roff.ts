/** Requests that set text, and nothing that takes in a file or makes a request: man(7), mdoc(7). */
const PLAIN = new RegExp(
  String.raw`^(?:[.'][ \t]*(?:\\".*|(?:TH|S[HSMBY]|P|PP|LP|[TIH]P|TQ|B[IR]?|I[BR]?|R[BISE]|br|sp|nf|fi|ad|na|ne|hy|nh|in|ti|ft|ps|vs|ta` +
    String.raw`|E[XE]|U[RE]|M[TE]|YS|OP|PD|DT|T[SE]|D[dtq]|Os|S[hsyq]|N[mdsox]|O[px]|F[lnocxt]|A[rqt]|Pa|It|B[ldqx]|E[ldmvr]|Xr|[QL]l|Li|Cm` +
    String.raw`|V[at]|In|An|Brq|Pq|Qq|Ap|No|Tn|Ux|St|Lk|Mt)(?:[ \t].*)?)?|(?!\\\*)[^.'].*)?$`,
);

/** True for a manual page that only sets text. */
export const isPlainPage = (page: string): boolean => page.split("\n").every((line) => PLAIN.test(line));
