/*
 * Starts a program on a kernel that lacks something: `without WHAT CMD…`.
 *
 *   landlock   landlock_create_ruleset is ENOSYS, as on a kernel without it
 *   disabled   landlock_create_ruleset is EOPNOTSUPP, as where it is off
 *   listener   somebody supervises the tree already: a second listener is EBUSY
 *   notify     seccomp is ENOSYS
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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

int main(int argc, char **argv) {
  if (argc < 3) return 99;
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  long result = -1;
  if (!strcmp(argv[1], "landlock")) result = filter(444, SECCOMP_RET_ERRNO | ENOSYS, 0);
  if (!strcmp(argv[1], "disabled")) result = filter(444, SECCOMP_RET_ERRNO | EOPNOTSUPP, 0);
  if (!strcmp(argv[1], "notify")) result = filter(SYS_seccomp, SECCOMP_RET_ERRNO | ENOSYS, 0);
  /* Of a call that nothing makes. The listener stays open in a process beside this one, which is the program and may close what it inherits. */
  if (!strcmp(argv[1], "listener")) {
    pid_t program = getpid();
    result = filter(SYS_lookup_dcookie, SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);
    if (result >= 0 && fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
      if (getppid() != program) _exit(0);
      for (int fd = 0; fd < 3; fd++) close(fd);
      for (;;) pause();
    }
  }
  if (result < 0) { perror("without"); return 98; }
  execvp(argv[2], argv + 2);
  perror(argv[2]);
  return 97;
}
