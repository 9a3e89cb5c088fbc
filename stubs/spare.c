/*
 * `spare FOLDER/ NODE BIN run WORD…`: hands a command without a terminal to the supervisor that waits (cli/spare.ts), and ends as the
 * command does: by its status or its signal. Where none takes it within 200 ms, for whatever reason, it becomes `NODE BIN run WORD…`, in
 * the same folder and environment.
 *
 * The socket is `FOLDER/spare.mnt:[INODE]`, by the mount namespace. Whoever listens there must have our user id and live in a PID
 * namespace that we see. What it sends, little-endian:
 *
 * | bytes | |
 * |---|---|
 * | 8 | `assent?2` |
 * | 4 × 2 | how many words (NODE is the first), how many variables |
 * | 8 | length of the texts (4 MB at most) |
 * | 8 × 7 | what only a process itself is told, or the negative errno: keyring, personality, securebits, timer slack, MDWE, ioprio, NUMA |
 * | … | each ended by a NUL: where `/proc/PID/fd/63` of the other side leads, the words, the whole environment as it is |
 *
 * The link is a secret that only who may trace the other side can read: nobody in a sandbox of Landlock that the other side is not in.
 *
 * The other side says `r` when it can take the command. The client says `g`, and with it hands over descriptors 0, 1, 2 and the current
 * folder (SCM_RIGHTS); until then whoever gives up closes, and nothing is begun. From then on each signal that reaches the client is one
 * byte, its number. The answer is the status in digits, or `s` and the number of a signal; or `c`, nothing was begun and the client is to
 * do it. The client's end is the command's end.
 */
#include "assent.h"

enum {
	SOCK_NONBLOCK = O_NONBLOCK, SOCK_CLOEXEC = O_CLOEXEC, SCM_RIGHTS = 1, TCGETS = 0x5401, SFD_NONBLOCK = O_NONBLOCK, GET_KEYRING_ID = 0,
	SESSION_KEYRING = -3, GET_SECUREBITS = 27, GET_TIMERSLACK = 30, GET_MDWE = 66, MOST = 4 << 20, HEAD = 80, CANNOT_START = 125,
};

/* From the first look to the word that it takes the command: no spare, no waiting. */
#define PATIENCE_NS 200000000L

struct piece { const void *base; u64 length; };
struct message { void *name; u32 name_length, pad; struct piece *pieces; u64 count; void *control; u64 control_length; int flags, pad2; };
struct rights { u64 length; int level, type; int fds[4]; };

static i64 now(void) {
	struct moment at;
	C2(CLOCK_GETTIME, CLOCK_MONOTONIC, &at);
	return at.seconds * 1000000000L + at.nanoseconds;
}

/* Until there is something, or the time is over (0) or something is wrong (negative). */
static i64 wait_for(int fd, u16 events, i64 until) {
	for (;;) {
		i64 left = until - now();
		if (left <= 0) return 0;
		struct moment rest = {left / 1000000000L, left % 1000000000L};
		struct polled one = {fd, events, 0};
		i64 found = C5(PPOLL, &one, 1, &rest, 0, 8);
		if (found != -EINTR) return found;
	}
}

/* As the command did: `7` with that status, `s15` by that signal, as far as that is possible. */
NORETURN static void end_as(const u8 *how, i64 size) {
	i64 signalled = size > 0 && how[0] == 's';
	i64 number = 0;
	i64 at = signalled;
	for (; at < size && how[at] >= '0' && how[at] <= '9' && number < 1000; at++) number = number * 10 + (how[at] - '0');
	if (at != size || at == signalled || number > 255) leave(CANNOT_START);
	if (!signalled) leave(number);
	end_by(number);
}

/* Ends with the command. INVARIANT: the other side was told to begin. Comes back where that says that it has not, and will not. */
static void stay(int fd, int signals) {
	struct polled both[2] = {{fd, POLLIN, 0}, {signals, POLLIN, 0}};
	for (;;) {
		both[0].seen = both[1].seen = 0;
		i64 found = C5(PPOLL, both, 2, 0, 0, 8);
		if (found == -EINTR) continue;
		if (found < 0) leave(CANNOT_START);
		if (both[1].seen != 0) {
			u32 info[32];
			if (C3(READ, signals, info, sizeof info) == (i64)sizeof info) {
				u8 number = (u8)info[0];
				C6(SENDTO, fd, &number, 1, MSG_NOSIGNAL, 0, 0);
			}
		}
		if (both[0].seen != 0) {
			u8 how[16];
			i64 size = C6(RECVFROM, fd, how, sizeof how, 0, 0, 0);
			if (size == -EAGAIN || size == -EINTR) continue;
			/* The supervisor was killed, and the command with it. */
			if (size <= 0) leave(137);
			if (how[0] == 'c') return;
			end_as(how, size);
		}
	}
}

