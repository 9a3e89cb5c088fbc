// gcc -m32 -nostdlib -static -fno-pie -no-pie -fno-stack-protector
/* A program of the i386 ABI (or, on arm64, of 32-bit ARM's) without a C library: truncates /srv/O/f and says `elf32 0`, or `elf32 failed`. */
static int call(int nr, int a, int b, int c) {
#ifdef __arm__
  register int number __asm__("r7") = nr, first __asm__("r0") = a, second __asm__("r1") = b, third __asm__("r2") = c;
  __asm__ volatile("svc 0" : "+r"(first) : "r"(number), "r"(second), "r"(third) : "memory");
  return first;
#else
  int result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(nr), "b"(a), "c"(b), "d"(c) : "memory");
  return result;
#endif
}

void _start(void) {
  int fd = call(5, (int)"/srv/O/f", 01001, 0);
  if (fd < 0) call(4, 1, (int)"elf32 failed\n", 13); else call(4, 1, (int)"elf32 0\n", 8);
  call(1, 0, 0, 0);
}
