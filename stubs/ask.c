/*
 * What hosts start instead of the launcher where a daemon may be running: `ask FOLDER/ LAUNCHER WORD...`. Asks it over its socket and ends
 * as it answers; where that does not work within 300 ms, for whatever reason, it becomes `LAUNCHER WORD...` with the same input, folder and
 * environment. No failure ends with an answer or with status 0: it becomes the launcher, or refuses as the launcher does.
 *
 * The socket is `FOLDER/mnt:[INODE]`, by the mount namespace (`/proc/self/ns/mnt`). Whoever listens there must have our user id and live
 * in a PID namespace that we see. Numbers are little-endian, and what is sent is
 *
 * | bytes | |
 * |---|---|
 * | 8 | `assent?1` |
 * | 4 × 4 | how many words (LAUNCHER is the first), how many variables, our process, the one that started it |
 * | 8 | the moment after the input was read, CLOCK_MONOTONIC in nanoseconds: what answers 300 ms later is not heard |
 * | 8 × 2 | length of the strings (1 MB at most), length of the input (64 MB at most) |
 * | … | each ended by a NUL: the current folder, the words, the whole environment as it is |
 * | … | the input |
 *
 * and an answer, which begins when all of that has been sent,
 *
 * | bytes | |
 * |---|---|
 * | 8 | `assent!1` |
 * | 4 × 4 | status (255 at most), length of standard output, length of standard error (64 MB at most each), 0 |
 * | … | standard output, standard error |
 *
 * Where nobody listens (no such file, or nobody behind it) it starts one and does not wait for it: whoever gets the lock of the file
 * `FOLDER/lock.mnt:[INODE]` (flock, made if it is not there; a folder that is not there means that nobody wants one) starts
 * `LAUNCHER ASSIGNMENT… NODE BIN daemon --serve 3`, of the WORDs, in a session of its own, with the lock at descriptor 3, and
 * in an empty environment: whoever happens to call first steers nothing for the others, and none of its secrets stay. The file's mode is
 * 0700 from then on until the resident listens, which makes it 0600: one that cannot start is tried once a minute, not by every call.
 */
#include "assent.h"

enum { STRINGS = 1 << 20, MOST = 64 << 20, MFD_CLOEXEC = 1, MFD_NOEXEC_SEAL = 8, LOCK_EX_NB = 6, NOBODY = 65534 };
#define DEADLINE_NS 300000000L

struct request { char magic[8]; u32 words, variables, pid, parent; i64 moment; u64 strings_length, input_length; char strings[]; };
struct answer { char magic[8]; u32 status, output, errors, nothing; };

/* What is known of the call, from when its input is read. */
struct call {
	char **argv, **envp;
	int fd;
	i64 deadline;
	char *input, *input_end;
};

NORETURN static void refuse(void) {
	/* Hosts go on when a hook is killed. */
	set_action(SIGPIPE, SIG_IGN, 0);
	set_action(SIGXFSZ, SIG_IGN, 0);
	SAY("Node or Assent is missing; refused: sh ~/.local/share/assent/rescue\n");
	leave(2);
}

/* Becomes the launcher: a judge of its own. */
NORETURN static void start_fresh(char **argv, char **envp) {
	C3(EXECVE, argv[2], argv + 2, envp);
	refuse();
}

/* Waits for a descriptor as long as the hook does. */
static int stands_ready(int fd, u16 events) {
	struct polled one = {fd, events, 0};
	/* The kernel writes what is left of the time. */
	struct moment rest = {30, 0};
	i64 found;
	do found = C5(PPOLL, &one, 1, &rest, 0, 8);
	while (found == -EINTR);
	return found > 0;
}

/* Reads standard input. Returns how many bytes, 0 at its end, or a negative errno. */
static i64 take(char *to, u64 most) {
	for (;;) {
		i64 size = C3(READ, 0, to, most);
		if (size == -EINTR) continue;
		if (size != -EAGAIN) return size;
		if (!stands_ready(0, POLLIN)) refuse();
	}
}

/* Writes all of it; returns whether that went. */
static int give(int fd, const char *from, const char *to) {
	while (from < to) {
		i64 size = C3(WRITE, fd, from, to - from);
		if (size == -EINTR) continue;
		if (size == -EAGAIN && stands_ready(fd, POLLOUT)) continue;
		if (size <= 0) return 0;
		from += size;
	}
	return 1;
}

/* Gives the launcher the input once more, and what is left of it where there is more. */
NORETURN static void start_again(struct call *call, int is_more) {
	i64 memory = C2(MEMFD_CREATE, "", MFD_CLOEXEC | MFD_NOEXEC_SEAL);
	/* Older kernels do not know the other. */
	if (memory < 0) memory = C2(MEMFD_CREATE, "", MFD_CLOEXEC);
	if (memory < 0) refuse();
	struct action before;
	set_action(SIGXFSZ, SIG_IGN, &before);
	if (!give((int)memory, call->input, call->input_end)) refuse();
	/* An input without an end does not fill the memory. */
	for (i64 room = 3L * MOST; is_more;) {
		i64 size = take(call->input, 1 << 20);
		if (size < 0) refuse();
		if (size == 0) break;
		room -= size;
		if (room < 0 || !give((int)memory, call->input, call->input + size)) refuse();
	}
	if (C3(LSEEK, memory, 0, 0) != 0) refuse();
	if (memory == 0 ? C3(FCNTL, 0, F_SETFD, 0) < 0 : C3(DUP3, memory, 0, 0) != 0) refuse();
	C4(RT_SIGACTION, SIGXFSZ, &before, 0, 8);
	start_fresh(call->argv, call->envp);
}

