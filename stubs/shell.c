/*
 * What a host starts around each command that starts every command through one program: `claude-shell COMMAND`. Starts the first program
 * of the table, as confine.c does, and waits for what it says of the command by its exit status: 0 and 11, the shell runs it as it is
 * (bash, zsh), with the environment as it was; 10, it becomes the second program of the table, which runs it sandboxed. Anything else is
 * a refusal. The table: variables, words of the first, words of the second, each list ended by an empty one.
 */
#include "assent.h"

enum { MOST_LISTED = 60, IN_ZSH = 11, SANDBOXED = 10 };

static void run(void *with) {
	struct started *child = with;
	C2(PRCTL, PR_SET_PDEATHSIG, SIGKILL);
	/* What the command is to read is left to it. */
	i64 fd = C4(OPENAT, AT_FDCWD, "/dev/null", O_CLOEXEC, 0);
	i64 done = fd == 0 ? C3(FCNTL, 0, F_SETFD, 0) : C3(DUP3, fd, 0, 0);
	if (fd >= 0 && done >= 0) C3(EXECVE, child->program, child->words, child->variables);
	for (;;) C1(EXIT, 127);
}

/* The words of a list, then `-- COMMAND`. */
static char **add_words(char **to, const u8 **from, char *command) {
	to = add_listed(to, from);
	*to++ = "--";
	*to++ = command;
	*to++ = 0;
	return to;
}

static void main_of(i64 argc, char **argv, char **envp) {
	if (argc != 2) {
		SAY("assent: this starts a command as Assent says: claude-shell COMMAND\n");
		leave(125);
	}
	char *command = argv[1];
	const u8 *at = table;
	char *variables[count_of(envp) + MOST_LISTED + 1];
	char **theirs = add_listed(variables, &at);
	*add_renamed(theirs, envp) = 0;
	char *room[MOST_LISTED + 6];
	char **says = room;
	char **confines = add_words(says, &at, command);
	add_words(confines, &at, command);

	struct started child = {says[0], says, variables};
	u8 stack[1024] __attribute__((aligned(16)));
	i64 pid = start_child(run, &child, stack + sizeof stack);
	i64 status = pid < 0 ? pid : wait_for_child(pid);
	if (status >= 0) {
		i64 said = status & 0xff7f;
		if (said == SANDBOXED << 8) C3(EXECVE, confines[0], confines, variables);
		else if (said == 0 || said == IN_ZSH << 8) {
			for (; *theirs != 0; theirs++) **theirs ^= 0x40;
			char *shell[] = {said == 0 ? "/bin/bash" : "/bin/zsh", "-c", "--", command, 0};
			C3(EXECVE, shell[0], shell, envp);
		} else leave(126);
	}
	SAY("assent: this command was not started, because Assent could not be; run: assent doctor\n");
	leave(125);
}
