/*
 * What the programs of this folder share: system calls of Linux on x86-64 and arm64, and a few functions of text. They are no programs of
 * a C library: nothing is linked to them, so no loader reads the environment before they do. `main_of(argc, argv, envp)` begins.
 */
#pragma once
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;

#define NORETURN __attribute__((noreturn))

#ifndef ROUTINE
NORETURN static void main_of(i64 argc, char **argv, char **envp);
__attribute__((noreturn, used)) static void begin(i64 *stack) { main_of(stack[0], (char **)(stack + 1), (char **)(stack + stack[0] + 2)); }
#if defined(__x86_64__)
__asm__(".section .text.start,\"ax\"\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall begin\n\thlt\n\t.text\n");
#elif defined(__aarch64__)
__asm__(".section .text.start,\"ax\"\n\tmov x0, sp\n\tbl begin\n\tbrk #0\n\t.text\n");
#endif
#endif

#if defined(__x86_64__)
static inline i64 call6(i64 nr, i64 a, i64 b, i64 c, i64 d, i64 e, i64 f) {
	register i64 r10 __asm__("r10") = d;
	register i64 r8 __asm__("r8") = e;
	register i64 r9 __asm__("r9") = f;
	i64 result;
	__asm__ volatile("syscall" : "=a"(result) : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
	return result;
}
enum {
	READ = 0, WRITE = 1, OPENAT = 257, CLOSE = 3, LSEEK = 8, FSTAT = 5, READLINKAT = 267, FACCESSAT = 269, FCHMOD = 91, FLOCK = 73,
	UTIMENSAT = 280, GETCWD = 79, CHDIR = 80, FCNTL = 72, DUP3 = 292, PIPE2 = 293, MEMFD_CREATE = 319, CLOSE_RANGE = 436, IOCTL = 16,
	SOCKET = 41, CONNECT = 42, SENDMSG = 46, SENDTO = 44, RECVFROM = 45, GETSOCKOPT = 55, PPOLL = 271, SIGNALFD4 = 289,
	MMAP = 9, MUNMAP = 11, EXECVE = 59, EXIT = 60, EXIT_GROUP = 231, CLONE = 56, WAIT4 = 61, KILL = 62, SETSID = 112, UMASK = 95,
	RT_SIGPROCMASK = 14, RT_SIGACTION = 13, CLOCK_GETTIME = 228, GETPID = 39, GETPPID = 110, GETUID = 102, GETEUID = 107, PRCTL = 157,
	KEYCTL = 250, PERSONALITY = 135, IOPRIO_GET = 252, GET_MEMPOLICY = 239,
};
enum { O_DIRECTORY = 0200000, O_NOFOLLOW = 0400000 };
#elif defined(__aarch64__)
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
	READ = 63, WRITE = 64, OPENAT = 56, CLOSE = 57, LSEEK = 62, FSTAT = 80, READLINKAT = 78, FACCESSAT = 48, FCHMOD = 52, FLOCK = 32,
	UTIMENSAT = 88, GETCWD = 17, CHDIR = 49, FCNTL = 25, DUP3 = 24, PIPE2 = 59, MEMFD_CREATE = 279, CLOSE_RANGE = 436, IOCTL = 29,
	SOCKET = 198, CONNECT = 203, SENDMSG = 211, SENDTO = 206, RECVFROM = 207, GETSOCKOPT = 209, PPOLL = 73, SIGNALFD4 = 74,
	MMAP = 222, MUNMAP = 215, EXECVE = 221, EXIT = 93, EXIT_GROUP = 94, CLONE = 220, WAIT4 = 260, KILL = 129, SETSID = 157, UMASK = 166,
	RT_SIGPROCMASK = 135, RT_SIGACTION = 134, CLOCK_GETTIME = 113, GETPID = 172, GETPPID = 173, GETUID = 174, GETEUID = 175, PRCTL = 167,
	KEYCTL = 219, PERSONALITY = 92, IOPRIO_GET = 31, GET_MEMPOLICY = 236,
};
enum { O_DIRECTORY = 040000, O_NOFOLLOW = 0100000 };
#endif

#define C0(nr) call6(nr, 0, 0, 0, 0, 0, 0)
#define C1(nr, a) call6(nr, (i64)(a), 0, 0, 0, 0, 0)
#define C2(nr, a, b) call6(nr, (i64)(a), (i64)(b), 0, 0, 0, 0)
#define C3(nr, a, b, c) call6(nr, (i64)(a), (i64)(b), (i64)(c), 0, 0, 0)
#define C4(nr, a, b, c, d) call6(nr, (i64)(a), (i64)(b), (i64)(c), (i64)(d), 0, 0)
#define C5(nr, a, b, c, d, e) call6(nr, (i64)(a), (i64)(b), (i64)(c), (i64)(d), (i64)(e), 0)
#define C6(nr, a, b, c, d, e, f) call6(nr, (i64)(a), (i64)(b), (i64)(c), (i64)(d), (i64)(e), (i64)(f))

enum {
	EINTR = 4, EAGAIN = 11, ENOENT = 2, ECONNREFUSED = 111, AT_FDCWD = -100, O_RDWR = 2, O_CREAT = 0100, O_NONBLOCK = 04000,
	O_CLOEXEC = 02000000, O_PATH = 010000000, F_GETFD = 1, F_SETFD = 2, F_DUPFD_CLOEXEC = 1030, POLLIN = 1, POLLOUT = 4, AF_UNIX = 1, SOCK_STREAM = 1,
	SOL_SOCKET = 1, SO_PEERCRED = 17, MSG_NOSIGNAL = 0x4000, SIGKILL = 9, SIGPIPE = 13, SIGCHLD = 17, SIGXFSZ = 25, SIG_BLOCK = 0,
	SIG_SETMASK = 2, CLOCK_REALTIME = 0, CLOCK_MONOTONIC = 1, PR_SET_PDEATHSIG = 1, PR_GET_NO_NEW_PRIVS = 39, PROT_READ_WRITE = 3,
	MAP_PRIVATE_ANONYMOUS = 0x22, MAP_NORESERVE = 0x4000, CLONE_VM = 0x100, CLONE_VFORK = 0x4000, WNOHANG = 1,
};

