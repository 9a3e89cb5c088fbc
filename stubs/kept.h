/*
 * A plan that was kept: what it rests on is looked at, then the run's folder is made, and at the end, where nothing was changed and nothing
 * had to be judged, its records. Part of try.c. The words, each list ended by what begins the next:
 *
 *   "assent-kept 1", how many words started Assent, these; how many variables, these; the working folder
 *   s PATH STATE (links followed), l PATH STATE, R PATH REAL-PATH, b PATH BYTES, h PATH HOW-IT-BEGINS, S LINE (of /proc/self/status), T FROM UNTIL (boottime)
 *   D FOLDER MODE, Z LOCK, O (no other run), U LAYER PLACE, M FILE (of a mask), k PATH MODE UID GID ATIME NS MTIME NS, W FILE TEXT
 *   e, and D and W once more, at the end; the plan itself
 *
 * In the words of folders, files, texts and the plan some bytes stand for others: 1 the run's id, 2 when it was started, 3 when it ended,
 * 4 how, 5 the file system's time of the next place.
 * INVARIANT: whatever differs or fails before the program starts leaves nothing, and Assent plans anew.
 */
enum { LOCK_FD = 5, LISTENER_FD = 6, ANSWERS = 7, MOST_PLACES = 64, EISDIR = 21 };

static char **given, **variables, id[40], started_at[24], ended_at[24], how_it_ended[64], stamps[MOST_PLACES][40], run_folder[4200];
static char room[SIZE], held_text[1 << 18], listed[1 << 15];
static const char *node, *places[MOST_PLACES], *layers[MOST_PLACES];
static u16 modes[MOST_PLACES];
static u64 room_used, next_stamp, layer_count;
static long lock;

static char *put(char *to, const char *text) {
  while (*text) *to++ = *text++;
  *to = 0;
  return to;
}
static char *put_number(char *to, u64 n, u64 base, u64 digits) {
  char text[72], *at = text + 71;
  *at = 0;
  for (u64 i = 0; i < digits || n || !i; i++, n /= base) *--at = "0123456789abcdef"[n % base];
  return put(to, at);
}

/* Assent in the place of this process; `as` says why. */
static void __attribute__((noreturn)) become_assent(const char *as) {
  given[3] = (char *)as;
  call(SIGPROCMASK, 2, (long)&signals_before, 0, 8, 0);
  call(EXECVE, (long)node, (long)(given + 3), (long)variables, 0, 0);
  quit(125);
}
static void remove_tree(long at, const char *name) {
  if (call(UNLINKAT, at, (long)name, 0, 0, 0) != -EISDIR) return;
  call(FCHMODAT, at, (long)name, 0700, 0, 0);
  long fd = call(OPENAT, at, (long)name, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0, 0);
  char own[1024];
  for (long got; fd >= 0 && (got = call(GETDENTS, fd, (long)own, sizeof own, 0, 0)) > 0;)
    for (char *entry = own; entry < own + got; entry += *(u16 *)(entry + 16))
      if (!same(entry + 19, ".") && !same(entry + 19, "..")) remove_tree(fd, entry + 19);
  if (fd >= 0) call(CLOSE, fd, 0, 0, 0, 0);
  call(UNLINKAT, at, (long)name, 0x200, 0, 0);
}
/* Nothing was started. */
static void __attribute__((noreturn)) plan_anew(void) {
  call(UNLINKAT, AT_FDCWD, (long)given[1], 0, 0, 0);
  if (*run_folder) remove_tree(AT_FDCWD, run_folder);
  become_assent("assent: the plan is old");
}
static void must(int holds) {
  if (holds) return;
  if (can_plan_anew) plan_anew();
  quit(125);
}
static u64 seconds_of(long clock, u64 *nanoseconds) {
  u64 now[2] = { 0, 0 };
  call(CLOCK_GETTIME, clock, (long)now, 0, 0, 0);
  *nanoseconds = now[1];
  return now[0];
}
static void put_now(char *to) {
  u64 rest, now = seconds_of(0, &rest);
  put_number(to, now * 1000 + rest / 1000000, 10, 1);
}

