/*
 * Makes the system calls that its arguments describe and prints what each returned: `label 3` or `label EACCES`.
 *
 *   calls @label NR ARG... @label NR ARG...
 *
 *   i-100       an integer
 *   sTEXT       the address of a text
 *   xHEX        the address of these bytes and a NUL
 *   zSIZE       the address of this many zeros
 *   rLABEL      the result of an earlier call
 *   bNAME=HEX   the address of a buffer of 64 KiB that later calls name again; `bNAME` alone keeps what is in it
 *   dNAME       the 8 bytes at the start of that buffer
 *   { ARG... }  the address of a record of 8-byte cells
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BUFFER 65536
#define MANY 256

static struct { const char *label; long result; } done[MANY];
static int dones;
static struct { char name[32]; char *at; } buffers[MANY];
static int buffer_count;

static void wrong(const char *what) { fprintf(stderr, "calls: %s\n", what); exit(99); }

static char *unhex(const char *hex, char *into) {
  unsigned byte;
  for (; sscanf(hex, "%2x", &byte) == 1 && hex[1]; hex += 2) *into++ = (char)byte;
  *into = 0;
  return into;
}

static char *buffer(const char *text) {
  char name[32] = {0};
  const char *equals = strchr(text, '=');
  size_t length = equals ? (size_t)(equals - text) : strlen(text);
  if (length > 31) wrong("name of a buffer");
  memcpy(name, text, length);
  char *at = NULL;
  for (int i = 0; i < buffer_count; i++) if (!strcmp(buffers[i].name, name)) at = buffers[i].at;
  if (!at) {
    at = buffers[buffer_count].at = calloc(1, BUFFER);
    strcpy(buffers[buffer_count++].name, name);
  }
  if (equals) unhex(equals + 1, at);
  return at;
}

static long value(char **argv, int *at) {
  char *text = argv[(*at)++];
  switch (text[0]) {
    case 'i': return (long)strtoull(text + 1, NULL, 0);
    case 's': return (long)(text + 1);
    case 'x': { char *bytes = calloc(1, strlen(text) / 2 + 1); unhex(text + 1, bytes); return (long)bytes; }
    case 'z': return (long)calloc(1, strtoul(text + 1, NULL, 0) + 1);
    case 'b': return (long)buffer(text + 1);
    case 'd': return *(long *)buffer(text + 1);
    case 'r': for (int i = dones; i-- > 0;) if (!strcmp(done[i].label, text + 1)) return done[i].result; wrong("no such result");
    case '{': {
      long *cells = calloc(64, sizeof *cells);
      int count = 0;
      while (argv[*at] && strcmp(argv[*at], "}")) { long cell = value(argv, at); cells[count++] = cell; }
      (*at)++;
      return (long)cells;
    }
  }
  wrong("unknown kind of argument");
  return 0;
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int at = 1; at < argc;) {
    if (argv[at][0] != '@') wrong("a call starts with @label");
    const char *label = argv[at++] + 1;
    long nr = strtol(argv[at++], NULL, 0), a[6] = {0};
    for (int i = 0; at < argc && argv[at][0] != '@'; i++) a[i] = value(argv, &at);
    errno = 0;
    long result = syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (result == -1) printf("%s %s\n", label, strerrorname_np(errno)); else printf("%s %ld\n", label, result);
    done[dones].label = label;
    done[dones++].result = result;
  }
  return 0;
}
