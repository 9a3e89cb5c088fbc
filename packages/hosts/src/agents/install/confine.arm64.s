// As confine.x64.s. A test assembles and compares it; it has run under an emulated kernel for arm64, on no such processor.
	.text
start:
	ldr	x19, [sp]		// argc
	add	x20, sp, #8		// argv
	add	x21, x20, x19, lsl #3
	add	x21, x21, #8		// envp
	adr	x1, table
	ldrb	w24, [x1], #1
	add	x0, x24, #2
	cmp	x19, x0
	b.lo	usage
	mov	x2, #0
count:
	ldr	x0, [x21, x2, lsl #3]
	cbz	x0, counted
	add	x2, x2, #1
	b	count
counted:
	add	x0, x2, x19
	add	x0, x0, #65
	lsr	x0, x0, #1
	lsl	x0, x0, #4
	mov	x2, sp
	sub	x2, x2, x0
	mov	sp, x2
	mov	x22, x2
	mov	x23, #0
fixed:
	ldrb	w0, [x1]
	cbz	w0, variables
	str	x1, [x22, x23, lsl #3]
	add	x23, x23, #1
past:
	ldrb	w0, [x1], #1
	cbnz	w0, past
	b	fixed
variables:
	add	x1, x1, #1
variable:
	ldr	x3, [x21], #8
	cbz	x3, words
	ldrb	w0, [x3]
	cmp	w0, #0x5f
	b.eq	hand
	orr	w2, w0, #0x20
	cmp	w2, #0x61
	b.lo	variable
	cmp	w2, #0x7a
	b.hi	variable
hand:
	eor	w0, w0, #0x40
	strb	w0, [x3]
	str	x3, [x22, x23, lsl #3]
	add	x23, x23, #1
	b	variable
words:
	str	xzr, [x22, x23, lsl #3]
	add	x23, x23, #1
	add	x21, x22, x23, lsl #3	// the new argv
listed:
	ldrb	w0, [x1]
	cbz	w0, given
	str	x1, [x22, x23, lsl #3]
	add	x23, x23, #1
passed:
	ldrb	w0, [x1], #1
	cbnz	w0, passed
	b	listed
given:
	cbz	w24, dashes
	ldr	x0, [x20, #8]!
	str	x0, [x22, x23, lsl #3]
	add	x23, x23, #1
	sub	w24, w24, #1
	b	given
dashes:
	adr	x0, separator
	str	x0, [x22, x23, lsl #3]
	add	x23, x23, #1
rest:
	ldr	x0, [x20, #8]!
	str	x0, [x22, x23, lsl #3]
	add	x23, x23, #1
	cbnz	x0, rest
	ldr	x0, [x21]
	mov	x1, x21
	mov	x2, x22
	mov	x8, #221		// execve
	svc	#0
	mov	x0, #2
	adr	x1, failed
	mov	x2, #(unused - failed)
	b	say
usage:
	mov	x0, #2
	adr	x1, unused
	mov	x2, #(separator - unused)
say:
	mov	x8, #64			// write
	svc	#0
	mov	x0, #125
	mov	x8, #94			// exit_group
	svc	#0
failed:
	.ascii	"assent: this command was not started, because Assent could not be; run: assent doctor\n"
unused:
	.ascii	"assent: this starts a command confined: confine TICKET COMMAND\n"
separator:
	.asciz	"--"
table:
