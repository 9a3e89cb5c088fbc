/*
 * Installs filters of its own, as a program may that has no new privileges, and looks at what that changes.
 *
 *   filters FILE
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef SYS_unlink
#define UNLINK SYS_unlink
#define unlink_by_number(path) syscall(SYS_unlink, path)
#else
#define UNLINK SYS_unlinkat
#define unlink_by_number(path) syscall(SYS_unlinkat, AT_FDCWD, path, 0)
#endif

static long filter(int nr, unsigned verdict, unsigned flags) {
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, verdict),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {4, code};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static void say(const char *label, long result) {
  if (result < 0) printf("%s %s\n", label, strerrorname_np(errno)); else printf("%s %ld\n", label, result);
}

int main(int argc, char **argv) {
  struct stat stats;
  setvbuf(stdout, NULL, _IOLBF, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  say("allow-all", filter(SYS_openat, SECCOMP_RET_ALLOW, 0));
  say("open", open(argv[1], O_WRONLY | O_TRUNC));
  say("pretend", filter(UNLINK, SECCOMP_RET_ERRNO, 0));
  say("unlink", unlink_by_number(argv[1]));
  printf("there %s\n", stat(argv[1], &stats) == 0 ? "yes" : "no");
  say("listener", filter(SYS_openat, SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER));
  return 0;
}
