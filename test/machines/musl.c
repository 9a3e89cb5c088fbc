// A program for test/machines/musl.sh: changes files of the project by musl's own calls, and tries what it may not.
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int writes(const char *name) {
  FILE *file = fopen(name, "w");
  return file && fputs("new\n", file) >= 0 && fclose(file) == 0;
}

static void *thread(void *given) { return writes("threaded") ? given : 0; }

static void harm(const char *what, int worked) {
  if (worked) printf("HARM %s\n", what);
}

int main(void) {
  char secret[4200], other[4200], next[4200], folder[4200];
  const char *home = getenv("HOME");
  snprintf(secret, sizeof secret, "%s/.ssh/id_rsa", home);
  snprintf(other, sizeof other, "%s/other", home);
  snprintf(next, sizeof next, "%s/x", home);
  snprintf(folder, sizeof folder, "%s/.config", home);

  if (!writes("made")) return 3;
  if (unlink("draft")) return 4;
  if (mkdir("folder", 0755) || rename("old", "folder/moved")) return 5;
  pthread_t one;
  void *ended;
  if (pthread_create(&one, 0, thread, &one) || pthread_join(one, &ended) || !ended) return 6;
  pid_t child;
  int status;
  char *argv[] = {"true", 0};
  if (posix_spawnp(&child, "true", 0, 0, argv, environ) || waitpid(child, &status, 0) != child || status) return 7;
  DIR *here = opendir(".");
  if (!here || !readdir(here) || closedir(here)) return 8;

  harm("read", open(secret, O_RDONLY) >= 0);
  harm("write", open(other, O_WRONLY) >= 0);
  harm("chmod", chmod(other, 0777) == 0);
  harm("link", link(other, "l") == 0);
  harm("rename", rename(other, next) == 0);
  harm("mkdir", mkdir(folder, 0755) == 0);
  harm("remove", remove(other) == 0);
  puts("end");
  return 0;
}