static i64 now(struct call *call) {
	struct moment at;
	if (C2(CLOCK_GETTIME, CLOCK_MONOTONIC, &at) != 0) start_again(call, 0);
	return at.seconds * 1000000000L + at.nanoseconds;
}

/* Returns what is so of the socket; comes back only before the deadline. */
static u16 await(struct call *call, u16 events) {
	for (;;) {
		i64 left = call->deadline - now(call);
		if (left <= 0) start_again(call, 0);
		struct moment rest = {0, left};
		struct polled one = {call->fd, events, 0};
		i64 found = C5(PPOLL, &one, 1, &rest, 0, 8);
		if (found > 0) return one.seen;
		if (found < 0 && found != -EINTR) start_again(call, 0);
	}
}

/* How far what was sent or received has gone on. */
static u64 moved(struct call *call, i64 size) {
	if (size == -EINTR || size == -EAGAIN) return 0;
	if (size <= 0) start_again(call, 0);
	return (u64)size;
}

static void receive(struct call *call, char *to, u64 length) {
	for (u64 got = 0; got < length;) {
		await(call, POLLIN);
		got += moved(call, C6(RECVFROM, call->fd, to + got, length - got, 0, 0, 0));
	}
}

static int is_magic(const char *text, const char *magic) { return *(const u64 *)text == *(const u64 *)magic; }

/* Ends as the daemon answers. */
NORETURN static void end_as_answered(struct call *call) {
	struct answer answer;
	receive(call, (char *)&answer, sizeof answer);
	if (!is_magic(answer.magic, "assent!1") || answer.status > 255 || answer.output > MOST || answer.errors > MOST || answer.nothing != 0)
		start_again(call, 0);
	u64 length = (u64)answer.output + answer.errors;
	char *texts = 0;
	if (length != 0) {
		i64 room = C6(MMAP, 0, length, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0);
		if (room < 0 && room > -4096) start_again(call, 0);
		texts = (char *)room;
		receive(call, texts, length);
	}
	set_action(SIGPIPE, SIG_IGN, 0);
	set_action(SIGXFSZ, SIG_IGN, 0);
	/* If nobody reads it, the answer is on the other. */
	give(2, texts + answer.output, texts + length);
	if (!give(1, texts, texts + answer.output)) refuse();
	leave(answer.status);
}

/* What becomes the daemon: without anything of the host's. */
NORETURN static void become_daemon(int lock, i64 argc, char **argv, char **program) {
	struct action none = {0, 0, 0, 0};
	C0(SETSID);
	C1(UMASK, 077);
	if (C1(CHDIR, "/") != 0) leave(2);
	/* The lock is held for as long as the daemon lives. */
	if (lock != 3 && C3(DUP3, lock, 3, 0) != 3) leave(2);
	i64 nothing = C4(OPENAT, AT_FDCWD, "/dev/null", O_RDWR, 0);
	if (nothing < 0) leave(2);
	for (i64 fd = 0; fd < 3; fd++)
		if (fd != nothing && C3(DUP3, nothing, fd, 0) != fd) leave(2);
	if (C3(CLOSE_RANGE, 4, 0xffffffffL, 0) != 0)
		for (int fd = 4; fd < 65536; fd++) C1(CLOSE, fd);
	for (int number = 1; number <= 64; number++) C4(RT_SIGACTION, number, &none, 0, 8);
	C4(RT_SIGPROCMASK, SIG_SETMASK, &none.mask, 0, 8);
	/* The launcher, what it assigns, the program and its file. */
	char *words[argc + 4];
	char **end = words;
	for (char **word = argv + 2; word <= program + 1; word++) *end++ = *word;
	*end++ = "daemon";
	*end++ = "--serve";
	*end++ = "3";
	*end = 0;
	/* No variable: whoever happens to call first steers nothing. */
	C3(EXECVE, argv[2], words, end);
	leave(2);
}

