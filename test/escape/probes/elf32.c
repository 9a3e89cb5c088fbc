// gcc -m32 -nostdlib -static -fno-pie -no-pie -fno-stack-protector
/* A program of the i386 ABI without a C library: truncates /srv/O/f and says `elf32 0`, or `elf32 failed`. */
static int call(int nr, int a, int b, int c) {
  int result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(nr), "b"(a), "c"(b), "d"(c) : "memory");
  return result;
}

void _start(void) {
  int fd = call(5, (int)"/srv/O/f", 01001, 0);
  if (fd < 0) call(4, 1, (int)"elf32 failed\n", 13); else call(4, 1, (int)"elf32 0\n", 8);
  call(1, 0, 0, 0);
}
