// What stands in front of a supervised run: front.x64.s, for arm64.
	.text
	.set	fds, 0
	.set	mask, 8
	.set	before, 16
	.set	errno, 24
	.set	polled, 32
	.set	status, 48
	.set	writing, 56
	.set	zero, 64
	.set	said, 96
	.set	data, 256
start:
	ldr	x19, [sp]		// argc
	add	x20, sp, #8		// argv
	add	x21, x20, x19, lsl #3
	add	x21, x21, #8		// envp
	cmp	x19, #4
	b.lo	usage
	lsl	x0, x19, #3
	add	x0, x0, #31
	and	x0, x0, #-16
	mov	x1, sp
	sub	x1, x1, x0
	mov	sp, x1
	mov	x22, sp			// the words of what is started
	sub	sp, sp, #data
	mov	x23, sp
	mov	x0, x23
	mov	x1, #data
clear:
	str	xzr, [x0], #8
	subs	x1, x1, #8
	b.ne	clear
	mov	x0, #-100		// AT_FDCWD
	adr	x1, outer
	mov	x2, #2			// O_RDWR | O_CLOEXEC
	movk	x2, #8, lsl #16
	mov	x3, #0
	mov	x8, #56			// openat
	svc	#0
	tbnz	w0, #31, outside
	add	x1, x20, #8
	ldr	x0, [x1]
	mov	x2, x21
	mov	x8, #221		// execve
	svc	#0
	b	broken