/* As kept-plan.ts writes it: a file whole; a folder, and what is neither, by what it is; or why there is none. */
static void describe(const char *path, int flags, int whole, char *to) {
  u32 s[64];
  long failed = call(STATX, AT_FDCWD, (long)path, flags, 0x7ff, (long)s);
  if (failed < 0) {
    *to++ = '!';
    put_number(to, (u64)-failed, 10, 1);
    return;
  }
  u64 major = s[34], minor = s[35], mode = *(u16 *)(s + 7), kind = mode & 0170000;
  u64 device = (minor & 0xff) | (major & 0xfff) << 8 | (minor & ~0xffUL) << 12 | (major & ~0xfffUL) << 32;
  u64 numbers[10] = { device, *(u64 *)(s + 8), mode, s[5], s[6], *(u64 *)(s + 10), *(u64 *)(s + 28), s[30], *(u64 *)(s + 24), s[26] };
  whole |= kind == 0100000 || kind == 0120000;
  for (int i = 0; i < (whole ? 10 : 5); i++) {
    if (i) *to++ = '.';
    to = put_number(to, numbers[i], 16, 1);
  }
}
static int is_as_it_was(const char *path, const char *state, int flags) {
  char now[256];
  /* A listed folder has a state as long as a file's. */
  int dots = 0;
  for (const char *at = state; *at; at++) dots += *at == '.';
  describe(path, flags, dots > 4, now);
  return same(now, state);
}
static int leads_to(const char *path, const char *real) {
  char found[4200];
  long fd = call(OPENAT, AT_FDCWD, (long)path, O_PATH | O_CLOEXEC, 0, 0), got;
  if (fd < 0) {
    put_number(put(found, "!"), (u64)-fd, 10, 1);
    return same(found, real);
  }
  got = call(READLINKAT, AT_FDCWD, (long)fd_path(fd), (long)found, sizeof found - 1, 0);
  call(CLOSE, fd, 0, 0, 0, 0);
  if (got <= 0) return 0;
  found[got] = 0;
  return same(found, real);
}
static u64 read_file(const char *path) {
  long fd = call(OPENAT, AT_FDCWD, (long)path, O_CLOEXEC | O_NONBLOCK, 0, 0);
  u64 size = fd < 0 ? ~0UL : read_all(fd, held_text, sizeof held_text);
  if (fd >= 0) call(CLOSE, fd, 0, 0, 0, 0);
  if (size != ~0UL) held_text[size] = 0;
  return size;
}
static int begins_with(const char *path, const char *hex) {
  u64 size = length(hex) / 2;
  long fd = call(OPENAT, AT_FDCWD, (long)path, O_CLOEXEC | O_NONBLOCK, 0, 0);
  if (fd < 0 || size > 4096) return 0;
  int holds = call(READ, fd, (long)held_text, 4096, 0, 0) == (long)size;
  call(CLOSE, fd, 0, 0, 0, 0);
  for (u64 i = 0; holds && i < size; i++) {
    char digits[8];
    put_number(digits, (unsigned char)held_text[i], 16, 2);
    holds = digits[0] == hex[2 * i] && digits[1] == hex[2 * i + 1];
  }
  return holds;
}
static int status_says(const char *line) {
  if (read_file("/proc/self/status") == ~0UL) return 0;
  for (char *at = held_text, *end; *at; at = end + 1) {
    for (end = at; *end && *end != '\n';) end++;
    int is_last = !*end;
    *end = 0;
    if (same(at, line)) return 1;
    if (is_last) return 0;
  }
  return 0;
}

/* With the bytes that stand for others. */
static char *expand(char *word) {
  int marked = 0;
  for (char *at = word; *at; at++) marked |= *at >= 1 && *at <= 5;
  if (!marked) return word;
  char *to = room + room_used, *begun = to;
  for (char *at = word; *at; at++) {
    must(to < room + SIZE - 256);
    if (*at < 1 || *at > 5) *to++ = *at;
    else if (*at == 5) must(next_stamp < layer_count), to = put(to, stamps[next_stamp++]);
    else to = put(to, *at == 1 ? id : *at == 2 ? started_at : *at == 3 ? ended_at : how_it_ended);
  }
  *to++ = 0;
  room_used += (u64)(to - begun);
  return begun;
}

