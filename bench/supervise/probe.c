// Makes one kind of call again and again and prints what each cost: `probe OPERATION ROUNDS CALLS`, in the working folder.
// One line a round: nanoseconds per call.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

// Of no socket: what is passed on costs nothing more.
static void recvmsg_once(void) { syscall(SYS_recvmsg, -1, 0, 0); }

static void chmod_once(void) {
  static int odd;
  odd = !odd;
  if (syscall(SYS_fchmodat, AT_FDCWD, "probe.file", odd ? 0644 : 0600) != 0) fail("chmod");
}

static void mkdir_once(void) {
  if (mkdir("probe.dir", 0755) != 0) fail("mkdir");
}

static void rmdir_once(void) {
  if (rmdir("probe.dir") != 0) fail("rmdir");
}

static void unlink_once(void) {
  if (unlink("probe.link") != 0) fail("unlink");
}

static void symlink_once(void) {
  if (symlink("nowhere", "probe.link") != 0) fail("symlink");
}

static void open_once(int flags) {
  int fd = open("probe.file", flags, 0644);
  if (fd < 0) fail("open");
  close(fd);
}

static void read_once(void) { open_once(O_RDONLY | O_CLOEXEC); }
static void write_once(void) { open_once(O_WRONLY | O_CLOEXEC); }

static void create_once(void) {
  int fd = open("probe.new", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) fail("create");
  close(fd);
}

static void remove_once(void) {
  if (unlink("probe.new") != 0) fail("unlink");
}

static const struct {
  const char *name;
  void (*once)(void);
  void (*after)(void);
} operations[] = {
    {"recvmsg", recvmsg_once, NULL}, {"chmod", chmod_once, NULL},         {"mkdir", mkdir_once, rmdir_once},
    {"read", read_once, NULL},    {"unlink", symlink_once, unlink_once}, {"write", write_once, NULL},
    {"create", create_once, remove_once},
};

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  int rounds = atoi(argv[2]), calls = atoi(argv[3]);
  close(open("probe.file", O_RDWR | O_CREAT, 0644));
  for (unsigned at = 0; at < sizeof operations / sizeof *operations; at++) {
    if (strcmp(operations[at].name, argv[1]) != 0) continue;
    int pair = operations[at].after != NULL;
    for (int round = -1; round < rounds; round++) {
      double start = now();
      for (int call = 0; call < calls; call++) {
        operations[at].once();
        if (pair) operations[at].after();
      }
      // The first round warms up.
      if (round >= 0) printf("%.0f\n", (now() - start) / calls / (pair ? 2 : 1));
    }
    return 0;
  }
  return 2;
}
