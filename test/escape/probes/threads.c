/* What threads make hard. `threads KIND ...` */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* open(2) itself where there is one. */
#ifdef SYS_open
#define open_by_number(path, flags) syscall(SYS_open, path, flags)
#else
#define open_by_number(path, flags) syscall(SYS_openat, AT_FDCWD, path, flags)
#endif

static volatile int stop;
static char **after;

static void *waits(void *unused) { while (!stop) usleep(1000); return unused; }
static void *works(void *folder) {
  char name[256];
  snprintf(name, sizeof name, "%s/t%ld", (char *)folder, syscall(SYS_gettid));
  while (!stop) { int fd = open(name, O_CREAT | O_WRONLY, 0644); if (fd >= 0) close(fd); unlink(name); }
  return NULL;
}
static void *executes(void *unused) { execve(after[0], after, environ); printf("exec %s\n", strerrorname_np(errno)); exit(1); return unused; }

static int result = -1, error;
static void *writes(void *name) { result = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644); error = errno; return NULL; }

/* The main thread goes between two folders that the other shares with it. */
static void *wanders(void *folders) {
  char **two = folders;
  while (!stop) { if (chdir(two[0])) _exit(96); if (chdir(two[1])) _exit(96); }
  return NULL;
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  pthread_t thread;
  if (!strcmp(argv[1], "exec")) { /* exec FOLDER PROGRAM ARG...: from one of 50 threads, the others being busy */
    after = argv + 3;
    for (int i = 0; i < 50; i++) pthread_create(&thread, NULL, i % 2 ? works : waits, argv[2]);
    usleep(100000);
    pthread_create(&thread, NULL, executes, NULL);
    pthread_join(thread, NULL);
  }
  if (!strcmp(argv[1], "write")) { /* write FILE: from a thread */
    pthread_create(&thread, NULL, writes, argv[2]);
    pthread_join(thread, NULL);
    printf("thread %s\n", result < 0 ? strerrorname_np(error) : "ok");
    pid_t pid = vfork();
    if (pid == 0) { int fd = open_by_number(argv[2], O_WRONLY | O_TRUNC); _exit(fd < 0 ? errno : 0); }
    int status;
    waitpid(pid, &status, 0);
    printf("vfork %s\n", WEXITSTATUS(status) ? strerrorname_np(WEXITSTATUS(status)) : "ok");
    /* A daemon: its own session, and no parent that is part of the program. */
    int ends[2];
    if (pipe(ends)) return 95;
    if (fork() == 0) {
      setsid();
      if (fork() == 0) {
        usleep(200000);
        int fd = open(argv[2], O_WRONLY | O_TRUNC), e = fd < 0 ? errno : 0;
        if (write(ends[1], &e, sizeof e) < 0) _exit(1);
      }
      _exit(0);
    }
    int e = 0;
    if (read(ends[0], &e, sizeof e) < 0) return 94;
    printf("daemon %s\n", e ? strerrorname_np(e) : "ok");
  }
  if (!strcmp(argv[1], "wander")) { /* wander TRIES FREE FORBIDDEN: relative creation while the working folder changes */
    char *two[] = {argv[3], argv[4]}, escaped[4200], here[4200];
    long tries = atol(argv[2]), wins = 0, made = 0;
    snprintf(escaped, sizeof escaped, "%s/made", argv[4]);
    snprintf(here, sizeof here, "%s/made", argv[3]);
    if (chdir(two[0])) return 93;
    pthread_create(&thread, NULL, wanders, two);
    for (long i = 0; i < tries; i++) {
      int fd = open("made", O_CREAT | O_EXCL | O_WRONLY, 0644);
      if (fd >= 0) { made++; close(fd); }
      if (access(escaped, F_OK) == 0) { wins++; unlink(escaped); }
      unlink(here);
    }
    printf("tries %ld\nmade %ld\nwins %ld\n", tries, made, wins);
  }
  return 0;
}
