/*
 * `when PATH PROGRAM WORD...`: becomes the program where there is something of that path, and ends at once where there is not. For hooks
 * that mostly have nothing to say. The program gets the environment as it is.
 */
#include "assent.h"

static void main_of(i64 argc, char **argv, char **envp) {
	if (argc < 3) {
		SAY("assent: this starts a program where there is something to tell: when PATH PROGRAM WORD...\n");
		leave(125);
	}
	if (C3(FACCESSAT, AT_FDCWD, argv[1], 0) < 0) leave(0);
	C3(EXECVE, argv[2], argv + 2, envp);
	SAY("assent: this hook could not be started; run: assent doctor\n");
	leave(125);
}
