/*
 * assent-try: carries out a plan that Assent wrote (packages/supervisor/src/supervise/try/plan.ts): namespaces, a view of the files in
 * which nothing can be changed but on layers of its own, Landlock, the system call filter, and then the program. No libc.
 *
 *   descriptor 3: the plan, NUL-ended fields; descriptor 4: where it reports.
 *
 * Or `assent-try PLAN TRIED NODE WORD...`: a plan that was kept (try/kept-plan.ts), the folder of tried runs, and how Assent is started.
 * Where everything that the plan rests on is as it was, the command is run by it, and Assent starts only if there is something to judge;
 * else Assent starts in the place of this, and plans anew.
 *
 * Three processes: this one waits and passes signals on; `init` is process 1 of the namespace, and with it everything ends; the program.
 * INVARIANT: a step that fails ends it all before the program starts.
 */
typedef unsigned long u64;
typedef unsigned int u32;
typedef unsigned short u16;

#if defined(__x86_64__)
enum { READ = 0, WRITE = 1, CLOSE = 3, IOCTL = 16, SOCKET = 41, RECVMSG = 47, SOCKETPAIR = 53, SETSOCKOPT = 54, CLONE = 56, EXECVE = 59,
       WAIT4 = 61, KILL = 62, FCHDIR = 81, CAPSET = 126, SIGPROCMASK = 14, PRCTL = 157, MOUNT = 165, EXIT_GROUP = 231, OPENAT = 257,
       MKDIRAT = 258, SYMLINKAT = 266, PPOLL = 271, SIGNALFD4 = 289, DUP3 = 292, SECCOMP = 317, STATX = 332, SIGACTION = 13, GETPID = 39,
       FLOCK = 73, GETCWD = 79, GETEUID = 107, SETXATTR = 188, GETDENTS = 217, CLOCK_GETTIME = 228, FCHOWNAT = 260, UNLINKAT = 263,
       READLINKAT = 267, FCHMODAT = 268, UTIMENSAT = 280, PIPE2 = 293, GETRANDOM = 318 };
enum { O_DIRECTORY = 0200000, O_NOFOLLOW = 0400000 };
static long call(long n, long a, long b, long c, long d, long e) {
  long r;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8) : "rcx", "r11", "memory");
  return r;
}
__asm__(".globl _start\n_start:\n\txor %ebp,%ebp\n\tmov %rsp,%rdi\n\tand $-16,%rsp\n\tcall begin\n");
#elif defined(__aarch64__)
enum { READ = 63, WRITE = 64, CLOSE = 57, IOCTL = 29, SOCKET = 198, RECVMSG = 212, SOCKETPAIR = 199, SETSOCKOPT = 208, CLONE = 220, EXECVE = 221,
       WAIT4 = 260, KILL = 129, FCHDIR = 50, CAPSET = 91, SIGPROCMASK = 135, PRCTL = 167, MOUNT = 40, EXIT_GROUP = 94, OPENAT = 56,
       MKDIRAT = 34, SYMLINKAT = 36, PPOLL = 73, SIGNALFD4 = 74, DUP3 = 24, SECCOMP = 277, STATX = 291, SIGACTION = 134, GETPID = 172,
       FLOCK = 32, GETCWD = 17, GETEUID = 175, SETXATTR = 5, GETDENTS = 61, CLOCK_GETTIME = 113, FCHOWNAT = 54, UNLINKAT = 35,
       READLINKAT = 78, FCHMODAT = 53, UTIMENSAT = 88, PIPE2 = 59, GETRANDOM = 278 };
enum { O_DIRECTORY = 040000, O_NOFOLLOW = 0100000 };
static long call(long n, long a, long b, long c, long d, long e) {
  register long x8 __asm__("x8") = n;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
  return x0;
}
__asm__(".globl _start\n_start:\n\tmov x29,#0\n\tmov x30,#0\n\tmov x0,sp\n\tbl begin\n");
#else
#error "x86-64 and arm64"
#endif
/* The same on both. */
enum { PIDFD_OPEN = 434, CLOSE_RANGE = 436, OPENAT2 = 437, PIDFD_GETFD = 438, MOUNT_SETATTR = 442, LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445,
       LANDLOCK_RESTRICT = 446 };
