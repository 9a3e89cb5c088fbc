// What a listener costs that is written in C and judges nothing: `loop MODE PROGRAM [ARGUMENTS]`. The program's calls are
// trapped as Assent traps them and answered
//   continue   by letting the kernel go on (recvmsg), everything else as `do`
//   do         on the program's behalf: the path is read from its memory, what it names pinned, the call checked to be
//              waiting still, done on what is pinned, answered (SEND, or ADDFD with SEND for opens)
//   near       as `do`; a program that is given a descriptor is kept on the listener's processor while it is given it
// RECEIVERS=N in the environment: so many processes wait in the one listener and answer. RECEIVER=COMMAND: that answers, which has the
// listener as descriptor 3.
// SYNC_WAKE_UP is set in each. seccomp_unotify(2), openat2(2), process_vm_readv(2).
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS 0x40082104
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#ifndef SECCOMP_ADDFD_FLAG_SEND
#define SECCOMP_ADDFD_FLAG_SEND 2
#endif

#define TRAP(nr) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF)

static int listener, near;
static char path[PATH_MAX];

static int trap(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      TRAP(SYS_openat),
#ifdef SYS_mkdir
      TRAP(SYS_mkdir),
      TRAP(SYS_rmdir),
      TRAP(SYS_unlink),
      TRAP(SYS_symlink),
#endif
      TRAP(SYS_mkdirat),
      TRAP(SYS_unlinkat),
      TRAP(SYS_symlinkat),
      TRAP(SYS_fchmodat),
      TRAP(SYS_recvmsg),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
                 &program);
}

// A first read of 256 bytes within a page is enough for the probe's paths.
static int read_path(pid_t tid, unsigned long address) {
  size_t in_page = 4096 - address % 4096;
  struct iovec local = {path, in_page < 256 ? in_page : 256}, remote = {(void *)address, local.iov_len};
  ssize_t got = process_vm_readv(tid, &local, 1, &remote, 1, 0);
  return got > 0 && memchr(path, 0, got) != NULL ? 0 : -EFAULT;
}

static int valid(struct seccomp_notif *request) { return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &request->id) == 0; }

static int cwd_of(pid_t tid) {
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/cwd", tid);
  return open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int pin(int base, const char *what, unsigned long flags) {
  struct open_how how = {.flags = O_PATH | O_CLOEXEC | flags, .resolve = RESOLVE_NO_MAGICLINKS};
  return syscall(SYS_openat2, base, what, &how, sizeof how);
}

static void name_of(int fd, char *name) { snprintf(name, 64, "/proc/self/fd/%d", fd); }

// What is judged: the name the kernel has for it, and what it is.
static int look(int fd) {
  char name[64], target[PATH_MAX];
  struct statx stat;
  name_of(fd, name);
  if (readlink(name, target, sizeof target) < 0) return -errno;
  return statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &stat) == 0 ? 0 : -errno;
}

static void send_answer(struct seccomp_notif *request, long value, int error, unsigned flags) {
  struct seccomp_notif_resp answer = {.id = request->id, .val = value, .error = error, .flags = flags};
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

static void give(struct seccomp_notif *request, int fd, int flags) {
  cpu_set_t all, one;
  int kept = 0;
  if (near) {
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    kept = sched_getaffinity(request->pid, sizeof all, &all) == 0 && sched_setaffinity(request->pid, sizeof one, &one) == 0;
  }
  struct seccomp_notif_addfd addfd = {.id = request->id, .flags = kept ? 0 : SECCOMP_ADDFD_FLAG_SEND, .srcfd = fd, .newfd_flags = flags & O_CLOEXEC};
  int installed = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &addfd);
  if (kept) {
    sched_setaffinity(request->pid, sizeof all, &all);
    send_answer(request, installed, 0, 0);
  }
}

static void open_for(struct seccomp_notif *request, int base, int flags, int mode) {
  char name[64];
  int pinned = pin(base, path, 0), fd;
  if (pinned < 0 && (flags & O_CREAT) != 0) {
    int parent = pin(base, ".", O_DIRECTORY);
    if (look(parent) < 0 || !valid(request)) return;
    fd = openat(parent, path, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    close(parent);
  } else {
    if (pinned < 0) return send_answer(request, 0, -errno, 0);
    if (look(pinned) < 0 || !valid(request)) return;
    name_of(pinned, name);
    fd = open(name, (flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW)) | O_CLOEXEC);
    close(pinned);
  }
  if (fd < 0) return send_answer(request, 0, -errno, 0);
  give(request, fd, flags);
  close(fd);
}