struct moment { i64 seconds, nanoseconds; };
struct polled { int fd; u16 events, seen; };
struct peer { u32 pid, uid, gid; };
struct action { void *handler; u64 flags; void *restorer; u64 mask; };
struct socket_name { u16 family; char path[110]; };

#define BIT(signal) (1UL << ((signal) - 1))
#define SIG_IGN ((void *)1)

/* The table that is put behind a program: where its last byte ends (image.ld). */
extern const u8 table[];

static inline u64 length_of(const char *text) {
	u64 n = 0;
	while (text[n] != 0) n++;
	return n;
}

/* Returns where the NUL stands. */
static inline char *append(char *to, const char *text) {
	for (;; text++, to++) {
		*to = *text;
		if (*text == 0) return to;
	}
}

/* SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM: what is passed on to a run (as run-front.ts). */
#define PASSED (BIT(1) | BIT(2) | BIT(3) | BIT(10) | BIT(12) | BIT(14) | BIT(15))
/* SIGHUP, SIGINT, SIGKILL, SIGUSR2, SIGALRM, SIGTERM: they end a process and leave no core file (as run-front.ts). */
#define ENDING (BIT(1) | BIT(2) | BIT(9) | BIT(12) | BIT(14) | BIT(15))

NORETURN static inline void leave(i64 status) {
	for (;;) C1(EXIT_GROUP, status);
}

#define SAY(text) C3(WRITE, 2, text, sizeof(text) - 1)

static inline void set_action(int number, void *handler, struct action *before) {
	struct action now = {handler, 0, 0, 0};
	C4(RT_SIGACTION, number, &now, before, 8);
}

/* Ends by a signal, as far as that is possible. */
NORETURN static inline void end_by(i64 number) {
	if (number >= 1 && number <= 64 && (ENDING & BIT(number)) != 0) {
		u64 mask = 0;
		set_action((int)number, 0, 0);
		C4(RT_SIGPROCMASK, SIG_SETMASK, &mask, 0, 8);
		C2(KILL, C0(GETPID), number);
	}
	leave(128 + number);
}

/* Starts `run(with)` in a process on a stack of its own (`top`: its end, a multiple of 16): its pid, or a negative errno. `run` does not return. */
static inline i64 clone_child(i64 flags, void (*run)(void *), void *with, void *top) {
#if defined(__x86_64__)
	register i64 r10 __asm__("r10") = 0;
	register i64 r8 __asm__("r8") = 0;
	i64 result;
	__asm__ volatile("syscall\n\ttest %%rax, %%rax\n\tjnz 1f\n\txor %%ebp, %%ebp\n\tmov %[with], %%rdi\n\tcall *%[run]\n\thlt\n1:"
	                 : "=a"(result)
	                 : "a"(CLONE), "D"(flags), "S"(top), "d"(0), "r"(r10), "r"(r8), [run] "b"(run), [with] "r"(with)
	                 : "rcx", "r11", "memory");
	return result;
#else
	register i64 x8 __asm__("x8") = CLONE;
	register i64 x0 __asm__("x0") = flags;
	register void *x1 __asm__("x1") = top;
	register i64 x2 __asm__("x2") = 0;
	register i64 x3 __asm__("x3") = 0;
	register i64 x4 __asm__("x4") = 0;
	__asm__ volatile("svc #0\n\tcbnz x0, 1f\n\tmov x29, xzr\n\tmov x0, %[with]\n\tblr %[run]\n\tbrk #0\n1:"
	                 : "+r"(x0)
	                 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), [run] "r"(run), [with] "r"(with)
	                 : "memory", "x30");
	return x0;
#endif
}

/* The child shares all memory; this goes on when it has become a program or has ended. */
static inline i64 start_child(void (*run)(void *), void *with, void *top) {
	return clone_child(CLONE_VM | CLONE_VFORK | SIGCHLD, run, with, top);
}

/* The status of a child that has ended (wait(2)); negative: there is none. */
static inline i64 wait_for_child(i64 pid) {
	for (;;) {
		int status = 0;
		i64 found = C4(WAIT4, pid, &status, 0, 0);
		if (found >= 0) return status;
		if (found != -EINTR) return found;
	}
}

/* What a child is: this program, with these words and variables. It dies with whoever started it. */
struct started { const char *program; char **words, **variables; };

/* A letter of any case, or `_`: what a shell's variable begins with. */
static inline int begins_name(char c) { return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

static inline u64 count_of(char **list) {
	u64 n = 0;
	while (list[n] != 0) n++;
	return n;
}

/* Appends the texts of the table that begin at *from, up to the empty one, and goes past that. */
static inline char **add_listed(char **to, const u8 **from) {
	const char *at = (const char *)*from;
	while (*at != 0) {
		*to++ = (char *)at;
		at += length_of(at) + 1;
	}
	*from = (const u8 *)at + 1;
	return to;
}

/* The caller's variables as mere data: another first byte, which no loader, no library and not Node knows. */
static inline char **add_renamed(char **to, char **envp) {
	for (; *envp != 0; envp++)
		if (begins_name(**envp)) {
			**envp ^= 0x40;
			*to++ = *envp;
		}
	return to;
}
