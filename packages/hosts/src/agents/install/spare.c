/*
 * `spare FOLDER/ NODE BIN run WORD…`: hands a command without a terminal to the supervisor that waits (cli/spare.ts), and ends as the
 * command does; becomes `NODE BIN run WORD…` where none takes it at once. spare-client.ts says what is sent.
 *
 * It is no program of a C library: nothing here may be linked, and no function be called that is not here. The bytes that are shipped are
 * made from it by scripts/spare-client.mjs, through spare.x64.s and spare.arm64.s; whoever installs Assent needs no compiler.
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;

__attribute__((noreturn, used)) static void begin(i64 *stack);

#if defined(__x86_64__)
__asm__(".text\n.globl start\nstart:\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall begin\n\thlt\n");
static inline i64 call6(i64 nr, i64 a, i64 b, i64 c, i64 d, i64 e, i64 f) {
	register i64 r10 __asm__("r10") = d;
	register i64 r8 __asm__("r8") = e;
	register i64 r9 __asm__("r9") = f;
	i64 result;
	__asm__ volatile("syscall" : "=a"(result) : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
	return result;
}
enum {
	READ = 0, WRITE = 1, OPENAT = 257, READLINKAT = 267, SOCKET = 41, CONNECT = 42, SENDMSG = 46, SENDTO = 44, RECVFROM = 45,
	GETSOCKOPT = 55, IOCTL = 16, MMAP = 9, MUNMAP = 11, EXECVE = 59, EXIT_GROUP = 231, PPOLL = 271, SIGNALFD4 = 289,
	RT_SIGPROCMASK = 14, RT_SIGACTION = 13, CLOCK_GETTIME = 228, KILL = 62, GETPID = 39, GETUID = 102, KEYCTL = 250,
	PERSONALITY = 135, PRCTL = 157, IOPRIO_GET = 252, GET_MEMPOLICY = 239,
};
#elif defined(__aarch64__)
__asm__(".text\n.globl start\nstart:\n\tmov x0, sp\n\tbl begin\n\tbrk #0\n");
static inline i64 call6(i64 nr, i64 a, i64 b, i64 c, i64 d, i64 e, i64 f) {
	register i64 x8 __asm__("x8") = nr;
	register i64 x0 __asm__("x0") = a;
	register i64 x1 __asm__("x1") = b;
	register i64 x2 __asm__("x2") = c;
	register i64 x3 __asm__("x3") = d;
	register i64 x4 __asm__("x4") = e;
	register i64 x5 __asm__("x5") = f;
	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}
enum {
	READ = 63, WRITE = 64, OPENAT = 56, READLINKAT = 78, SOCKET = 198, CONNECT = 203, SENDMSG = 211, SENDTO = 206, RECVFROM = 207,
	GETSOCKOPT = 209, IOCTL = 29, MMAP = 222, MUNMAP = 215, EXECVE = 221, EXIT_GROUP = 94, PPOLL = 73, SIGNALFD4 = 74,
	RT_SIGPROCMASK = 135, RT_SIGACTION = 134, CLOCK_GETTIME = 113, KILL = 129, GETPID = 172, GETUID = 174, KEYCTL = 219,
	PERSONALITY = 92, PRCTL = 167, IOPRIO_GET = 31, GET_MEMPOLICY = 236,
};
#endif

#define C1(nr, a) call6(nr, (i64)(a), 0, 0, 0, 0, 0)
#define C2(nr, a, b) call6(nr, (i64)(a), (i64)(b), 0, 0, 0, 0)
#define C3(nr, a, b, c) call6(nr, (i64)(a), (i64)(b), (i64)(c), 0, 0, 0)
#define C4(nr, a, b, c, d) call6(nr, (i64)(a), (i64)(b), (i64)(c), (i64)(d), 0, 0)
#define C5(nr, a, b, c, d, e) call6(nr, (i64)(a), (i64)(b), (i64)(c), (i64)(d), (i64)(e), 0)
#define C6(nr, a, b, c, d, e, f) call6(nr, (i64)(a), (i64)(b), (i64)(c), (i64)(d), (i64)(e), (i64)(f))

enum {
	AF_UNIX = 1, SOCK_STREAM = 1, SOCK_NONBLOCK = 04000, SOCK_CLOEXEC = 02000000, SOL_SOCKET = 1, SO_PEERCRED = 17, SCM_RIGHTS = 1,
	MSG_NOSIGNAL = 0x4000, TCGETS = 0x5401, AT_FDCWD = -100, O_PATH = 010000000, O_CLOEXEC = 02000000, SFD_NONBLOCK = 04000,
	POLLIN = 1, POLLOUT = 4, EINTR = 4, EAGAIN = 11, SIG_BLOCK = 0, SIG_UNBLOCK = 1, SIG_SETMASK = 2, CLOCK_MONOTONIC = 1,
	GET_KEYRING_ID = 0, SESSION_KEYRING = -3, GET_SECUREBITS = 27, GET_TIMERSLACK = 30, GET_MDWE = 66, MOST = 4 << 20, HEAD = 80, CANNOT_START = 125,
};
#ifdef __aarch64__
enum { O_DIRECTORY = 040000 };
#else
enum { O_DIRECTORY = 0200000 };
#endif

/* From the first look to the word that it takes the command: no spare, no waiting. */
#define PATIENCE_NS 200000000L

