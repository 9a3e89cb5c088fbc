/*
 * Tries to make the kernel act on something else than what was judged: one thread (or process) changes the argument while
 * another makes the call. Prints `tries N` and `wins N`, a win being a call that reached what may not be reached.
 *
 *   race KIND TRIES ALLOWED FORBIDDEN [MORE]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *allowed, *forbidden;
static char *path;
static volatile struct open_how *how;
static volatile atomic_int stop;
static long tries, wins, calls_that_worked;

static void a_moment(void) {
  atomic_thread_fence(memory_order_seq_cst);
  for (volatile int i = 0; i < 40; i++);
}

/* At least as many tries as asked for, and at least half a second: threads take a while to start. */
static int goes_on(long i) {
  static struct timespec start;
  struct timespec now;
  if (i < tries) { if (i == 0) clock_gettime(CLOCK_MONOTONIC, &start); return 1; }
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (now.tv_sec - start.tv_sec + (now.tv_nsec - start.tv_nsec) / 1e9 < 0.5) return 1;
  tries = i;
  return 0;
}

/* Long enough that a copy takes time, and equal in length, so that every mixture is one of the two or harmless. */
static void flip_path(void) {
  size_t size = strlen(allowed) + 1, other = strlen(forbidden) + 1;
  memcpy(path, forbidden, other);
  a_moment();
  memcpy(path, allowed, size);
  a_moment();
}

static void *flip_paths(void *unused) { while (!stop) flip_path(); return unused; }

static void *flip_flags(void *unused) {
  while (!stop) { how->flags = O_WRONLY | O_TRUNC; a_moment(); how->flags = O_RDONLY; a_moment(); }
  return unused;
}

/* Swaps a link's target: ALLOWED is the link, MORE[0] a folder or file that is free, FORBIDDEN what is not. */
static char link_name[4096];
static void *flip_link(void *target) {
  char a[4200], b[4200];
  snprintf(a, sizeof a, "%s.a", link_name);
  snprintf(b, sizeof b, "%s.b", link_name);
  while (!stop) {
    unlink(a); if (symlink(forbidden, a) == 0) rename(a, link_name);
    unlink(b); if (symlink(target, b) == 0) rename(b, link_name);
  }
  return NULL;
}

static int holds_secret(int fd) {
  char text[64] = {0};
  if (fd < 0) return 0;
  ssize_t size = read(fd, text, sizeof text - 1);
  return size > 0 && strstr(text, "hunter2") != NULL;
}


/* Has what was `orig` four bytes long been changed? Mends it, without supervision, for the next try. */
static int mend(const char *name) {
  struct stat s;
  if (stat(name, &s) == 0 && s.st_size == 4) return 0;
  int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd >= 0) { if (write(fd, "orig", 4) < 0) perror("mend"); close(fd); }
  return 1;
}

static pid_t helper(void (*work)(pid_t), pid_t target) {
  pid_t pid = fork();
  if (pid == 0) { work(target); _exit(0); }
  return pid;
}

static void poke_by_vm(pid_t target) {
  for (;;) {
    for (int i = 0; i < 2; i++) {
      const char *text = i ? allowed : forbidden;
      struct iovec local = {(void *)text, strlen(text) + 1}, remote = {path, strlen(text) + 1};
      if (process_vm_writev(target, &local, 1, &remote, 1, 0) < 0) _exit(errno);
    }
  }
}

static void poke_by_ptrace(pid_t target) {
  if (ptrace(PTRACE_SEIZE, target, 0, 0) < 0) _exit(errno);
  for (;;) {
    if (ptrace(PTRACE_INTERRUPT, target, 0, 0) < 0) _exit(errno);
    int status;
    if (waitpid(target, &status, __WALL) < 0) _exit(errno);
    for (size_t i = 0; i <= strlen(forbidden); i += 8) ptrace(PTRACE_POKEDATA, target, path + i, *(long *)(forbidden + i));
    ptrace(PTRACE_CONT, target, 0, 0);
    for (volatile int i = 0; i < 20000; i++);
    ptrace(PTRACE_INTERRUPT, target, 0, 0);
    waitpid(target, &status, __WALL);
    for (size_t i = 0; i <= strlen(allowed); i += 8) ptrace(PTRACE_POKEDATA, target, path + i, *(long *)(allowed + i));
    ptrace(PTRACE_CONT, target, 0, 0);
  }
}

static void flip_shared(pid_t unused) { (void)unused; for (;;) flip_path(); }

