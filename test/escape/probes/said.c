// gcc -static
/* A small program to be allowed for one word and denied for another: says what it was told, in its status and in /srv/W/said. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "push")) {
    int fd = open("/srv/W/pushed", O_CREAT | O_WRONLY, 0644);
    close(fd);
    return 7;
  }
  return 0;
}
