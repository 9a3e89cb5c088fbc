/*
 * `long start(struct block *)`, the one routine that is no program: clones, and in the child makes a list of system calls, of which the last
 * is an execve. The child shares all memory with its parent until then, so nothing of a library may run in it. What clone returned is
 * returned; the child ends with status 127 at the first call that fails and may not. launch/routine.ts writes the block and maps these
 * bytes at the beginning of a page, wherever there is one: they have no data and no fixed address.
 */
#define ROUTINE
#include "assent.h"

/* `tolerated`: a set of errnos that do not matter (bit n: errno n). */
struct step { i64 number, arguments[6], result; u64 tolerated; };
struct block { i64 flags; void *stack; struct step steps[]; };

static void make_calls(void *block) {
	for (struct step *step = ((struct block *)block)->steps;; step++) {
		i64 *with = step->arguments;
		i64 result = step->result = call6(step->number, with[0], with[1], with[2], with[3], with[4], with[5]);
		if (result >= 0 || result < -4095) continue;
		if (result < -63 || (step->tolerated >> -result & 1) == 0) leave(127);
	}
}

__attribute__((section(".text.start"))) i64 start(struct block *block) { return clone_child(block->flags, make_calls, block, block->stack); }
