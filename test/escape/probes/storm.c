/*
 * Many calls. `storm KIND N FOLDER` prints `done N`, `refused N` and a checkpoint before and, when what ended has been forgotten, after.
 *
 *   paths     opens N different paths of FOLDER for writing
 *   waiting   N processes create a file of FOLDER at the same time
 *   short     N processes that end at once
 *   recycled  N times: a process that waits with a call is killed while others are born
 *   bomb      forks until it cannot, N at most, all of them alive
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void checkpoint(const char *name) { printf("checkpoint %s\n", name); usleep(400000); }

static int create(const char *folder, long i) {
  char name[256];
  snprintf(name, sizeof name, "%s/x%ld", folder, i);
  int fd = open(name, O_WRONLY | O_CREAT, 0644);
  if (fd < 0) return errno;
  close(fd);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 4) return 99;
  const char *kind = argv[1], *folder = argv[3];
  long count = atol(argv[2]), done = 0, refused = 0, other = 0;
  int status;
  setvbuf(stdout, NULL, _IOLBF, 0);
  /* A first round, so that what is made once is made. */
  for (long i = 0; i < 3; i++) if (strcmp(kind, "waiting") && strcmp(kind, "recycled")) create(folder, -1 - i);
  if (fork() == 0) _exit(0);
  wait(&status);
  checkpoint("before");
  if (!strcmp(kind, "paths")) {
    for (long i = 0; i < count; i++) {
      int error = create(folder, i);
      if (error == 0) done++; else if (error == EACCES || error == EPERM) refused++; else other++;
    }
  } else if (!strcmp(kind, "waiting") || !strcmp(kind, "bomb")) {
    long born = 0;
    int bomb = kind[0] == 'b';
    for (; born < count; born++) {
      pid_t pid = fork();
      if (pid < 0) break;
      if (pid == 0) { if (bomb) { usleep(300000); _exit(0); } _exit(create(folder, born)); }
    }
    for (long i = 0; i < born; i++) {
      if (wait(&status) < 0) break;
      if (WIFSIGNALED(status)) other++;
      else if (WEXITSTATUS(status) == 0) done++;
      else if (WEXITSTATUS(status) == EACCES || WEXITSTATUS(status) == EPERM) refused++;
      else other++;
    }
  } else if (!strcmp(kind, "short")) {
    for (long i = 0; i < count; i++) {
      pid_t pid = fork();
      if (pid == 0) _exit(0);
      if (pid > 0 && waitpid(pid, &status, 0) == pid) done++;
    }
  } else if (!strcmp(kind, "recycled")) {
    for (long i = 0; i < count; i++) {
      pid_t pid = fork();
      if (pid == 0) { create(folder, i); _exit(0); }
      usleep(1000 + i * 37 % 3000);
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
      if (WIFSIGNALED(status)) done++;
      for (int j = 0; j < 20; j++) { pid_t other_pid = fork(); if (other_pid == 0) _exit(0); waitpid(other_pid, &status, 0); }
    }
  }
  usleep(600000);
  checkpoint("after");
  printf("done %ld\nrefused %ld\nother %ld\n", done, refused, other);
  return 0;
}