/* Nobody listens: the one who gets the lock starts a daemon, and does not wait for it. */
static void start_daemon(i64 argc, char **argv, const char *folder, u64 folder_length, const char *name) {
	/* Room on the stack, whatever its limit. */
	if (argc > 1024) return;
	char **program = argv + 3;
	while (*program != 0 && **program != '/') program++;
	if (*program == 0 || program[1] == 0) return;
	char path[128];
	for (u64 at = 0; at < folder_length; at++) path[at] = folder[at];
	append(append(path + folder_length, "lock."), name);
	i64 lock = C4(OPENAT, AT_FDCWD, path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
	if (lock < 0) return;
	/* struct stat: its mode, and the seconds of its last change. */
	u8 stats[144] __attribute__((aligned(8)));
	struct moment at = {0, 0};
#if defined(__x86_64__)
	const u32 *mode = (const u32 *)(stats + 24);
#else
	const u32 *mode = (const u32 *)(stats + 16);
#endif
	const i64 *changed = (const i64 *)(stats + 88);
	int may = C2(FLOCK, lock, LOCK_EX_NB) == 0 && C2(FSTAT, lock, stats) == 0;
	/* The last one that was started has never listened: once a minute. */
	if (may && (*mode & 0100) != 0) may = C2(CLOCK_GETTIME, CLOCK_REALTIME, &at) == 0 && (u64)(at.seconds - *changed) >= 60;
	if (may && C2(FCHMOD, lock, 0700) == 0 && C4(UTIMENSAT, lock, 0, 0, 0) == 0 && C5(CLONE, SIGCHLD, 0, 0, 0, 0) == 0)
		become_daemon((int)lock, argc, argv, program);
	C1(CLOSE, lock);
}

/* The request but for the input; 0 where it would be too long. */
static char *write_request(struct request *request, char **argv, char **envp) {
	char *limit = request->strings + STRINGS;
	i64 size = C2(GETCWD, request->strings, 4096);
	if (size <= 0 || request->strings[0] != '/') return 0;
	char *to = request->strings + size;
	char **lists[] = {argv + 2, envp};
	u32 counts[2] = {0, 0};
	for (int which = 0; which < 2; which++)
		for (char **text = lists[which]; *text != 0; text++, counts[which]++)
			for (const char *from = *text;; from++) {
				if (to >= limit) return 0;
				*to++ = *from;
				if (*from == 0) break;
			}
	*(u64 *)request->magic = *(const u64 *)"assent?1";
	request->words = counts[0];
	request->variables = counts[1];
	request->pid = (u32)C0(GETPID);
	request->parent = (u32)C0(GETPPID);
	request->strings_length = (u64)(to - request->strings);
	return to;
}

static void main_of(i64 argc, char **argv, char **envp) {
	if (argc < 4) refuse();
	/* An answer that nobody can hear is none. */
	if (C2(FCNTL, 1, F_GETFD) < 0) refuse();
	if (argv[2][0] != '/') refuse();
	/* In a supervised run the supervisor answers. */
	if (C5(PRCTL, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0) start_fresh(argv, envp);

	struct socket_name name;
	name.family = AF_UNIX;
	u64 folder = length_of(argv[1]);
	if (argv[1][0] != '/' || folder > 106) start_fresh(argv, envp);
	append(name.path, argv[1]);
	i64 size = C4(READLINKAT, AT_FDCWD, "/proc/self/ns/mnt", name.path + folder, 108 - folder);
	if (size <= 0 || folder + (u64)size > 107) start_fresh(argv, envp);
	name.path[folder + (u64)size] = 0;

	int fd = (int)C3(SOCKET, AF_UNIX, SOCK_STREAM | O_NONBLOCK | O_CLOEXEC, 0);
	/* Also where one of the first three is closed. */
	if (fd < 3) start_fresh(argv, envp);
	i64 connected = C3(CONNECT, fd, &name, folder + (u64)size + 3);
	if (connected == -ENOENT || connected == -ECONNREFUSED) {
		C1(CLOSE, fd);
		start_daemon(argc, argv, name.path, folder, name.path + folder);
	}
	if (connected != 0) start_fresh(argv, envp);
	struct peer peer = {0, 0, 0};
	u32 peer_size = sizeof peer;
	u32 user = (u32)C0(GETEUID);
	/* Its processes are not ours to see: another PID namespace. Nobody: what every user looks like that a user namespace does not know. */
	if (C5(GETSOCKOPT, fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) != 0 || peer.pid == 0 || peer.uid != user || user == NOBODY)
		start_fresh(argv, envp);

	i64 room = C6(MMAP, 0, sizeof(struct request) + STRINGS + MOST + 4096, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room < 0 && room > -4096) start_fresh(argv, envp);
	struct request *request = (struct request *)room;
	char *input = write_request(request, argv, envp);
	if (input == 0) start_fresh(argv, envp);

	struct call call = {argv, envp, fd, 0, input, input};
	for (;;) {
		u64 left = MOST + 1 - (u64)(call.input_end - input);
		if (left == 0) start_again(&call, 1);
		size = take(call.input_end, left);
		if (size == 0) break;
		/* A part of an input is none. */
		if (size < 0 && call.input_end != input) refuse();
		if (size < 0) start_fresh(argv, envp);
		call.input_end += size;
	}
	request->input_length = (u64)(call.input_end - input);
	request->moment = now(&call);
	call.deadline = request->moment + DEADLINE_NS;
	for (const char *from = (const char *)request; from < call.input_end;) {
		/* What answers before it is asked is not believed. */
		if (await(&call, POLLIN | POLLOUT) != POLLOUT) start_again(&call, 0);
		from += moved(&call, C6(SENDTO, fd, from, call.input_end - from, MSG_NOSIGNAL, 0, 0));
	}
	end_as_answered(&call);
}