#define BIT(signal) (1UL << ((signal) - 1))
/* SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM: as run-front.ts. */
#define PASSED (BIT(1) | BIT(2) | BIT(3) | BIT(10) | BIT(12) | BIT(14) | BIT(15))
/* Whose default is to end a process, and to leave no core file of it: as run-front.ts. */
#define ENDING (BIT(1) | BIT(2) | BIT(9) | BIT(12) | BIT(14) | BIT(15))

struct moment { i64 seconds, nanoseconds; };
struct polled { int fd; u16 events, seen; };
struct piece { const void *base; u64 length; };
struct message { void *name; u32 name_length, pad; struct piece *pieces; u64 count; void *control; u64 control_length; int flags, pad2; };
struct rights { u64 length; int level, type; int fds[4]; };
struct peer { u32 pid, uid, gid; };
struct action { void *handler; u64 flags; void *restorer; u64 mask; };

static u64 length_of(const char *text) {
	u64 n = 0;
	while (text[n] != 0) n++;
	return n;
}

static u8 *append(u8 *to, const char *text) {
	for (;; text++, to++) {
		*to = (u8)*text;
		if (*text == 0) return to;
	}
}

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

__attribute__((noreturn)) static void leave(i64 status) {
	for (;;) C1(EXIT_GROUP, status);
}

/* As the command did: `7` with that status, `s15` by that signal, as far as that is possible. */
__attribute__((noreturn)) static void end_as(const u8 *how, i64 size) {
	i64 signalled = size > 0 && how[0] == 's';
	i64 number = 0;
	i64 at = signalled;
	for (; at < size && how[at] >= '0' && how[at] <= '9' && number < 1000; at++) number = number * 10 + (how[at] - '0');
	if (at != size || at == signalled || number > 255) leave(CANNOT_START);
	if (!signalled) leave(number);
	if (number >= 1 && number <= 64 && (ENDING & BIT(number)) != 0) {
		struct action none = {0, 0, 0, 0};
		u64 mask = 0;
		C4(RT_SIGACTION, number, &none, 0, 8);
		C4(RT_SIGPROCMASK, SIG_SETMASK, &mask, 0, 8);
		C2(KILL, C1(GETPID, 0), number);
	}
	leave(128 + number);
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
	struct { u16 family; u8 path[108]; } address;
	u8 link[64];
	u8 name[32];
	u8 secret[128];

	for (int fd = 0; fd < 3; fd++)
		if (C3(IOCTL, fd, TCGETS, termios) == 0) return;

	i64 size = C4(READLINKAT, AT_FDCWD, "/proc/self/ns/mnt", link, sizeof link - 1);
	if (size <= 0 || size >= (i64)sizeof link - 1) return;
	link[size] = 0;
	u64 folder = length_of(argv[1]);
	if (folder + 6 + (u64)size + 1 > sizeof address.path) return;
	address.family = AF_UNIX;
	u8 *end = append(append(append(address.path, argv[1]), "spare."), (const char *)link);

	int fd = (int)C3(SOCKET, AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 3) return;
	if (C3(CONNECT, fd, &address, 2 + (end - address.path) + 1) != 0) return;
	i64 until = now() + PATIENCE_NS;

	struct peer peer;
	u32 peer_size = sizeof peer;
	if (C5(GETSOCKOPT, fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) != 0) return;
	if (peer.uid != (u32)C1(GETUID, 0) || peer.pid == 0) return;
	/* Only who may look into the other process can read this: nobody in a sandbox that it is not in. */
	u8 digits[12];
	int at = 12;
	digits[--at] = 0;
	for (u32 rest = peer.pid; rest != 0; rest /= 10) digits[--at] = (u8)('0' + rest % 10);
	append(append(append(name, "/proc/"), (const char *)digits + at), "/fd/63");
	size = C4(READLINKAT, AT_FDCWD, name, secret, sizeof secret - 1);
	if (size <= 0 || size >= (i64)sizeof secret - 1) return;
	secret[size] = 0;

	u64 texts = (u64)size + 1;
	u32 words = 0;
	u32 variables = 0;
	for (char **word = argv + 2; *word != 0; word++, words++) texts += length_of(*word) + 1;
	for (char **variable = envp; *variable != 0; variable++, variables++) texts += length_of(*variable) + 1;
	if (texts > MOST) return;
	u8 *block = (u8 *)C6(MMAP, 0, HEAD + texts, 3, 0x22, -1, 0);
	if ((u64)block > (u64)-4096) return;
	u8 *to = append(block, "assent?2");
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
	to = append(block + HEAD, (const char *)secret) + 1;
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

static void begin(i64 *stack) {
	i64 argc = stack[0];
	char **argv = (char **)(stack + 1);
	char **envp = argv + argc + 1;
	if (argc >= 3) {
		u64 before = 0;
		C4(RT_SIGPROCMASK, SIG_BLOCK, 0, &before, 8);
		hand_over(argv, envp);
		C4(RT_SIGPROCMASK, SIG_SETMASK, &before, 0, 8);
		C3(EXECVE, argv[2], argv + 2, envp);
	}
	static const char sentence[] = "assent: this command was not started, because Assent could not be: run: assent doctor\n";
	C3(WRITE, 2, sentence, sizeof sentence - 1);
	/* Without words it was only to be seen that it starts. */
	leave(argc < 3 ? 2 : CANNOT_START);
}
