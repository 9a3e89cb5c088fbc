// Opens and closes every file of a folder for reading, again and again: `opens FOLDER TIMES`. Prints nanoseconds an open.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(int argc, char **argv) {
  static char *names[100000];
  int count = 0;
  if (argc != 3 || chdir(argv[1]) != 0) return 2;
  DIR *folder = opendir(".");
  if (folder == NULL) return 2;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL && count < 100000;)
    if (entry->d_type == DT_REG) names[count++] = strdup(entry->d_name);
  closedir(folder);
  long opened = 0;
  double start = now();
  for (int round = 0; round < atoi(argv[2]); round++)
    for (int at = 0; at < count; at++) {
      int fd = open(names[at], O_RDONLY | O_CLOEXEC);
      if (fd < 0) {
        perror(names[at]);
        return 1;
      }
      close(fd);
      opened++;
    }
  printf("%.1f\n", (now() - start) / opened);
  return 0;
}
