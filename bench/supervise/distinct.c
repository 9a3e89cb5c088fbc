// Touches many paths, each once or twice, as installers do: `distinct FOLDERS FILES`, in an empty working folder.
// Makes the folders with a parent each, writes the files into them, renames and deletes some, and reads some.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[256], other[256];

static void check(int result, const char *what) {
  if (result >= 0) return;
  perror(what);
  exit(1);
}

static const char *folder(int at) {
  sprintf(path, "node_modules/package-%d/lib%d", at / 4, at % 4);
  return path;
}

static const char *file(int at, int folders) {
  static const char *const endings[] = {"js", "d.ts", "js.map", "json", "md"};
  folder(at % folders);
  sprintf(path + strlen(path), "/module-%d.%s", at / folders, endings[at % 5]);
  return path;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  int folders = atoi(argv[1]), files = atoi(argv[2]);
  check(mkdir("node_modules", 0777), "mkdir");
  for (int at = 0; at < folders; at++) {
    if (at % 4 == 0) {
      sprintf(path, "node_modules/package-%d", at / 4);
      check(mkdir(path, 0777), "mkdir");
    }
    check(mkdir(folder(at), 0777), "mkdir");
  }
  for (int at = 0; at < files; at++) {
    int fd = open(file(at, folders), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    check(fd, "create");
    check(write(fd, "text\n", 5), "write");
    close(fd);
    if (at % 16 == 0) {
      strcpy(other, path);
      strcat(other, ".new");
      check(rename(path, other), "rename");
      check(rename(other, path), "rename");
    }
  }
  for (int at = 0; at < files; at += 4) {
    int fd = open(file(at, folders), O_RDONLY | O_CLOEXEC);
    check(fd, "read");
    close(fd);
  }
  for (int at = 0; at < files; at += 32) check(unlink(file(at, folders)), "unlink");
  return 0;
}
