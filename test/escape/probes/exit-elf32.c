// gcc -m32 -nostdlib -static -fno-pie -no-pie -fno-stack-protector
/* A program of the i386 ABI (or, on arm64, of 32-bit ARM's) that ends: where it does not start, the machine runs none. */
void _start(void) {
#ifdef __arm__
  register int number __asm__("r7") = 1, first __asm__("r0") = 0;
  __asm__ volatile("svc 0" : : "r"(number), "r"(first));
#else
  __asm__ volatile("int $0x80" : : "a"(1), "b"(0));
#endif
}