enum { AT_FDCWD = -100, AT_SYMLINK_NOFOLLOW = 0x100, O_RDWR = 2, O_NONBLOCK = 04000, O_PATH = 010000000, O_CLOEXEC = 02000000, O_WRONLY = 1, O_CREAT = 0100, O_EXCL = 0200 };
enum { ENOENT = 2, EINTR = 4, ENOTDIR = 20, EINVAL = 22 };
enum { SIGKILL = 9, SIGCHLD = 17 };
enum { MS_RDONLY = 1, MS_NOSUID = 2, MS_NODEV = 4, MS_NOEXEC = 8, MS_BIND = 4096, MS_REC = 16384, MS_PRIVATE = 1 << 18 };
enum { CLONE_NEWUSER = 0x10000000, CLONE_NEWPID = 0x20000000, CLONE_NEWNS = 0x00020000 };

enum { PLAN = 3, REPORT = 4, PINS = 100, MOST_PINS = 200, SIZE = 8 << 20, MOST_WORDS = 65536 };

static char plan[SIZE];
static char *words[MOST_WORDS];
struct filter { u32 length; u64 lines[4096]; };
/* Of the whole run; and, on top of it for the program and what that starts, of the calls that Assent is asked about. */
static struct filter filter, listened;
static long ruleset;
static int pins, record;

static u64 length(const char *s) {
  u64 n = 0;
  while (s[n]) n++;
  return n;
}
static int same(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}
/* A decimal number, and nothing else. */
static u64 number(const char *s) {
  u64 n = 0;
  for (; *s >= '0' && *s <= '9'; s++) n = n * 10 + (u64)(*s - '0');
  return *s ? ~0UL : n;
}
static char *decimal(char *end, u64 n) {
  *--end = 0;
  do *--end = (char)('0' + n % 10);
  while (n /= 10);
  return end;
}

static void report(char kind, u64 a, u64 b) {
  char line[64], digits[24], *at = line;
  *at++ = kind;
  for (int i = 0; i < 2; i++) {
    *at++ = ' ';
    for (char *d = decimal(digits + 24, i ? b : a); *d;) *at++ = *d++;
  }
  *at++ = '\n';
  call(WRITE, REPORT, (long)line, at - line, 0, 0);
}
static void __attribute__((noreturn)) quit(int status) {
  for (;;) call(EXIT_GROUP, status, 0, 0, 0, 0);
}
/* Of a kept plan, in the first process, until the program may begin. */
static int can_plan_anew;
static void __attribute__((noreturn)) plan_anew(void);
/* Record and errno say to Assent what could not be had. */
static long need(long result) {
  if (result >= 0) return result;
  if (can_plan_anew) plan_anew();
  report('E', (u64)record, (u64)-result);
  quit(125);
}

/* No link on the way: the paths of a plan are what the kernel calls them. */
static long open_plain(const char *path, int flags) {
  struct { u64 flags, mode, resolve; } how = { (u64)(flags | O_PATH | O_CLOEXEC), 0, 4 };
  return call(OPENAT2, AT_FDCWD, (long)path, (long)&how, sizeof how, 0);
}
static char fd_text[40];
static const char *fd_path(long fd) {
  char digits[24];
  char *at = fd_text;
  for (const char *p = "/proc/self/fd/"; *p;) *at++ = *p++;
  for (char *d = decimal(digits + 24, (u64)fd); *d;) *at++ = *d++;
  *at = 0;
  return fd_text;
}
static long mount_on(long target, const char *source, const char *type, u64 flags, const char *options) {
  return call(MOUNT, (long)source, (long)fd_path(target), (long)type, (long)flags, (long)options);
}
static long set_mount(const char *path, u64 set, u64 clear, int recursive) {
  struct { u64 set, clear, propagation, userns; } attr = { set, clear, 0, 0 };
  return call(MOUNT_SETATTR, AT_FDCWD, (long)path, recursive ? 0x8000 : 0, (long)&attr, sizeof attr);
}
static void write_file(const char *path, const char *text) {
  long fd = need(call(OPENAT, AT_FDCWD, (long)path, O_WRONLY | O_CLOEXEC, 0, 0));
  need(call(WRITE, fd, (long)text, (long)length(text), 0, 0));
  call(CLOSE, fd, 0, 0, 0, 0);
}
/* "N N 1": one's own number is the only one there is. */
static void write_map(const char *path, const char *id) {
  char line[64], *at = line;
  for (int i = 0; i < 2; i++) {
    for (const char *p = id; *p && at < line + 48;) *at++ = *p++;
    *at++ = ' ';
  }
  *at++ = '1';
  *at = 0;
  write_file(path, line);
}