/* Somebody holds the lock of another run. */
static int is_alone(const char *tried) {
  char path[4400];
  long fd = call(OPENAT, AT_FDCWD, (long)tried, O_DIRECTORY | O_CLOEXEC, 0, 0), got;
  if (fd < 0) return 0;
  while ((got = call(GETDENTS, fd, (long)listed, sizeof listed, 0, 0)) > 0)
    for (char *entry = listed; entry < listed + got; entry += *(u16 *)(entry + 16)) {
      if (same(entry + 19, id) || same(entry + 19, "..")) continue;
      put(put(put(put(path, tried), "/"), entry + 19), "/lock");
      long other = call(OPENAT, AT_FDCWD, (long)path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0, 0);
      if (other < 0) continue;
      long free = call(FLOCK, other, 6, 0, 0, 0);
      call(CLOSE, other, 0, 0, 0, 0);
      if (free < 0) return 0;
    }
  call(CLOSE, fd, 0, 0, 0, 0);
  return got == 0;
}
/* The mode of a place itself is that of its layer. */
static int is_untouched(u64 layer) {
  u32 s[64];
  long fd = call(OPENAT, AT_FDCWD, (long)layers[layer], O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0, 0), got, count = 0;
  if (fd < 0 || call(STATX, fd, (long)"", 0x1000, 0x7ff, (long)s) < 0 || *(u16 *)(s + 7) != modes[layer]) return 0;
  while ((got = call(GETDENTS, fd, (long)listed, sizeof listed, 0, 0)) > 0)
    for (char *entry = listed; entry < listed + got; entry += *(u16 *)(entry + 16)) count++;
  call(CLOSE, fd, 0, 0, 0, 0);
  return got == 0 && count == 2;
}
/* A kernel before 6.13 notes the time of its last tick, every 4 to 10 ms. */
static void note_place(const char *layer, const char *place) {
  u32 a[64], b[64];
  must(layer_count < MOST_PLACES && call(STATX, AT_FDCWD, (long)layer, AT_SYMLINK_NOFOLLOW, 0x7ff, (long)a) == 0 &&
       call(STATX, AT_FDCWD, (long)place, AT_SYMLINK_NOFOLLOW, 0x7ff, (long)b) == 0);
  u64 rest = a[26], seconds = *(u64 *)(a + 24);
  if (a[34] != b[34] || a[35] != b[35]) {
    seconds = seconds_of(0, &rest);
    if (rest < 10000000) seconds--, rest += 1000000000;
    rest -= 10000000;
  }
  char *to = put_number(stamps[layer_count], seconds, 10, 1);
  *to++ = ',';
  put_number(to, rest, 10, 1);
  modes[layer_count] = *(u16 *)(a + 7);
  layers[layer_count] = layer;
  places[layer_count++] = place;
}
static int write_new(const char *path, const char *text) {
  long fd = call(OPENAT, AT_FDCWD, (long)path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600, 0);
  if (fd < 0) return 0;
  u64 size = length(text);
  long written = call(WRITE, fd, (long)text, (long)size, 0, 0);
  call(CLOSE, fd, 0, 0, 0, 0);
  return written == (long)size;
}
static int make_folder(const char *path, const char *mode) {
  return call(MKDIRAT, AT_FDCWD, (long)path, 0700, 0, 0) == 0 && call(FCHMODAT, AT_FDCWD, (long)path, (long)number(mode), 0, 0) == 0;
}
static int make_masked(const char *path) {
  return write_new(path, "") && call(SETXATTR, (long)path, (long)"user.assent.masked", (long)"", 0, 0) == 0;
}
static int show(const char *path, char **f) {
  u64 times[4] = { number(f[3]), number(f[4]), number(f[5]), number(f[6]) };
  return call(FCHOWNAT, AT_FDCWD, (long)path, (long)number(f[1]), (long)number(f[2]), AT_SYMLINK_NOFOLLOW) == 0 &&
         call(FCHMODAT, AT_FDCWD, (long)path, (long)number(f[0]), 0, 0) == 0 &&
         call(UTIMENSAT, AT_FDCWD, (long)path, (long)times, AT_SYMLINK_NOFOLLOW, 0) == 0;
}