static void opens(void) {
  for (long i = 0; goes_on(i); i++) {
    int fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_TRUNC, 0);
    if (fd >= 0) { calls_that_worked++; close(fd); }
    wins += mend(forbidden);
  }
}

static int shared_memory(void) {
  int fd = syscall(SYS_memfd_create, "shared", 0);
  if (fd < 0 || ftruncate(fd, 8192)) return -1;
  path = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return path == MAP_FAILED ? -1 : 0;
}

int main(int argc, char **argv) {
  if (argc < 5) return 99;
  const char *kind = argv[1];
  tries = atol(argv[2]);
  allowed = argv[3];
  forbidden = argv[4];
  const char *more = argc > 5 ? argv[5] : "";
  path = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  how = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  strcpy(path, allowed);
  strcpy(link_name, allowed);
  pthread_t thread;
  pid_t child = 0;
  int child_status = 0;
  // What it starts may look into it: at Yama's ptrace_scope 1 only what started it may otherwise (PR_SET_PTRACER(2const)).
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);

  if (!strcmp(kind, "path")) {
    pthread_create(&thread, NULL, flip_paths, NULL);
    opens();
  } else if (!strcmp(kind, "shared")) {
    if (shared_memory()) return 98;
    strcpy(path, allowed);
    child = helper(flip_shared, 0);
    opens();
  } else if (!strcmp(kind, "vm")) {
    child = helper(poke_by_vm, getpid());
    opens();
  } else if (!strcmp(kind, "ptrace")) {
    child = helper(poke_by_ptrace, getpid());
    opens();
  } else if (!strcmp(kind, "read")) { /* the text of the path; FORBIDDEN is a secret */
    pthread_create(&thread, NULL, flip_paths, NULL);
    for (long i = 0; goes_on(i); i++) {
      int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
      wins += holds_secret(fd);
      if (fd >= 0) { calls_that_worked++; close(fd); }
    }
  } else if (!strcmp(kind, "rename") || !strcmp(kind, "link")) { /* the second path; MORE is what is moved */
    int is_rename = kind[0] == 'r';
    pthread_create(&thread, NULL, flip_paths, NULL);
    for (long i = 0; goes_on(i); i++) {
      if (is_rename) close(open(more, O_CREAT | O_WRONLY, 0644));
      long result = is_rename ? syscall(SYS_renameat2, AT_FDCWD, more, AT_FDCWD, path, 0) : syscall(SYS_linkat, AT_FDCWD, more, AT_FDCWD, path, 0);
      if (result == 0) calls_that_worked++;
      if (access(forbidden, F_OK) == 0) { wins++; unlink(forbidden); }
      unlink(allowed);
    }
  } else if (!strcmp(kind, "how")) { /* flags behind a pointer: FORBIDDEN is opened for reading, or for writing */
    pthread_create(&thread, NULL, flip_flags, NULL);
    for (long i = 0; goes_on(i); i++) {
      int fd = syscall(SYS_openat2, AT_FDCWD, forbidden, how, sizeof *how);
      if (fd >= 0) { calls_that_worked++; if (write(fd, "x", 1) == 1) wins++; close(fd); }
      wins += mend(forbidden);
    }
  } else if (!strcmp(kind, "swap")) { /* a link's target; FORBIDDEN is a secret */
    pthread_create(&thread, NULL, flip_link, (void *)more);
    for (long i = 0; goes_on(i); i++) {
      int fd = open(link_name, O_RDONLY);
      wins += holds_secret(fd);
      if (fd >= 0) { calls_that_worked++; close(fd); }
    }
  } else if (!strcmp(kind, "folder")) { /* a folder's place: ALLOWED is a link to MORE or to the folder FORBIDDEN */
    char made[4200], escaped[4200];
    snprintf(made, sizeof made, "%s/made", link_name);
    snprintf(escaped, sizeof escaped, "%s/made", forbidden);
    pthread_create(&thread, NULL, flip_link, (void *)more);
    for (long i = 0; goes_on(i); i++) {
      if (mkdir(made, 0755) == 0) calls_that_worked++;
      int fd = open(made, O_RDONLY | O_DIRECTORY);
      if (fd >= 0) close(fd);
      if (access(escaped, F_OK) == 0) { wins++; rmdir(escaped); }
      rmdir(made);
    }
  } else return 97;

  stop = 1;
  if (child > 0) { kill(child, SIGKILL); waitpid(child, &child_status, 0); printf("poked %s\n", WIFEXITED(child_status) ? strerrorname_np(WEXITSTATUS(child_status)) : "yes"); }
  printf("tries %ld\nworked %ld\nwins %ld\n", tries, calls_that_worked, wins);
  return 0;
}