/* Holds a place, which must be what Assent looked at: device and inode. */
static void pin(const char *path, const char *major, const char *minor, const char *inode) {
  u32 stat[64];
  if (pins >= MOST_PINS) need(-EINVAL);
  long fd = need(open_plain(path, 0));
  if (*inode) {
    need(call(STATX, fd, (long)"", 0x1000, 0x7ff, (long)stat));
    if (stat[34] != number(major) || stat[35] != number(minor) || *(u64 *)(stat + 8) != number(inode)) need(-116);
  }
  need(call(DUP3, fd, PINS + pins++, O_CLOEXEC, 0, 0));
  call(CLOSE, fd, 0, 0, 0, 0);
}

static const char *blank_file, *blank_folder;
/* Made once, hidden by all covers: a file and a folder that nobody may look into, on a file system that cannot be changed. */
static void make_blanks(const char *at, const char *file, const char *folder) {
  long fd = need(open_plain(at, O_DIRECTORY));
  need(mount_on(fd, "blank", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=700,size=64k"));
  call(CLOSE, fd, 0, 0, 0, 0);
  fd = need(call(OPENAT, AT_FDCWD, (long)file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0, 0));
  call(CLOSE, fd, 0, 0, 0, 0);
  need(call(MKDIRAT, AT_FDCWD, (long)folder, 0, 0, 0));
  need(set_mount(at, MS_RDONLY, 0, 0));
  blank_file = file;
  blank_folder = folder;
}
/* What is not there needs no cover; whatever else is wrong ends it. */
static void cover(const char *path, const char *blank, int flags) {
  if (!blank) need(-EINVAL);
  long fd = open_plain(path, flags);
  if (fd == -ENOENT) return;
  need(fd);
  need(mount_on(fd, blank, 0, MS_BIND, 0));
  call(CLOSE, fd, 0, 0, 0, 0);
}

static void bind_pin(const char *index, const char *target, const char *folder) {
  u64 at = number(index);
  if (at >= (u64)pins) need(-EINVAL);
  if (*folder == '1') need(call(MKDIRAT, AT_FDCWD, (long)target, 0755, 0, 0));
  else call(CLOSE, need(call(OPENAT, AT_FDCWD, (long)target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600, 0)), 0, 0, 0, 0);
  long fd = need(open_plain(target, 0));
  char source[40];
  const char *text = fd_path(PINS + (long)at);
  for (u64 i = 0; i <= length(text); i++) source[i] = text[i];
  need(mount_on(fd, source, 0, MS_BIND, 0));
  call(CLOSE, fd, 0, 0, 0, 0);
}

static void start_landlock(const char *fs, const char *scopes) {
  struct { u64 fs, net, scoped; } attr = { number(fs), 0, number(scopes) };
  ruleset = need(call(LANDLOCK_CREATE, (long)&attr, attr.scoped ? 24 : 8, 0, 0, 0));
}
static void allow_below(const char *path, const char *rights) {
  struct { u64 rights; int fd; } __attribute__((packed)) attr = { number(rights), 0 };
  long fd = open_plain(path, 0);
  if (fd == -ENOENT) return;
  attr.fd = (int)need(fd);
  need(call(LANDLOCK_ADD, ruleset, 1, (long)&attr, 0, 0));
  call(CLOSE, fd, 0, 0, 0, 0);
}

static void read_filter(struct filter *into, const char *hex) {
  unsigned char *to = (unsigned char *)into->lines;
  u64 n = 0;
  for (; hex[0] && hex[1] && n < sizeof into->lines; hex += 2, n++) {
    int v = 0;
    for (int i = 0; i < 2; i++) v = v * 16 + (hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10);
    to[n] = (unsigned char)v;
  }
  if (hex[0] || n == 0 || n % 8) need(-EINVAL);
  into->length = (u32)(n / 8);
}
static long use_filter(struct filter *of, long flags) {
  struct { u16 length; u16 pad[3]; u64 *filter; } program = { (u16)of->length, { 0 }, of->lines };
  return call(SECCOMP, 1, flags, (long)&program, 0, 0);
}
/*
 * The first process takes the descriptor out of this one (take_listener), and Assent reads what it starts: so it may be looked at.
 * SECCOMP_FILTER_FLAG_NEW_LISTENER, WAIT_KILLABLE_RECV (5.19).
 */
static void hand_over_listener(void) {
  need(call(PRCTL, 4, 1, 0, 0, 0));
  long listener = use_filter(&listened, 0x28);
  if (listener == -EINVAL) listener = use_filter(&listened, 8);
  int number = (int)need(listener);
  need(call(WRITE, PLAN, (long)&number, sizeof number, 0, 0));
  char taken;
  long got;
  do got = call(READ, PLAN, (long)&taken, 1, 0, 0);
  while (got == -EINTR);
  if (got != 1) quit(125);
}
/* From the program, whose number here the kernel says (SO_PASSCRED); -1: it has not come so far. */
static long take_listener(long from) {
  int number;
  struct { u64 header[2]; int pid; u32 ids[2]; } sender;
  struct { void *data; u64 size; } part = { &number, sizeof number };
  struct { void *name; u64 name_size; void *parts; u64 count; void *control; u64 control_size, flags; } message =
      { 0, 0, &part, 1, &sender, sizeof sender, 0 };
  long got;
  do got = call(RECVMSG, from, (long)&message, 0, 0, 0);
  while (got == -EINTR);
  if (got != sizeof number) return -1;
  record = MOST_WORDS;
  long program = need(call(PIDFD_OPEN, sender.pid, 0, 0, 0, 0));
  long listener = need(call(PIDFD_GETFD, program, number, 0, 0, 0));
  call(CLOSE, program, 0, 0, 0, 0);
  can_plan_anew = 0;
  need(call(WRITE, from, (long)"", 1, 0, 0));
  return listener;
}

static void raise_loopback(void) {
  struct { char name[16]; short flags; char rest[22]; } request = { "lo", 1, { 0 } };
  long fd = need(call(SOCKET, 2, 2, 0, 0, 0));
  need(call(IOCTL, fd, 0x8914, (long)&request, 0, 0));
  call(CLOSE, fd, 0, 0, 0, 0);
}

static void drop_rights(void) {
  struct { u32 version, pid; } header = { 0x20080522, 0 };
  u32 none[6] = { 0, 0, 0, 0, 0, 0 };
  for (long capability = 0; capability < 64; capability++) call(PRCTL, 24, capability, 0, 0, 0);
  call(PRCTL, 28, 0xef, 0, 0, 0);
  call(PRCTL, 47, 4, 0, 0, 0);
  need(call(CAPSET, (long)&header, (long)none, 0, 0, 0));
  need(call(PRCTL, 38, 1, 0, 0, 0));
}

static u64 all_signals, signals_before;
static int is_kept, judge;
static void judge_calls(long listener);
/*
 * Until `child` has ended; its status. Who sent a signal decides whether it is passed on: what the terminal sends has reached the program
 * already, and what the program sends to init is nothing (a process outside of init's namespace has no number in it). Assent is told of the
 * first call that `listener`, if there is one, has for it.
 */
static int await(long child, int is_init, long listener) {
  struct { int fd; short events, got; } at[2] = { { 0, 1, 0 }, { (int)listener, 1, 0 } };
  at[0].fd = (int)call(SIGNALFD4, -1, (long)&all_signals, 8, O_CLOEXEC, 0);
  /* The program may have begun, so this is no step that failed before it. */
  if (at[0].fd < 0) quit(125);
  for (;;) {
    int status, signal[32];
    for (;;) {
      long ended = call(WAIT4, -1, (long)&status, 1, 0, 0);
      if (ended == child) return status;
      if (judge > 0 && ended == judge) quit(125);
      if (ended <= 0) {
        if (ended < 0 && ended != -EINTR) quit(125);
        break;
      }
    }
    if (call(PPOLL, (long)at, 2, 0, 0, 8) <= 0) continue;
    if (at[1].got) {
      if (at[1].got & 1 && is_kept) judge_calls(listener);
      else if (at[1].got & 1) report('L', (u64)listener, 0);
      at[1].fd = -1;
    }
    if (!at[0].got || call(READ, at[0].fd, (long)signal, sizeof signal, 0, 0) != sizeof signal) continue;
    int sent = signal[2] <= 0 && (!is_init || signal[3] == 0);
    if (signal[0] != SIGCHLD && sent) call(KILL, child, signal[0], 0, 0, 0);
    /* SIGTSTP, SIGTTIN, SIGTTOU of the terminal, where the shell waits for this process itself. */
    else if (is_kept && !is_init && signal[0] >= 20 && signal[0] <= 22) call(KILL, call(GETPID, 0, 0, 0, 0, 0), 19, 0, 0, 0);
  }
}

static void __attribute__((noreturn)) start(const char *path, char **argv, char **envp) {
  drop_rights();
  if (ruleset < 0 || !filter.length || !listened.length) need(-EINVAL);
  need(call(LANDLOCK_RESTRICT, ruleset, 0, 0, 0, 0));
  /* Nobody of the run reads or writes what init has open, nor its memory; exec takes this back for the program. */
  need(call(PRCTL, 4, 0, 0, 0, 0));
  need(call(PRCTL, 1, SIGKILL, 0, 0, 0));
  struct { int fd; short events, got; } parent = { PLAN, 1, 0 };
  u64 at_once[2] = { 0, 0 };
  if (need(call(PPOLL, (long)&parent, 1, (long)at_once, 0, 8)) > 0) quit(125);
  need(use_filter(&filter, 0));
  long child = need(call(CLONE, SIGCHLD, 0, 0, 0, 0));
  if (child == 0) {
    call(SIGPROCMASK, 2, (long)&signals_before, 0, 8, 0);
    hand_over_listener();
    need(call(CLOSE_RANGE, 3, ~0U, 4, 0, 0));
    report('X', (u64)-call(EXECVE, (long)path, (long)argv, (long)envp, 0, 0), 0);
    quit(127);
  }
  report('S', (u64)await(child, 1, -1), 0);
  quit(0);
}

/* How many fields follow a letter; -1: there is no such letter. */
static int fields(char letter) {
  switch (letter) {
    case 'r': case 'P': case 'i': return 0;
    case 'n': case 'w': case 'd': case 'f': case 'h': case 'c': case 'F': case 'G': return 1;
    case 'm': case 't': case 'l': case 'L': case 'a': case 'o': return 2;
    case 'B': case 'b': return 3;
    case 'p': return 4;
    default: return -1;
  }
}

static void __attribute__((noreturn)) carry_out(int at, int count) {
  for (; at < count; record++) {
    char letter = words[at][0], **f = words + at + 1;
    long fd;
    if (letter == 'x') {
      u64 argc = number(f[1]);
      char **argv = f + 2, **envp = argv + argc + 1;
      argv[argc] = 0;
      words[count] = 0;
      start(f[0], argv, envp);
    }
    switch (letter) {
      case 'm':
        write_file("/proc/self/setgroups", "deny");
        write_map("/proc/self/uid_map", f[0]);
        write_map("/proc/self/gid_map", f[1]);
        break;
      case 'p': pin(f[0], f[1], f[2], f[3]); break;
      case 'r': need(set_mount("/", MS_RDONLY | MS_NOSUID, 0, 1)); break;
      case 'w':
        fd = need(open_plain(f[0], O_DIRECTORY));
        need(mount_on(fd, f[0], 0, MS_BIND, 0));
        need(set_mount(f[0], MS_NOSUID | MS_NODEV, MS_RDONLY, 0));
        call(CLOSE, fd, 0, 0, 0, 0);
        break;
      case 'o':
        fd = need(open_plain(f[0], O_DIRECTORY));
        need(mount_on(fd, "overlay", "overlay", MS_NOSUID | MS_NODEV, f[1]));
        call(CLOSE, fd, 0, 0, 0, 0);
        break;
      case 't':
        fd = need(open_plain(f[0], O_DIRECTORY));
        need(mount_on(fd, "tmpfs", "tmpfs", MS_NOSUID | MS_NODEV, f[1]));
        call(CLOSE, fd, 0, 0, 0, 0);
        break;
      case 'P':
        fd = need(open_plain("/proc", O_DIRECTORY));
        need(call(MOUNT, (long)"proc", (long)"/proc", (long)"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, 0));
        call(CLOSE, fd, 0, 0, 0, 0);
        break;
      case 'b': bind_pin(f[0], f[1], f[2]); break;
      case 'd': need(call(MKDIRAT, AT_FDCWD, (long)f[0], 0755, 0, 0)); break;
      case 'l': need(call(SYMLINKAT, (long)f[0], AT_FDCWD, (long)f[1], 0, 0)); break;
      case 'B': make_blanks(f[0], f[1], f[2]); break;
      case 'f': cover(f[0], blank_file, 0); break;
      case 'h': cover(f[0], blank_folder, O_DIRECTORY); break;
      case 'c':
        fd = need(open_plain(f[0], O_DIRECTORY));
        need(call(FCHDIR, fd, 0, 0, 0, 0));
        call(CLOSE, fd, 0, 0, 0, 0);
        break;
      case 'i': raise_loopback(); break;
      case 'L': start_landlock(f[0], f[1]); break;
      case 'a': allow_below(f[0], f[1]); break;
      case 'F': read_filter(&filter, f[0]); break;
      case 'G': read_filter(&listened, f[0]); break;
      default: need(-EINVAL);
    }
    at += 1 + fields(letter);
  }
  need(-EINVAL);
  quit(125);
}

/* All that a descriptor has, for `into`, of which `most` bytes are free. */
static u64 read_all(long from, char *into, u64 most) {
  u64 size = 0;
  for (;;) {
    long got = call(READ, from, (long)(into + size), (long)(most - size), 0, 0);
    if (got == -EINTR) continue;
    if (got < 0 || size + (u64)got >= most) return ~0UL;
    if (got == 0) return size;
    size += (u64)got;
  }
}
/* Looks at all of a plan, from a word on, before anything is done. Whether it is whole. */
static int is_whole(int at, int count) {
  if (count < at + 3 || !same(words[at], "assent-try 1") || words[at + 1][0] != 'n' || words[at + 1][1]) return 0;
  for (at++;;) {
    if (at >= count || !words[at][0] || words[at][1]) return 0;
    if (words[at][0] == 'x') {
      if (at + 4 > count) return 0;
      u64 argc = number(words[at + 2]);
      if (argc == 0 || argc > MOST_WORDS || (u64)at + 3 + argc >= (u64)count) return 0;
      /* An empty word stands between the arguments and the environment: its place is the end of the arguments. */
      return !words[at + 3 + (int)argc][0];
    }
    int more = fields(words[at][0]);
    if (more < 0) return 0;
    at += 1 + more;
  }
}
/* Of the plan that `from` has; 0: it has none. */
static int read_words(long from) {
  u64 size = read_all(from, plan, SIZE);
  if (size == ~0UL || size == 0 || plan[size - 1]) return 0;
  int count = 0;
  for (u64 at = 0; at < size; at += length(plan + at) + 1) {
    if (count >= MOST_WORDS - 1) return 0;
    words[count++] = plan + at;
  }
  return count;
}

/* Carries out the plan whose words begin at `at`, and waits for the end. */
static void run_plan(int at, int count) {
  int ends[2];
  u64 namespaces = number(words[at + 2]);
  if ((namespaces & ~0x7e020000UL) || !(namespaces & CLONE_NEWPID) || !(namespaces & CLONE_NEWNS)) need(-EINVAL);
  /* The end that only this process holds: init sees by it that this process is gone, and the program hands its listener over. */
  int on = 1;
  need(call(SOCKETPAIR, 1, 5 | O_CLOEXEC, 0, (long)ends, 0));
  need(call(SETSOCKOPT, ends[0], 1, 16, (long)&on, sizeof on));
  long init = need(call(CLONE, (long)namespaces | SIGCHLD, 0, 0, 0, 0));
  if (init == 0) {
    can_plan_anew = is_kept = 0;
    call(CLOSE, ends[0], 0, 0, 0, 0);
    need(call(DUP3, ends[1], PLAN, O_CLOEXEC, 0, 0));
    call(CLOSE, ends[1], 0, 0, 0, 0);
    need(call(MOUNT, 0, (long)"/", 0, MS_REC | MS_PRIVATE, 0));
    carry_out(at + 3, count);
  }
  call(CLOSE, ends[1], 0, 0, 0, 0);
  await(init, 0, take_listener(ends[0]));
}

#include "kept.h"

void __attribute__((noreturn, used)) begin(long *stack) {
  all_signals = ~0UL, ruleset = -1;
  if (stack[0] > 4) run_kept((char **)(stack + 1), (char **)(stack + stack[0] + 2));
  call(PRCTL, 1, SIGKILL, 0, 0, 0);
  call(SIGPROCMASK, 2, (long)&all_signals, (long)&signals_before, 8, 0);
  int count = read_words(PLAN);
  if (!is_whole(0, count)) need(-EINVAL);
  run_plan(0, count);
  quit(0);
}