/* Carries out the words up to the one that begins what comes next; 0: one failed. */
static int do_steps(int *at, int count) {
  while (*at + 8 < count) {
    char letter = words[*at][0], **f = words + *at + 1;
    u64 rest, now;
    int more = 2, done = 0;
    if (words[*at][1]) return same(words[*at], "assent-try 1");
    switch (letter) {
      case 's': done = is_as_it_was(f[0], f[1], 0); break;
      case 'l': done = is_as_it_was(f[0], f[1], AT_SYMLINK_NOFOLLOW); break;
      case 'R': done = leads_to(f[0], f[1]); break;
      case 'b': done = read_file(f[0]) == length(f[1]) && same(held_text, f[1]); break;
      case 'h': done = begins_with(f[0], f[1]); break;
      case 'S': done = status_says(f[0]), more = 1; break;
      case 'T': now = seconds_of(7, &rest), done = now >= number(f[0]) && now < number(f[1]); break;
      case 'D': done = make_folder(expand(f[0]), f[1]); break;
      case 'Z':
        lock = call(OPENAT, AT_FDCWD, (long)expand(f[0]), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600, 0);
        done = lock >= 0 && call(FLOCK, lock, 6, 0, 0, 0) == 0, more = 1;
        break;
      case 'O': done = is_alone(given[2]), more = 0; break;
      case 'U': note_place(expand(f[0]), f[1]), done = 1; break;
      case 'M': done = make_masked(expand(f[0])), more = 1; break;
      case 'k': done = show(expand(f[0]), f + 1), more = 8; break;
      case 'W': done = write_new(expand(f[0]), expand(f[1])); break;
      case 'e': *at += 1; return 1;
    }
    if (!done) return 0;
    *at += 1 + more;
  }
  return 0;
}

/* Assent judges what is trapped, and has the rest of this run from here on, beside it; it dies with this, and this ends as it does. */
static void judge_calls(long listener) {
  static char as[64];
  put(put(as, "assent: judges "), id);
  judge = (int)need(call(CLONE, SIGCHLD, 0, 0, 0, 0));
  if (judge) return;
  call(PRCTL, 1, SIGKILL, 0, 0, 0);
  call(DUP3, listener, 23, O_CLOEXEC, 0, 0);
  call(DUP3, 23, LISTENER_FD, 0, 0, 0);
  call(DUP3, ANSWERS, PLAN, 0, 0, 0);
  call(DUP3, lock, LOCK_FD, 0, 0, 0);
  become_assent(as);
}

static void make_id(void) {
  u64 rest, now = seconds_of(0, &rest), day = now / 86400 + 719468, of_day = now % 86400;
  u64 era = day / 146097, in_era = day % 146097, years = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
  u64 in_year = in_era - (365 * years + years / 4 - years / 100), month = (5 * in_year + 2) / 153, random = 0;
  must(call(GETRANDOM, (long)&random, 3, 0, 0, 0) == 3);
  char *to = put_number(id, era * 400 + years + (month >= 10), 10, 4);
  to = put_number(put_number(to, month < 10 ? month + 3 : month - 9, 10, 2), in_year - (153 * month + 2) / 5 + 1, 10, 2);
  *to++ = '-';
  to = put_number(put_number(put_number(to, of_day / 3600, 10, 2), of_day / 60 % 60, 10, 2), of_day % 60, 10, 2);
  *to++ = '-';
  put_number(to, random, 16, 6);
}
/* The command, with all that was said with it, is the one of the plan. Where its words go on. */
static int is_for(int count) {
  int at = 2;
  char cwd[4200];
  for (int lists = 0; lists < 2; lists++) {
    char **are = lists ? variables : given + 4;
    u64 listed_here = number(words[at - 1]);
    if (listed_here > MOST_WORDS || (u64)at + listed_here + 2 >= (u64)count) return 0;
    for (; listed_here; listed_here--, are++)
      if (!*are || !same(*are, words[at++])) return 0;
    if (*are) return 0;
    at++;
  }
  long size = call(GETCWD, (long)cwd, sizeof cwd, 0, 0, 0);
  return size > 0 && same(cwd, words[at - 1]) ? at : 0;
}

