// Starts a program behind what an engine's own filter refuses to a container with the capabilities that the engine gives by itself:
// `container-filter docker|docker-ptrace|podman PROGRAM ARGUMENT...`
// docker: seen of Docker 20.10.24 (profiles/seccomp/default.json; containerd refuses the same to a pod); docker-ptrace: the same with
// CAP_SYS_PTRACE, which gives back what looks into others. podman: /usr/share/containers/seccomp.json of containers-common 0.50, which
// Podman 4.3.1 takes as root, as a user and rootless; what that file does not name, or knows by another engine, is answered ENOSYS.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Of 2022 and 2021: newer than the headers that this is compiled with may be.
#ifndef __NR_futex_waitv
#define __NR_futex_waitv 449
#endif
#ifndef __NR_set_mempolicy_home_node
#define __NR_set_mempolicy_home_node 450
#endif

#define REFUSE(name, error) {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, __NR_##name}, {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | error}
#define NO(name) REFUSE(name, EPERM)
#define UNKNOWN(name) REFUSE(name, ENOSYS)
#define NUMBER {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)}

static struct sock_filter docker[] = {
    NUMBER,
    // What CAP_SYS_PTRACE gives back: `LOOKS` records.
    NO(pidfd_getfd),
    NO(process_vm_readv),
    NO(process_vm_writev),
    NO(process_madvise),
    NO(kcmp),
    NO(unshare),
    NO(setns),
    NO(mount),
    NO(umount2),
    NO(pivot_root),
    NO(open_by_handle_at),
    NO(name_to_handle_at),
    NO(fanotify_init),
    NO(bpf),
    NO(perf_event_open),
    NO(userfaultfd),
    NO(keyctl),
    NO(add_key),
    NO(request_key),
    NO(mbind),
    NO(set_mempolicy),
    NO(move_pages),
    NO(open_tree),
    NO(move_mount),
    NO(fsopen),
    NO(quotactl),
    NO(syslog),
    NO(sethostname),
    // clone3(2) has its flags in memory, so it is not there; of clone(2) those that make namespaces are refused.
    UNKNOWN(clone3),
    {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, __NR_clone},
    {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args[0])},
    {BPF_JMP | BPF_JSET | BPF_K, 0, 1, 0x7e020000},
    {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
    {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
};
enum { LOOKS = 2 * 5 };

static struct sock_filter podman[] = {
    NUMBER,
    NO(vhangup),
    NO(acct),
    NO(settimeofday),
    NO(swapon),
    NO(swapoff),
    NO(sethostname),
    NO(setdomainname),
    NO(init_module),
    NO(delete_module),
    NO(quotactl),
    NO(nfsservctl),
    NO(lookup_dcookie),
    NO(clock_settime),
    NO(kexec_load),
    NO(migrate_pages),
    NO(vmsplice),
    NO(move_pages),
    NO(perf_event_open),
    NO(fanotify_init),
    NO(open_by_handle_at),
    NO(kcmp),
    NO(finit_module),
    NO(kexec_file_load),
    NO(bpf),
    NO(userfaultfd),
    NO(io_pgetevents),
    NO(process_madvise),
#ifdef __x86_64__
    NO(uselib),
    NO(ustat),
    NO(sysfs),
    NO(iopl),
    NO(ioperm),
    NO(query_module),
    UNKNOWN(_sysctl),
    UNKNOWN(create_module),
    UNKNOWN(get_kernel_syms),
    UNKNOWN(getpmsg),
    UNKNOWN(putpmsg),
    UNKNOWN(afs_syscall),
    UNKNOWN(tuxcall),
    UNKNOWN(security),
    UNKNOWN(vserver),
#endif
    UNKNOWN(add_key),
    UNKNOWN(request_key),
    UNKNOWN(io_uring_setup),
    UNKNOWN(io_uring_enter),
    UNKNOWN(io_uring_register),
    UNKNOWN(quotactl_fd),
    UNKNOWN(futex_waitv),
    UNKNOWN(set_mempolicy_home_node),
    {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
};

int main(int argc, char **argv) {
  struct sock_fprog program = {0, NULL};
  if (argc > 2 && !strcmp(argv[1], "docker")) {
    program = (struct sock_fprog){sizeof docker / sizeof *docker, docker};
  } else if (argc > 2 && !strcmp(argv[1], "docker-ptrace")) {
    docker[LOOKS] = docker[0];
    program = (struct sock_fprog){sizeof docker / sizeof *docker - LOOKS, docker + LOOKS};
  } else if (argc > 2 && !strcmp(argv[1], "podman")) {
    program = (struct sock_fprog){sizeof podman / sizeof *podman, podman};
  } else {
    fputs("usage: container-filter docker|docker-ptrace|podman PROGRAM ARGUMENT...\n", stderr);
    return 125;
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
    perror("container-filter");
    return 125;
  }
  execvp(argv[2], argv + 2);
  perror("container-filter");
  return 125;
}