outside:
	ldp	x0, x1, [x20, #8]
	stp	x0, x1, [x22]
	ldr	x0, [x20, #24]
	adr	x1, beside
	stp	x0, x1, [x22, #16]
	add	x0, x20, #32
	add	x1, x22, #32
word:
	ldr	x2, [x0], #8
	str	x2, [x1], #8
	cbnz	x2, word		// with the NULL at the end
	add	x0, x23, #fds
	mov	x1, #0x800		// O_CLOEXEC | O_NONBLOCK
	movk	x1, #8, lsl #16
	mov	x8, #59			// pipe2
	svc	#0
	tbnz	w0, #31, broken
	ldr	w0, [x23, #fds]
	bl	move
	tbnz	w0, #31, broken
	str	w0, [x23, #polled]
	ldr	w0, [x23, #fds + 4]
	bl	move
	tbnz	w0, #31, broken
	str	w0, [x23, #writing]
	mov	x0, #17			// SIGCHLD: whoever ignores it hears of no end
	bl	default
	mov	x0, #0x6a07		// HUP, INT, QUIT, USR1, USR2, ALRM, TERM, CHLD
	movk	x0, #1, lsl #16
	str	x0, [x23, #mask]
	mov	x0, #0			// SIG_BLOCK
	add	x1, x23, #mask
	add	x2, x23, #before
	bl	block
	mov	x0, #-1
	add	x1, x23, #mask
	mov	x2, #8
	mov	x3, #0x80000		// SFD_CLOEXEC
	mov	x8, #74			// signalfd4
	svc	#0
	tbnz	w0, #31, broken
	str	w0, [x23, #polled + 8]
	mov	w0, #1			// POLLIN
	strh	w0, [x23, #polled + 4]
	strh	w0, [x23, #polled + 12]
	mov	x0, #0x4111		// CLONE_VM | CLONE_VFORK | SIGCHLD: we wait until the child has become the program
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	mov	x4, #0
	mov	x8, #220		// clone
	svc	#0
	cbz	x0, child
	tbnz	x0, #63, broken
	mov	x24, x0
	ldr	x0, [x23, #errno]
	cbnz	x0, broken
	ldr	w0, [x23, #writing]
	mov	x8, #57			// close
	svc	#0
next:
	add	x0, x23, #polled
	mov	x1, #2
	mov	x2, #0
	mov	x3, #0
	mov	x4, #8
	mov	x8, #73			// ppoll
	svc	#0
	tbnz	w0, #31, next
	ldrh	w0, [x23, #polled + 6]
	cbz	w0, signals
	bl	hear
	cmp	x0, #0
	b.gt	told
	b.ne	signals
	mov	w0, #-1			// nobody will tell
	str	w0, [x23, #polled]
signals:
	ldrh	w0, [x23, #polled + 14]
	cbz	w0, next
	ldr	w0, [x23, #polled + 8]
	add	x1, x23, #said
	mov	x2, #128		// struct signalfd_siginfo
	mov	x8, #63			// read
	svc	#0
	cmp	x0, #128
	b.ne	next
	ldr	w1, [x23, #said]
	cmp	w1, #17
	b.eq	ended
	mov	x0, x24
	mov	x8, #129		// kill
	svc	#0
	b	next
ended:
	mov	x0, x24
	add	x1, x23, #status
	mov	x2, #1			// WNOHANG
	mov	x3, #0
	mov	x8, #260		// wait4
	svc	#0
	cmp	x0, x24
	b.ne	next
	bl	hear			// what it said last
	cmp	x0, #0
	b.gt	told
	ldr	w1, [x23, #status]
	ubfx	w0, w1, #8, #8
	ands	w1, w1, #0x7f
	b.eq	end
	add	w0, w1, #128
	b	end
hear:
	ldr	w0, [x23, #polled]
	add	x1, x23, #said
	mov	x2, #127
	mov	x8, #63			// read
	svc	#0
	ret
told:
	add	x1, x23, #said
	strb	wzr, [x1, x0]
	mov	x25, #0
	mov	x3, #10
	ldrb	w2, [x1]
	cmp	w2, #0x73		// s
	cset	w4, eq
	add	x1, x1, x4
digit:
	ldrb	w2, [x1], #1
	sub	w2, w2, #0x30
	cmp	w2, #9
	b.hi	number
	madd	w25, w25, w3, w2
	b	digit
number:
	mov	w0, w25
	cbz	w4, end
	mov	w1, #0xd206		// HUP, INT, KILL, USR2, ALRM, TERM: they end a process and leave no core file
	cmp	w25, #31
	b.hi	high
	lsr	w1, w1, w25
	tbz	w1, #0, high
	bl	default
	mov	x0, #2			// SIG_SETMASK
	add	x1, x23, #zero
	mov	x2, #0
	bl	block
	mov	x8, #172		// getpid
	svc	#0
	mov	x1, x25
	mov	x8, #129		// kill
	svc	#0
high:
	add	w0, w25, #128
	b	end
child:
	mov	x0, #2			// SIG_SETMASK
	add	x1, x23, #before
	mov	x2, #0
	bl	block
	mov	x0, #1			// PR_SET_PDEATHSIG: until it has its own way to end with us
	mov	x1, #9
	mov	x8, #167		// prctl
	svc	#0
	ldr	w0, [x23, #writing]
	mov	x1, #3
	mov	x2, #0
	mov	x8, #24			// dup3
	svc	#0
	tbnz	w0, #31, unable
	ldr	x0, [x22]
	mov	x1, x22
	mov	x2, x21
	mov	x8, #221		// execve
	svc	#0
unable:
	str	x0, [x23, #errno]
	mov	x0, #127
	mov	x8, #93			// exit: of this process only
	svc	#0
move:					// away from the standard streams, which may be closed
	mov	w5, w0
	mov	x1, #1030		// F_DUPFD_CLOEXEC
	mov	x2, #10
	mov	x8, #25			// fcntl
	svc	#0
	mov	w6, w0
	mov	w0, w5
	mov	x8, #57			// close
	svc	#0
	mov	w0, w6
	ret
default:
	add	x1, x23, #zero
	mov	x2, #0
	mov	x3, #8
	mov	x8, #134		// rt_sigaction
	svc	#0
	ret
block:
	mov	x3, #8
	mov	x8, #135		// rt_sigprocmask
	svc	#0
	ret
broken:
	adr	x1, failed
	mov	x2, #(unused - failed)
	mov	x19, #125
	b	say
usage:
	adr	x1, unused
	mov	x2, #(outer - unused)
	mov	x19, #2
say:
	mov	x0, #2
	mov	x8, #64			// write
	svc	#0
	mov	x0, x19
end:
	mov	x8, #94			// exit_group
	svc	#0
failed:
	.ascii	"assent: nothing was started, because Assent could not be; run: assent doctor\n"
unused:
	.ascii	"assent: this stands in front of a supervised run: front NODE PROGRAM run WORD...\n"
outer:
	.asciz	"/proc/assent"
beside:
	.asciz	"--beside"