static void __attribute__((noreturn)) run_kept(char **argv, char **envp) {
  static u64 ignored[4];
  u32 s[64];
  int ends[2], at;
  is_kept = can_plan_anew = 1;
  given = argv, variables = envp, node = argv[3];
  call(SIGPROCMASK, 2, (long)&all_signals, (long)&signals_before, 8, 0);
  /* Node ignores some, and a program does not expect that. */
  for (long signal = 1; signal < 65; signal++) call(SIGACTION, signal, (long)ignored, 0, 8, 0);
  long file = call(OPENAT, AT_FDCWD, (long)argv[1], O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0, 0);
  must(file >= 0 && call(STATX, file, (long)"", 0x1000, 0x7ff, (long)s) == 0);
  must(*(u16 *)(s + 7) == 0100600 && s[4] == 1 && s[5] == (u32)call(GETEUID, 0, 0, 0, 0, 0));
  int count = read_words(file);
  call(CLOSE, file, 0, 0, 0, 0);
  must(count > 8 && same(words[0], "assent-kept 1") && (at = is_for(count)) > 0);
  make_id();
  put_now(started_at);
  must(length(argv[2]) < 4000);
  put(put(put(run_folder, argv[2]), "/"), id);
  must(do_steps(&at, count));
  int end_steps = at;
  while (at < count && !same(words[at], "assent-try 1")) at++;
  must(is_whole(at, count));
  for (int i = at; i < count; i++) words[i] = expand(words[i]);
  must(call(PIPE2, (long)ends, O_CLOEXEC | O_NONBLOCK, 0, 0, 0) == 0);
  must(call(DUP3, lock, 20, O_CLOEXEC, 0, 0) == 20 && call(DUP3, ends[0], 21, O_CLOEXEC, 0, 0) == 21 && call(DUP3, ends[1], 22, O_CLOEXEC, 0, 0) == 22);
  call(CLOSE_RANGE, 3, 19, 0, 0, 0);
  must(call(DUP3, 22, REPORT, O_CLOEXEC, 0, 0) == REPORT && call(DUP3, 21, ANSWERS, O_CLOEXEC, 0, 0) == ANSWERS);
  lock = 20;
  call(CLOSE, 21, 0, 0, 0, 0);
  call(CLOSE, 22, 0, 0, 0, 0);

  run_plan(at, count);

  if (judge) {
    int last = judge;
    call(CLOSE, REPORT, 0, 0, 0, 0);
    judge = 0;
    int status = await(last, 0, -1);
    quit(status & 0x7f ? 128 + (status & 0x7f) : status >> 8 & 0xff);
  }
  char said[128];
  long got = call(READ, ANSWERS, (long)said, sizeof said - 1, 0, 0);
  if (got > 0 && (*said == 'E' || *said == 'X')) can_plan_anew = 1, must(0);
  if (got > 2 && *said == 'S') {
    said[got] = 0;
    char *end = said + 2;
    while (*end >= '0' && *end <= '9') end++;
    *end = 0;
    u64 status = number(said + 2), signal = status & 0x7f, code = status >> 8 & 0xff;
    *end = ' ';
    put_now(ended_at);
    put(put_number(put(how_it_ended, signal ? "{\"by\":\"signal\",\"signal\":" : "{\"by\":\"exit\",\"code\":"), signal ? signal : code, 10, 1), "}");
    int untouched = 1;
    for (u64 i = 0; i < layer_count; i++) untouched &= is_untouched(i);
    if (untouched && do_steps(&end_steps, count)) {
      remove_tree(AT_FDCWD, run_folder);
      quit((int)(signal ? 128 + signal : code));
    }
    call(WRITE, REPORT, (long)said, got, 0, 0);
  }
  static char as[64];
  put(put(as, "assent: ended "), id);
  call(DUP3, ANSWERS, PLAN, 0, 0, 0);
  call(DUP3, lock, LOCK_FD, 0, 0, 0);
  become_assent(as);
}
