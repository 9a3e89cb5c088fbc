/*
 * What stands in front of a supervised run (`assent run`): `front NODE BIN.CJS run WORDS...` starts `NODE BIN.CJS run --beside WORDS...`
 * with one end of a pipe as descriptor 3, passes signals on to it, and ends as it is told there (`7`: with that status, `s15`: by that
 * signal), or as that process ended. Inside a run it becomes `NODE BIN.CJS run WORDS...`: there is nothing to stand in front of.
 */
#include "assent.h"

NORETURN static void fail(void) {
	SAY("assent: nothing was started, because Assent could not be; run: assent doctor\n");
	leave(125);
}

struct beginning { struct started started; u64 blocked; int told, failed; };

static void run(void *with) {
	struct beginning *child = with;
	C4(RT_SIGPROCMASK, SIG_SETMASK, &child->blocked, 0, 8);
	/* Until it has its own way to end with us. */
	C2(PRCTL, PR_SET_PDEATHSIG, SIGKILL);
	if (C3(DUP3, child->told, 3, 0) >= 0) C3(EXECVE, child->started.program, child->started.words, child->started.variables);
	child->failed = 1;
	for (;;) C1(EXIT, 127);
}

/* Away from the standard streams, which may be closed. */
static int move_up(int fd) {
	int moved = (int)C3(FCNTL, fd, F_DUPFD_CLOEXEC, 10);
	C1(CLOSE, fd);
	if (moved < 0) fail();
	return moved;
}

/* As the run ended. */
NORETURN static void end_as(const char *how) {
	int signalled = *how == 's';
	i64 number = 0;
	for (how += signalled; *how >= '0' && *how <= '9'; how++) number = number * 10 + (*how - '0');
	if (!signalled) leave(number);
	end_by(number);
}

/* Ends where something was told. Returns 0 where nobody will tell, and a negative errno where nothing is told yet. */
static i64 hear(int fd) {
	char text[128];
	i64 size = C3(READ, fd, text, sizeof text - 1);
	if (size <= 0) return size;
	text[size] = 0;
	end_as(text);
}

static void main_of(i64 argc, char **argv, char **envp) {
	if (argc < 4) {
		SAY("assent: this stands in front of a supervised run: front NODE PROGRAM run WORD...\n");
		leave(2);
	}
	if (C4(OPENAT, AT_FDCWD, "/proc/assent", O_RDWR | O_CLOEXEC, 0) >= 0) {
		C3(EXECVE, argv[1], argv + 1, envp);
		fail();
	}
	char *words[argc + 1];
	for (int at = 0; at < 3; at++) words[at] = argv[at + 1];
	words[3] = "--beside";
	for (i64 at = 4; at <= argc; at++) words[at] = argv[at];

	int ends[2];
	if (C2(PIPE2, ends, O_CLOEXEC | O_NONBLOCK) < 0) fail();
	struct polled heard[2] = {{move_up(ends[0]), POLLIN, 0}, {0, POLLIN, 0}};
	struct beginning child = {{words[0], words, envp}, 0, move_up(ends[1]), 0};
	/* Whoever ignores it hears of no end. */
	set_action(SIGCHLD, 0, 0);
	u64 mask = PASSED | BIT(SIGCHLD);
	C4(RT_SIGPROCMASK, SIG_BLOCK, &mask, &child.blocked, 8);
	heard[1].fd = (int)C4(SIGNALFD4, -1, &mask, 8, O_CLOEXEC);
	if (heard[1].fd < 0) fail();
	u8 stack[1024] __attribute__((aligned(16)));
	i64 pid = start_child(run, &child, stack + sizeof stack);
	if (pid < 0 || *(volatile int *)&child.failed != 0) fail();
	C1(CLOSE, child.told);

	for (;;) {
		if (C5(PPOLL, heard, 2, 0, 0, 8) < 0) continue;
		if (heard[0].seen != 0 && hear(heard[0].fd) == 0) heard[0].fd = -1;
		u32 signal[32];
		if (heard[1].seen == 0 || C3(READ, heard[1].fd, signal, sizeof signal) != (i64)sizeof signal) continue;
		if (signal[0] != SIGCHLD) {
			C2(KILL, pid, signal[0]);
			continue;
		}
		int status = 0;
		if (C4(WAIT4, pid, &status, WNOHANG, 0) != pid) continue;
		/* What it said last. */
		hear(heard[0].fd);
		leave((status & 0x7f) == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f));
	}
}
