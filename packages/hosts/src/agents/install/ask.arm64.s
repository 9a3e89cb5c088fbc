// As ask.x64.s. A test assembles and compares it, and runs it in an emulator; it has never run on such a machine.
//
// x19 argc, then the end of what is read; x20 argv; x21 envp; x22 the descriptor; x23 what goes on; sp what is kept:
	.equ	ADDRESS, 0
	.equ	POLLED, 112
	.equ	TIME, 120
	.equ	PEER, 136
	.equ	PEER_SIZE, 148
	.equ	DEADLINE, 152
	.equ	INPUT, 160
	.equ	INPUT_END, 168
	.equ	ANSWER, 176
	.equ	TEXTS, 200
	.equ	LOCK, 208
	.equ	ACTION, 328
	.equ	OLD_ACTION, 360
	.equ	STAT, 400		// of the lock: its mode is at 16, the seconds of its last change at 88
	.equ	FRAME, 544
	.equ	REQUEST, 48
	.equ	STRINGS, 1 << 20
	.equ	MOST, 64 << 20
	.text
start:
	ldr	x19, [sp]		// argc
	add	x20, sp, #8
	sub	sp, sp, #FRAME
	cmp	x19, #4
	b.lo	refuse
	add	x21, x20, x19, lsl #3
	add	x21, x21, #8
	mov	x0, #1
	mov	x1, #1			// F_GETFD
	mov	x8, #25			// fcntl
	svc	#0
	tbnz	x0, #63, refuse
	ldr	x0, [x20, #16]
	ldrb	w0, [x0]
	cmp	w0, #'/'
	b.ne	refuse
	mov	x0, #39			// PR_GET_NO_NEW_PRIVS
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	mov	x4, #0
	mov	x8, #167		// prctl
	svc	#0
	cbnz	x0, fresh
	mov	w0, #1			// AF_UNIX
	strh	w0, [sp, #ADDRESS]
	ldr	x1, [x20, #8]
	ldrb	w0, [x1]
	cmp	w0, #'/'
	b.ne	fresh
	add	x2, sp, #ADDRESS + 2
	mov	x23, #0			// length of the folder
folder:
	ldrb	w0, [x1, x23]
	cbz	w0, namespace
	cmp	x23, #107
	b.hs	fresh
	strb	w0, [x2, x23]
	add	x23, x23, #1
	b	folder
namespace:
	mov	x0, #-100		// AT_FDCWD
	adr	x1, mount
	add	x2, x2, x23
	mov	x3, #108
	sub	x3, x3, x23
	mov	x8, #78			// readlinkat
	svc	#0
	cmp	x0, #0
	b.le	fresh
	add	x24, x0, x23
	cmp	x24, #107
	b.hi	fresh
	add	x2, sp, #ADDRESS + 2
	strb	wzr, [x2, x24]
	add	x24, x24, #3
	mov	x0, #1
	mov	x1, #0x801		// SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC
	movk	x1, #0x8, lsl #16
	mov	x2, #0
	mov	x8, #198		// socket
	svc	#0
	cmp	x0, #2
	b.le	fresh
	mov	x22, x0
	add	x1, sp, #ADDRESS
	mov	x2, x24
	mov	x8, #203		// connect
	svc	#0
	cbz	x0, connected
	cmn	x0, #2			// ENOENT
	b.eq	begin
	cmn	x0, #111		// ECONNREFUSED
	b.eq	begin
	b	fresh
connected:
	mov	w0, #12
	str	w0, [sp, #PEER_SIZE]
	mov	x0, x22
	mov	x1, #1			// SOL_SOCKET
	mov	x2, #17			// SO_PEERCRED
	add	x3, sp, #PEER
	add	x4, sp, #PEER_SIZE
	mov	x8, #209		// getsockopt
	svc	#0
	cbnz	x0, fresh
	ldr	w0, [sp, #PEER]
	cbz	w0, fresh
	mov	x8, #175		// geteuid
	svc	#0
	ldr	w1, [sp, #PEER + 4]
	cmp	w0, w1
	b.ne	fresh
	mov	w1, #65534
	cmp	w0, w1
	b.eq	fresh
	mov	x0, #0
	ldr	x1, room
	mov	x2, #3			// PROT_READ | PROT_WRITE
	mov	x3, #0x4022		// MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
	mov	x4, #-1
	mov	x5, #0
	mov	x8, #222		// mmap
	svc	#0
	cmn	x0, #4095
	b.hs	fresh
	mov	x23, x0
	add	x0, x23, #REQUEST
	mov	x1, #4096
	mov	x8, #17			// getcwd
	svc	#0
	cmp	x0, #0
	b.le	fresh
	ldrb	w1, [x23, #REQUEST]
	cmp	w1, #'/'
	b.ne	fresh
	add	x1, x23, #REQUEST
	add	x2, x1, #STRINGS
	add	x1, x1, x0
	add	x3, x20, #16
	mov	x4, #0
argument:
	ldr	x5, [x3], #8
	cbz	x5, arguments
	add	x4, x4, #1
	bl	append
	b	argument
arguments:
	str	w4, [x23, #8]
	mov	x3, x21
	mov	x4, #0
variable:
	ldr	x5, [x3], #8
	cbz	x5, variables
	add	x4, x4, #1
	bl	append
	b	variable
append:
	cmp	x1, x2
	b.hs	fresh
	ldrb	w0, [x5], #1
	strb	w0, [x1], #1
	cbnz	w0, append
	ret
variables:
	str	w4, [x23, #12]
	ldr	x0, asking
	str	x0, [x23]
	str	x1, [sp, #INPUT]
	mov	x19, x1
	sub	x1, x1, x23
	sub	x1, x1, #REQUEST
	str	x1, [x23, #32]
	mov	x8, #172		// getpid
	svc	#0
	str	w0, [x23, #16]
	mov	x8, #173		// getppid
	svc	#0
	str	w0, [x23, #20]
reading:
	mov	x1, x19
	ldr	x2, [sp, #INPUT]
	mov	x3, #MOST
	add	x2, x2, x3
	add	x2, x2, #1
	subs	x2, x2, x19
	b.eq	long
	bl	take
	cbz	x0, whole
	tbnz	x0, #63, broken
	add	x19, x19, x0
	b	reading
broken:
	ldr	x0, [sp, #INPUT]
	cmp	x19, x0
	b.eq	fresh
	b	refuse
whole:
	str	x19, [sp, #INPUT_END]
	ldr	x0, [sp, #INPUT]
	sub	x0, x19, x0
	str	x0, [x23, #40]
	bl	now
	str	x0, [x23, #24]
	ldr	w1, patience
	add	x0, x0, x1
	str	x0, [sp, #DEADLINE]
sending:
	cmp	x23, x19
	b.hs	sent
	mov	w1, #5			// POLLIN | POLLOUT
	bl	await
	cmp	w0, #4
	b.ne	again
	mov	x0, x22
	mov	x1, x23
	sub	x2, x19, x23
	mov	x3, #0x4000		// MSG_NOSIGNAL
	mov	x4, #0
	mov	x5, #0
	mov	x8, #206		// sendto
	svc	#0
	bl	moved
	b	sending
sent:
	add	x23, sp, #ANSWER
	add	x19, x23, #24
	bl	receive
	ldr	x0, [sp, #ANSWER]
	ldr	x1, answering
	cmp	x0, x1
	b.ne	again
	ldr	w0, [sp, #ANSWER + 8]
	cmp	w0, #255
	b.hi	again
	mov	w2, #MOST
	ldr	w0, [sp, #ANSWER + 12]
	cmp	w0, w2
	b.hi	again
	ldr	w1, [sp, #ANSWER + 16]
	cmp	w1, w2
	b.hi	again
	ldr	w2, [sp, #ANSWER + 20]
	cbnz	w2, again
	add	w1, w1, w0
	cbz	w1, answered
	mov	w19, w1
	mov	x0, #0
	mov	x2, #3
	mov	x3, #0x22		// MAP_PRIVATE | MAP_ANONYMOUS
	mov	x4, #-1
	mov	x5, #0
	mov	x8, #222		// mmap
	svc	#0
	cmn	x0, #4095
	b.hs	again
	str	x0, [sp, #TEXTS]
	mov	x23, x0
	add	x19, x19, x0
	bl	receive
answered:
	mov	x0, #13			// SIGPIPE
	bl	ignore
	mov	x0, #25			// SIGXFSZ
	bl	ignore
	mov	x0, #2
	ldr	x1, [sp, #TEXTS]
	ldr	w2, [sp, #ANSWER + 12]
	add	x1, x1, x2
	ldr	w2, [sp, #ANSWER + 16]
	add	x2, x2, x1
	bl	give
	mov	x0, #1
	ldr	x1, [sp, #TEXTS]
	ldr	w2, [sp, #ANSWER + 12]
	add	x2, x2, x1
	bl	give
	cbnz	w0, refuse
	ldr	w0, [sp, #ANSWER + 8]
end:
	mov	x8, #94			// exit_group
	svc	#0
long:
	str	x19, [sp, #INPUT_END]
	mov	x23, #1			// there is more
	b	keep
again:
	mov	x23, #0
keep:
	mov	x24, #9			// MFD_CLOEXEC | MFD_NOEXEC_SEAL
memory:
	adr	x0, nothing
	mov	x1, x24
	mov	x8, #279		// memfd_create
	svc	#0
	tbz	x0, #63, spool
	cmp	x24, #1
	b.eq	refuse
	mov	x24, #1
	b	memory
spool:
	mov	x22, x0
	mov	x0, #25			// SIGXFSZ
	bl	ignore
	mov	x0, x22
	ldr	x1, [sp, #INPUT]
	ldr	x2, [sp, #INPUT_END]
	bl	give
	cbnz	w0, refuse
	mov	x19, #MOST * 3
rest:
	cbz	x23, rewind
	ldr	x1, [sp, #INPUT]
	mov	x2, #1 << 20
	bl	take
	tbnz	x0, #63, refuse
	cbz	x0, rewind
	subs	x19, x19, x0
	b.mi	refuse
	ldr	x1, [sp, #INPUT]
	add	x2, x1, x0
	mov	x0, x22
	bl	give
	cbz	w0, rest
	b	refuse
rewind:
	mov	x0, x22
	mov	x1, #0
	mov	x2, #0
	mov	x8, #62			// lseek
	svc	#0
	cbnz	x0, refuse
	mov	x0, x22
	mov	x1, #0
	mov	x2, #0
	mov	x8, #24			// dup3
	svc	#0
	cbnz	x0, refuse
	mov	x0, #25
	add	x1, sp, #OLD_ACTION
	mov	x2, #0
	mov	x3, #8
	mov	x8, #134		// rt_sigaction
	svc	#0
fresh:
	ldr	x0, [x20, #16]
	add	x1, x20, #16
	mov	x2, x21
	mov	x8, #221		// execve
	svc	#0
refuse:
	mov	x0, #13			// SIGPIPE
	bl	ignore
	mov	x0, #25
	bl	ignore
	mov	x0, #2
	adr	x1, words
	mov	x2, #(nothing - words)
	mov	x8, #64			// write
	svc	#0
	mov	x0, #2
	b	end

ignore:
	mov	x1, #1			// SIG_IGN
	str	x1, [sp, #ACTION]
	stp	xzr, xzr, [sp, #ACTION + 8]
	str	xzr, [sp, #ACTION + 24]
	add	x1, sp, #ACTION
	add	x2, sp, #OLD_ACTION
	mov	x3, #8
	mov	x8, #134		// rt_sigaction
	svc	#0
	ret

now:
	mov	x0, #1			// CLOCK_MONOTONIC
	add	x1, sp, #TIME
	mov	x8, #113		// clock_gettime
	svc	#0
	cbnz	x0, again
	ldp	x1, x2, [sp, #TIME]
	ldr	w3, second
	madd	x0, x1, x3, x2
	ret

await:
	mov	x27, x30
	str	w22, [sp, #POLLED]
	str	w1, [sp, #POLLED + 4]
awaiting:
	bl	now
	ldr	x1, [sp, #DEADLINE]
	subs	x1, x1, x0
	b.le	again
	stp	xzr, x1, [sp, #TIME]
	bl	poll
	cmn	x0, #4			// EINTR
	b.eq	awaiting
	tbnz	x0, #63, again
	cbz	x0, awaiting
	ldrh	w0, [sp, #POLLED + 6]
	ret	x27
poll:
	add	x0, sp, #POLLED
	mov	x1, #1
	add	x2, sp, #TIME
	mov	x3, #0
	mov	x4, #0
	mov	x8, #73			// ppoll
	svc	#0
	ret

moved:
	cmn	x0, #4			// EINTR
	b.eq	unmoved
	cmn	x0, #11			// EAGAIN
	b.eq	unmoved
	cmp	x0, #0
	b.le	again
	add	x23, x23, x0
unmoved:
	ret

receive:
	mov	x28, x30
receiving:
	cmp	x23, x19
	b.hs	received
	mov	w1, #1			// POLLIN
	bl	await
	mov	x0, x22
	mov	x1, x23
	sub	x2, x19, x23
	mov	x3, #0
	mov	x4, #0
	mov	x5, #0
	mov	x8, #207		// recvfrom
	svc	#0
	bl	moved
	b	receiving
received:
	ret	x28

stand:
	mov	x27, x30
	str	w0, [sp, #POLLED]
	str	w1, [sp, #POLLED + 4]
	mov	x0, #30
	stp	x0, xzr, [sp, #TIME]
standing:
	bl	poll
	cmn	x0, #4			// EINTR
	b.eq	standing
	ret	x27

take:
	mov	x28, x30
	mov	x9, x1
	mov	x10, x2
taking:
	mov	x0, #0
	mov	x1, x9
	mov	x2, x10
	mov	x8, #63			// read
	svc	#0
	cmn	x0, #4			// EINTR
	b.eq	taking
	cmn	x0, #11			// EAGAIN
	b.ne	taken
	mov	x0, #0
	mov	w1, #1			// POLLIN
	bl	stand
	cmp	x0, #0
	b.gt	taking
	b	refuse
taken:
	ret	x28

give:
	mov	x28, x30
	mov	x9, x0
	mov	x10, x1
	mov	x11, x2
giving:
	subs	x2, x11, x10
	b.ls	given
	mov	x0, x9
	mov	x1, x10
	mov	x8, #64			// write
	svc	#0
	cmn	x0, #4			// EINTR
	b.eq	giving
	cmn	x0, #11			// EAGAIN
	b.eq	full
	cmp	x0, #0
	b.le	lost
	add	x10, x10, x0
	b	giving
full:
	mov	x0, x9
	mov	w1, #4			// POLLOUT
	bl	stand
	cmp	x0, #0
	b.gt	giving
lost:
	mov	w0, #1
	ret	x28
given:
	mov	w0, #0
	ret	x28

begin:
	mov	x0, x22
	mov	x8, #57			// close
	svc	#0
	cmp	x19, #1024
	b.hi	fresh
	add	x25, x20, #24
program:
	ldr	x0, [x25]
	cbz	x0, fresh
	ldrb	w0, [x0]
	cmp	w0, #'/'
	b.eq	found
	add	x25, x25, #8
	b	program
found:
	ldr	x0, [x25, #8]
	cbz	x0, fresh
	add	x1, sp, #ADDRESS + 2
	add	x2, sp, #LOCK
	mov	x3, x23
beside:
	cbz	x3, locked
	ldrb	w0, [x1], #1
	strb	w0, [x2], #1
	sub	x3, x3, #1
	b	beside
locked:
	adr	x4, lock
prefix:
	ldrb	w0, [x4], #1
	cbz	w0, named
	strb	w0, [x2], #1
	b	prefix
named:
	ldrb	w0, [x1], #1
	strb	w0, [x2], #1
	cbnz	w0, named
	mov	x0, #-100		// AT_FDCWD
	add	x1, sp, #LOCK
	mov	x2, #0x8042		// O_RDWR | O_CREAT | O_NOFOLLOW
	mov	x3, #0x180		// 0600
	mov	x8, #56			// openat
	svc	#0
	tbnz	x0, #63, fresh
	mov	x22, x0
	mov	x1, #6			// LOCK_EX | LOCK_NB
	mov	x8, #32			// flock
	svc	#0
	cbnz	x0, unlock
	mov	x0, x22
	add	x1, sp, #STAT
	mov	x8, #80			// fstat
	svc	#0
	cbnz	x0, unlock
	ldr	w0, [sp, #STAT + 16]
	tbz	w0, #6, untried		// S_IXUSR
	mov	x0, #0			// CLOCK_REALTIME
	add	x1, sp, #TIME
	mov	x8, #113		// clock_gettime
	svc	#0
	cbnz	x0, unlock
	ldr	x0, [sp, #TIME]
	ldr	x1, [sp, #STAT + 88]
	sub	x0, x0, x1
	cmp	x0, #60
	b.lo	unlock
untried:
	mov	x0, x22
	mov	x1, #0x1c0		// 0700
	mov	x8, #52			// fchmod
	svc	#0
	cbnz	x0, unlock
	mov	x0, x22
	mov	x1, #0
	mov	x2, #0			// now
	mov	x3, #0
	mov	x8, #88			// utimensat
	svc	#0
	cbnz	x0, unlock
	mov	x0, #17			// SIGCHLD
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	mov	x4, #0
	mov	x8, #220		// clone
	svc	#0
	cbz	x0, child
unlock:
	mov	x0, x22
	mov	x8, #57			// close
	svc	#0
	b	fresh
child:
	mov	x8, #157		// setsid
	svc	#0
	mov	x0, #0x3f		// 077
	mov	x8, #166		// umask
	svc	#0
	adr	x0, top
	mov	x8, #49			// chdir
	svc	#0
	cbnz	x0, die
	cmp	x22, #3
	b.eq	held
	mov	x0, x22
	mov	x1, #3
	mov	x2, #0
	mov	x8, #24			// dup3
	svc	#0
	cmp	x0, #3
	b.ne	die
held:
	mov	x0, #-100
	adr	x1, null
	mov	x2, #2			// O_RDWR
	mov	x8, #56			// openat
	svc	#0
	tbnz	x0, #63, die
	mov	x22, x0
	mov	x23, #0
standard:
	mov	x0, x22
	mov	x1, x23
	mov	x2, #0
	mov	x8, #24			// dup3
	svc	#0
	cmp	x0, x23
	b.ne	die
	add	x23, x23, #1
	cmp	x23, #3
	b.lo	standard
	mov	x0, #4
	mov	w1, #-1
	mov	x2, #0
	mov	x8, #436		// close_range
	svc	#0
	cbz	x0, closed
	mov	x23, #4
closing:
	mov	x0, x23
	mov	x8, #57			// close
	svc	#0
	add	x23, x23, #1
	cmp	x23, #16, lsl #12
	b.lo	closing
closed:
	stp	xzr, xzr, [sp, #ACTION]
	stp	xzr, xzr, [sp, #ACTION + 16]
	mov	x23, #64
signal:
	mov	x0, x23
	add	x1, sp, #ACTION
	mov	x2, #0
	mov	x3, #8
	mov	x8, #134		// rt_sigaction
	svc	#0
	subs	x23, x23, #1
	b.ne	signal
	mov	x0, #2			// SIG_SETMASK
	add	x1, sp, #ACTION
	mov	x2, #0
	mov	x3, #8
	mov	x8, #135		// rt_sigprocmask
	svc	#0
	lsl	x0, x19, #3
	add	x0, x0, #64
	and	x0, x0, #-16
	sub	sp, sp, x0
	mov	x1, sp
	add	x2, x20, #16
	add	x3, x25, #16
copy:
	ldr	x0, [x2], #8
	str	x0, [x1], #8
	cmp	x2, x3
	b.lo	copy
	adr	x0, daemon
	str	x0, [x1], #8
	adr	x0, serve
	str	x0, [x1], #8
	adr	x0, three
	stp	x0, xzr, [x1]
	ldr	x0, [x20, #16]
	add	x2, x1, #8		// no variable
	mov	x1, sp
	mov	x8, #221		// execve
	svc	#0
die:
	mov	x0, #2
	b	end
	.balign	8
asking:
	.ascii	"assent?1"
answering:
	.ascii	"assent!1"
room:
	.quad	REQUEST + STRINGS + MOST + 4096
patience:
	.word	300000000
second:
	.word	1000000000
mount:
	.asciz	"/proc/self/ns/mnt"
null:
	.asciz	"/dev/null"
top:
	.asciz	"/"
lock:
	.asciz	"lock."
daemon:
	.asciz	"daemon"
serve:
	.asciz	"--serve"
three:
	.asciz	"3"
words:
	.ascii	"Node or Assent is missing; refused: sh ~/.local/share/assent/rescue\n"
nothing:
	.byte	0
