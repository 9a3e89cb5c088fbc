// gcc -no-pie
#define _GNU_SOURCE
/* System calls of another ABI from a 64-bit program: int 0x80 takes i386 numbers. Prints what each returned. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <fcntl.h>


static long int80(long nr, long a, long b, long c) {
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(nr), "b"(a), "c"(b), "d"(c) : "memory", "r8", "r9", "r10", "r11");
  return (int)result;
}

static void say(const char *label, long result) {
  if (result < 0) printf("%s %s\n", label, strerrorname_np(-result)); else printf("%s %ld\n", label, result);
}

int main(int argc, char **argv) {
  /* Addresses of 32 bits. */
  char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  setvbuf(stdout, NULL, _IOLBF, 0);
  strcpy(low, argv[1]);
  say("getpid", int80(20, 0, 0, 0));
  say("write", int80(5, (long)low, O_WRONLY | O_TRUNC, 0));
  strcpy(low, argv[2]);
  say("read", int80(5, (long)low, O_RDONLY, 0));
  strcpy(low, argv[1]);
  say("unlink", int80(10, (long)low, 0, 0));
  return 0;
}
