/*
 * What hosts start in place of a command: `confine TICKET COMMAND`, as agents/install/confine-launcher.ts puts it together. Becomes the
 * program of the table, with the variables of the table and the caller's as mere data: the first byte of each name is another (a letter
 * XOR 0x40); confine-environment.ts changes it back for the command. Other names than those that begin with a letter or `_` are left out.
 * The table: how many words come before `--`; variables, words, each list ended by an empty one.
 */
#include "assent.h"

/* Of all lists in the table together (confine-launcher.ts). */
enum { MOST_LISTED = 60 };

static void main_of(i64 argc, char **argv, char **envp) {
	const u8 *at = table;
	i64 before = *at++;
	if (argc < before + 2) {
		SAY("assent: this starts a command confined: confine TICKET COMMAND\n");
		leave(125);
	}
	/* The ends, and `--`. */
	char *room[count_of(envp) + (u64)argc + MOST_LISTED + 4];
	char **end = add_renamed(add_listed(room, &at), envp);
	*end++ = 0;
	char **words = end;
	end = add_listed(end, &at);
	for (i64 given = 1; given <= before; given++) *end++ = argv[given];
	*end++ = "--";
	for (char **word = argv + 1 + before; *word != 0; word++) *end++ = *word;
	*end = 0;
	C3(EXECVE, words[0], words, room);
	SAY("assent: this command was not started, because Assent could not be; run: assent doctor\n");
	leave(125);
}