/* Comes back where the command is to be started by somebody else. */
static void hand_over(char **argv, char **envp) {
	u8 termios[64];
	struct socket_name address;
	char link[64];
	char name[32];
	char secret[128];

	for (int fd = 0; fd < 3; fd++)
		if (C3(IOCTL, fd, TCGETS, termios) == 0) return;

	i64 size = C4(READLINKAT, AT_FDCWD, "/proc/self/ns/mnt", link, sizeof link - 1);
	if (size <= 0 || size >= (i64)sizeof link - 1) return;
	link[size] = 0;
	u64 folder = length_of(argv[1]);
	if (folder + 6 + (u64)size + 1 > 108) return;
	address.family = AF_UNIX;
	char *end = append(append(append(address.path, argv[1]), "spare."), link);

	int fd = (int)C3(SOCKET, AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 3) return;
	if (C3(CONNECT, fd, &address, 2 + (end - address.path) + 1) != 0) return;
	i64 until = now() + PATIENCE_NS;

	struct peer peer;
	u32 peer_size = sizeof peer;
	if (C5(GETSOCKOPT, fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) != 0) return;
	if (peer.uid != (u32)C0(GETUID) || peer.pid == 0) return;
	/* Only who may look into the other process can read this: nobody in a sandbox that it is not in. */
	char digits[12];
	int at = 12;
	digits[--at] = 0;
	for (u32 rest = peer.pid; rest != 0; rest /= 10) digits[--at] = (char)('0' + rest % 10);
	append(append(append(name, "/proc/"), digits + at), "/fd/63");
	size = C4(READLINKAT, AT_FDCWD, name, secret, sizeof secret - 1);
	if (size <= 0 || size >= (i64)sizeof secret - 1) return;
	secret[size] = 0;

	u64 texts = (u64)size + 1;
	u32 words = 0;
	u32 variables = 0;
	for (char **word = argv + 2; *word != 0; word++, words++) texts += length_of(*word) + 1;
	for (char **variable = envp; *variable != 0; variable++, variables++) texts += length_of(*variable) + 1;
	if (texts > MOST) return;
	char *block = (char *)C6(MMAP, 0, HEAD + texts, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0);
	if ((u64)block > (u64)-4096) return;
	char *to = append(block, "assent?2");
	*(u32 *)(block + 8) = words;
	*(u32 *)(block + 12) = variables;
	*(u64 *)(block + 16) = texts;
	/* What of a process only itself is told. */
	i64 *own = (i64 *)(block + 24);
	int policy = -1;
	own[0] = C3(KEYCTL, GET_KEYRING_ID, SESSION_KEYRING, 0);
	own[1] = C1(PERSONALITY, 0xffffffff);
	own[2] = C1(PRCTL, GET_SECUREBITS);
	own[3] = C1(PRCTL, GET_TIMERSLACK);
	own[4] = C5(PRCTL, GET_MDWE, 0, 0, 0, 0);
	own[5] = C2(IOPRIO_GET, 1, 0);
	own[6] = C5(GET_MEMPOLICY, &policy, 0, 0, 0, 0) == 0 ? policy : -1;
	to = append(block + HEAD, secret) + 1;
	for (char **word = argv + 2; *word != 0; word++) to = append(to, *word) + 1;
	for (char **variable = envp; *variable != 0; variable++) to = append(to, *variable) + 1;
	u64 total = (u64)(to - block);

	int here = (int)C4(OPENAT, AT_FDCWD, ".", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (here < 3) return;
	u64 passed = PASSED;
	if (C4(RT_SIGPROCMASK, SIG_BLOCK, &passed, 0, 8) != 0) return;
	int signals = (int)C4(SIGNALFD4, -1, &passed, 8, SFD_NONBLOCK | O_CLOEXEC);
	if (signals < 3) return;

	u64 sent = 0;
	for (;;) {
		i64 done = C6(SENDTO, fd, block + sent, total - sent, MSG_NOSIGNAL, 0, 0);
		if (done == -EAGAIN) {
			if (wait_for(fd, POLLOUT, until) <= 0) return;
			continue;
		}
		if (done == -EINTR) continue;
		if (done <= 0) return;
		sent += (u64)done;
		if (sent == total) break;
	}

	u8 word = 0;
	do {
		if (wait_for(fd, POLLIN, until) <= 0) return;
		size = C6(RECVFROM, fd, &word, 1, 0, 0, 0);
	} while (size == -EINTR || size == -EAGAIN);
	if (size != 1 || word != 'r') return;
	/* Not before: who has stopped or hangs would keep them open. */
	word = 'g';
	struct rights control = {sizeof control, SOL_SOCKET, SCM_RIGHTS, {0, 1, 2, here}};
	struct piece piece = {&word, 1};
	struct message message = {0, 0, 0, &piece, 1, &control, sizeof control, 0, 0};
	do size = C3(SENDMSG, fd, &message, MSG_NOSIGNAL);
	while (size == -EINTR);
	if (size == 1) stay(fd, signals);
}

static void main_of(i64 argc, char **argv, char **envp) {
	if (argc >= 3) {
		u64 before = 0;
		C4(RT_SIGPROCMASK, SIG_BLOCK, 0, &before, 8);
		hand_over(argv, envp);
		C4(RT_SIGPROCMASK, SIG_SETMASK, &before, 0, 8);
		C3(EXECVE, argv[2], argv + 2, envp);
	}
	SAY("assent: this command was not started, because Assent could not be: run: assent doctor\n");
	/* Without words it was only to be seen that it starts. */
	leave(argc < 3 ? 2 : CANNOT_START);
}
