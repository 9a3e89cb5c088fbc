/*
 * What hosts start that start programs without a shell: `launch NAME=VALUE... /PROGRAM ARGUMENT...`. Starts the program with the
 * variables named and with those of the table (agents/install/launcher.ts) whose values look as the table says; nothing else of the
 * environment is handed on. Ends as the program does with 0 or 2; everything else is a refusal for hosts: 2, with a sentence.
 */
#include "assent.h"

NORETURN static void refuse(void) {
	/* Where nobody hears the sentence, hosts would go on with a hook that was killed. */
	set_action(SIGPIPE, SIG_IGN, 0);
	SAY("Node or Assent is missing; refused: sh ~/.local/share/assent/rescue\n");
	leave(2);
}

enum { WORD = 1, PATH = 3 };

/* Whether the value is what the table wants: a word of ASCII that is no path, a text, an absolute path; none holds a control character. */
static int looks_like(const char *value, u8 kind) {
	if (kind == PATH && *value != '/') return 0;
	for (; *value != 0; value++) {
		u8 c = (u8)*value;
		if (c < 0x20 || c == 0x7f) return 0;
		if (kind == WORD && (c == '/' || c == 0x20 || c > 0x7f)) return 0;
	}
	return 1;
}

static int is_handed_on(const char *variable) {
	for (const char *at = (const char *)table; *at != 0;) {
		u8 kind = (u8)*at++;
		const char *value = variable;
		while (*at != 0 && *at == *value) at++, value++;
		if (*at == 0 && *value == '=' && looks_like(value + 1, kind)) return 1;
		at += length_of(at) + 1;
	}
	return 0;
}

static void run(void *with) {
	struct started *child = with;
	/* A host that gives up on us gives up on the program. */
	C2(PRCTL, PR_SET_PDEATHSIG, SIGKILL);
	C3(EXECVE, child->program, child->words, child->variables);
	for (;;) C1(EXIT, 127);
}

static void main_of(i64 argc, char **argv, char **envp) {
	/* With argc 0 there is no argv to walk. */
	if (argc < 2) refuse();
	char *variables[count_of(envp) + (u64)argc + 1];
	char **end = variables;
	char **word = argv + 1;
	for (; *word != 0 && **word != '/'; word++) *end++ = *word;
	if (*word == 0) refuse();
	for (; *envp != 0; envp++)
		if (is_handed_on(*envp)) *end++ = *envp;
	*end = 0;
	struct started child = {*word, word, variables};
	u8 stack[1024] __attribute__((aligned(16)));
	i64 pid = start_child(run, &child, stack + sizeof stack);
	if (pid < 0) refuse();
	i64 status = wait_for_child(pid);
	if (status < 0) refuse();
	/* By a signal, or with a status. */
	if ((status & 0xff7f) == 0) leave(0);
	if ((status & 0xff7f) == 0x200) leave(2);
	refuse();
}