static void act(struct seccomp_notif *request) {
  unsigned long *args = (unsigned long *)request->data.args;
  int nr = request->data.nr, at = 0;
  if (nr == SYS_recvmsg) return send_answer(request, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
  if (nr == SYS_openat || nr == SYS_mkdirat || nr == SYS_unlinkat || nr == SYS_fchmodat) at = 1;
  if (nr == SYS_symlinkat) at = 2;
#ifdef SYS_symlink
  if (nr == SYS_symlink) at = 1;
#endif
  if (read_path(request->pid, args[at]) < 0) return send_answer(request, 0, -EFAULT, 0);
  int base = path[0] == '/' ? AT_FDCWD : cwd_of(request->pid);
  if (nr == SYS_openat) {
    open_for(request, base, args[2], args[3]);
    if (base >= 0) close(base);
    return;
  }
  struct stat stat;
  int pinned, result;
  if (nr == SYS_fchmodat) {
    char name[64];
    pinned = pin(base, path, 0);
    if (pinned < 0) return send_answer(request, 0, -errno, 0);
    if (look(pinned) < 0 || !valid(request)) return;
    name_of(pinned, name);
    result = fchmodat(AT_FDCWD, name, args[2], 0);
  } else {
    // The probe's names have no folder before them.
    pinned = pin(base, ".", O_DIRECTORY);
    if (look(pinned) < 0) return;
    fstatat(pinned, path, &stat, AT_SYMLINK_NOFOLLOW);
    if (!valid(request)) return;
    result = -1;
    if (nr == SYS_mkdirat) result = mkdirat(pinned, path, args[2]);
    if (nr == SYS_unlinkat) result = unlinkat(pinned, path, args[2]);
    if (nr == SYS_symlinkat) result = symlinkat("nowhere", pinned, path);
#ifdef SYS_mkdir
    if (nr == SYS_mkdir) result = mkdirat(pinned, path, args[1]);
    if (nr == SYS_rmdir) result = unlinkat(pinned, path, AT_REMOVEDIR);
    if (nr == SYS_unlink) result = unlinkat(pinned, path, 0);
    if (nr == SYS_symlink) result = symlinkat("nowhere", pinned, path);
#endif
  }
  send_answer(request, result < 0 ? 0 : result, result < 0 ? -errno : 0, 0);
  close(pinned);
  if (base >= 0) close(base);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  near = strcmp(argv[1], "near") == 0;
  int channel[2], taken[2];
  if (pipe(channel) != 0 || pipe(taken) != 0) return 1;
  pid_t child = fork();
  if (child == 0) {
    int fd = trap();
    if (fd < 0) perror("seccomp");
    // The exec closes it: the parent must have taken it before.
    char wait;
    if (write(channel[1], &fd, sizeof fd) != sizeof fd || fd < 0 || read(taken[0], &wait, 1) != 1) _exit(1);
    execv(argv[2], argv + 2);
    _exit(127);
  }
  int remote, status;
  if (read(channel[0], &remote, sizeof remote) != sizeof remote || remote < 0) return 1;
  int pidfd = syscall(SYS_pidfd_open, child, 0);
  listener = syscall(SYS_pidfd_getfd, pidfd, remote, 0);
  if (listener < 0) return perror("pidfd_getfd"), 1;
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, 1);
  if (write(taken[1], "", 1) != 1) return 1;
  if (getenv("RECEIVER") != NULL) {
    dup2(listener, 3);
    execl("/bin/sh", "sh", "-c", getenv("RECEIVER"), (char *)NULL);
    return 127;
  }
  int receivers = getenv("RECEIVERS") == NULL ? 1 : atoi(getenv("RECEIVERS"));
  pid_t parent = getpid();
  for (int at = 1; at < receivers; at++)
    if (getpid() == parent && fork() == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct seccomp_notif request;
  for (;;) {
    struct pollfd polled[2] = {{listener, POLLIN, 0}, {pidfd, POLLIN, 0}};
    if (poll(polled, 2, -1) < 0) continue;
    if ((polled[0].revents & POLLIN) != 0) {
      memset(&request, 0, sizeof request);
      if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) == 0) act(&request);
    } else if (polled[1].revents != 0 || (polled[0].revents & POLLHUP) != 0) break;
  }
  if (getpid() != parent) _exit(0);
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
