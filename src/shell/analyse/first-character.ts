import { describe, refuse, type Invocation } from "../invocation.ts";
import { prefixOf, textOf } from "../value.ts";
import { mayBegin } from "./given.ts";

/** less(1), more(1): `+COMMAND` is typed into the pager, and `!` there runs a shell. A line number or a search is not. */
export function plus(inv: Invocation): void {
  // less(1): `$` ends the text of an option and another option follows; a newline is typed into the pager.
  for (const { value } of inv.args.options) {
    if (value !== undefined && !/^[^$\p{Cc}]*$/u.test(textOf(value) ?? "$"))
      refuse(inv, `${describe(value)} may hold more options of ${inv.name}, which can start programs`, "leave out the `$`");
  }
  for (const word of inv.args.operands) {
    const text = textOf(word);
    if (text !== undefined && /^\+(\d*[gG]?|\/[\w .-]*)$/.test(text)) continue;
    if (mayBegin(inv, word, "+"))
      refuse(inv, `${describe(word)} may be a command of ${inv.name}, which can start programs`, "put ./ in front of the file name");
  }
}

/** dos2unix(1): behind a file, options that change what is done with the files behind them. */
export function lateOptions(inv: Invocation): void {
  for (const word of inv.args.operands) {
    if (mayBegin(inv, word, "-") && textOf(word) !== "-")
      refuse(inv, `${describe(word)} may be an option of ${inv.name} for the files behind it`, "put the options first");
  }
}

/** binutils: an argument `@FILE`, wherever it stands, is replaced by the arguments in that file. */
export function responseFile(inv: Invocation): void {
  for (const word of inv.words) {
    if (mayBegin(inv, word, "@"))
      refuse(inv, `${describe(word)} may name a file with more arguments for ${inv.name}`, "put ./ in front of the file name");
  }
}

/** gawk(1) "Special File Names": an operand below /inet is a connection, even where no such folder exists. */
export function awkFiles(inv: Invocation): void {
  for (const word of inv.args.operands.slice(1))
    if (/^\/inet[46]?(\/|$)/.test(prefixOf(word))) refuse(inv, `${describe(word)} is a network connection to gawk`);
}
