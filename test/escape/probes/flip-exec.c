/*
 * Starts `PROGRAM status` while somebody else turns the word into `push`: a process that shares the page (`shared`), or a
 * thread (`thread`). Prints `tries N` and `wins N`, a win being a program that was started with `push`.
 *
 *   flip-exec shared|thread TRIES PROGRAM ALLOWED FORBIDDEN
 *
 * PROGRAM exits with 7 when it is told FORBIDDEN.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *allowed, *forbidden;
static char *word;

static void a_moment(void) { for (volatile int i = 0; i < 60; i++); __sync_synchronize(); }
static void *flip(void *unused) {
  for (;;) { strcpy(word, forbidden); a_moment(); strcpy(word, allowed); a_moment(); }
  return unused;
}

int main(int argc, char **argv) {
  if (argc < 6) return 99;
  int shared = !strcmp(argv[1], "shared");
  long tries = atol(argv[2]), wins = 0, started = 0;
  allowed = argv[4];
  forbidden = argv[5];
  word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  strcpy(word, allowed);
  pthread_t thread;
  pid_t flipper = 0;
  if (shared) { if ((flipper = fork()) == 0) flip(NULL); }
  else pthread_create(&thread, NULL, flip, NULL);
  char *args[] = {argv[3], word, NULL}, *env[] = {NULL};
  for (long i = 0; i < tries; i++) {
    /* vfork: the child shares the memory of this process, so a thread of this process can change its arguments. */
    pid_t pid = vfork();
    if (pid == 0) { syscall(SYS_execve, argv[3], args, env); _exit(126); }
    int status;
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) started++;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 7) wins++;
  }
  if (flipper > 0) { kill(flipper, SIGKILL); waitpid(flipper, NULL, 0); }
  printf("tries %ld\nstarted %ld\nwins %ld\n", tries, started, wins);
  return 0;
}
