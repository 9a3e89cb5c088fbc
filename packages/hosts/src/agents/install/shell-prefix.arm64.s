// As shell-prefix.x64.s. A test assembles and compares it; it has run under an emulated kernel for arm64, on no such processor.
	.text
start:
	ldr	x19, [sp]		// argc
	add	x20, sp, #8		// argv
	add	x21, x20, x19, lsl #3
	add	x21, x21, #8		// envp
	mov	x25, x21
	adr	x1, table
	cmp	x19, #2
	b.ne	usage
	ldr	x20, [x20, #8]		// the command
	mov	x2, #0
count:
	ldr	x0, [x21, x2, lsl #3]
	cbz	x0, counted
	add	x2, x2, #1
	b	count
counted:
	add	x0, x2, #81
	lsr	x0, x0, #1
	lsl	x0, x0, #4
	mov	x2, sp
	sub	x2, x2, x0
	mov	x22, x2
	sub	x2, x2, #16		// for a status
	mov	sp, x2
	mov	x23, #0
	bl	list
	mov	x26, x23		// from here on they are the caller's
variable:
	ldr	x3, [x21], #8
	cbz	x3, variables
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
variables:
	str	xzr, [x22, x23, lsl #3]
	add	x23, x23, #1
	add	x21, x22, x23, lsl #3	// who says
	bl	words
	add	x24, x22, x23, lsl #3	// who confines
	bl	words
	mov	x0, #0x4111
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	mov	x4, #0
	mov	x8, #220		// clone
	svc	#0
	cbz	x0, child
	tbnz	x0, #63, broken
	mov	x19, x0
wait:
	mov	x0, x19
	sub	x1, x22, #16
	mov	x2, #0
	mov	x3, #0
	mov	x8, #260		// wait4
	svc	#0
	cmn	x0, #4
	b.eq	wait
	tbnz	x0, #63, broken
	ldr	w0, [x22, #-16]
	mov	w1, #0xff7f
	and	w0, w0, w1
	adr	x4, bash
	cbz	w0, bare
	adr	x4, zsh
	cmp	w0, #0xb00
	b.eq	bare
	cmp	w0, #0xa00
	b.ne	refused
	ldr	x0, [x24]
	mov	x1, x24
	mov	x2, x22
	mov	x8, #221		// execve
	svc	#0
	b	broken
bare:
	ldr	x0, [x22, x26, lsl #3]
	cbz	x0, unchanged
	ldrb	w1, [x0]
	eor	w1, w1, #0x40
	strb	w1, [x0]
	add	x26, x26, #1
	b	bare
unchanged:
	str	x4, [x24]
	adr	x0, option
	str	x0, [x24, #8]
	adr	x0, separator
	str	x0, [x24, #16]
	str	x20, [x24, #24]
	str	xzr, [x24, #32]
	mov	x0, x4
	mov	x1, x24
	mov	x2, x25
	mov	x8, #221		// execve
	svc	#0
	b	broken
child:
	mov	x0, #1
	mov	x1, #9
	mov	x8, #167		// prctl
	svc	#0
	mov	x0, #-100		// AT_FDCWD
	adr	x1, nothing		// what the command is to read is left to it
	mov	x2, #0x80000		// O_RDONLY | O_CLOEXEC
	mov	x3, #0
	mov	x8, #56			// openat
	svc	#0
	cbz	x0, nowhere
	mov	x1, #0
	mov	x2, #0
	mov	x8, #24			// dup3
	svc	#0
	tbnz	x0, #63, unable
nowhere:
	ldr	x0, [x21]
	mov	x1, x21
	mov	x2, x22
	mov	x8, #221		// execve
	svc	#0
unable:
	mov	x0, #127
	mov	x8, #93			// exit
	svc	#0
broken:
	adr	x1, failed
	mov	x2, #(unused - failed)
	b	say
usage:
	adr	x1, unused
	mov	x2, #(nothing - unused)
say:
	mov	x0, #2
	mov	x8, #64			// write
	svc	#0
	mov	x0, #125
	b	end
refused:
	mov	x0, #126
end:
	mov	x8, #94			// exit_group
	svc	#0
words:
	mov	x27, x30
	bl	list
	add	x2, x22, x23, lsl #3
	adr	x0, separator
	str	x0, [x2]
	str	x20, [x2, #8]
	str	xzr, [x2, #16]
	add	x23, x23, #3
	ret	x27
list:
	ldrb	w0, [x1]
	cbz	w0, listed
	str	x1, [x22, x23, lsl #3]
	add	x23, x23, #1
past:
	ldrb	w0, [x1], #1
	cbnz	w0, past
	b	list
listed:
	add	x1, x1, #1
	ret
failed:
	.ascii	"assent: this command was not started, because Assent could not be; run: assent doctor\n"
unused:
	.ascii	"assent: this starts a command as Assent says: claude-shell COMMAND\n"
nothing:
	.asciz	"/dev/null"
option:
	.asciz	"-c"
separator:
	.asciz	"--"
bash:
	.asciz	"/bin/bash"
zsh:
	.asciz	"/bin/zsh"
table:
