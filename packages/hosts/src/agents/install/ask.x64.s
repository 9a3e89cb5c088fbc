# What hosts start instead of the launcher where a resident judge may be running: `ask FOLDER/ LAUNCHER WORD...`. Asks it over its
# socket and ends as it answers; where that does not work, for whatever reason, it becomes `LAUNCHER WORD...` with the same input.
# ask-client.ts says what is sent and what is an answer. Static, so no loader reads the environment before this does.
# No failure ends with an answer or with status 0: it becomes the launcher, or refuses as the launcher does.
#
# r12 argc, then the end of what is read; r13 argv; r14 envp; r15 the descriptor; rbp what is kept on the stack:
	.equ	ADDRESS, 0		# sockaddr_un; the path begins at 2
	.equ	POLLED, 112		# pollfd
	.equ	TIME, 120		# timespec
	.equ	PEER, 136		# ucred: pid, uid, gid
	.equ	PEER_SIZE, 148
	.equ	DEADLINE, 152		# nanoseconds
	.equ	INPUT, 160
	.equ	INPUT_END, 168
	.equ	ANSWER, 176		# its 24 bytes: magic, status, lengths of the two texts, 0
	.equ	TEXTS, 200
	.equ	LOCK, 208		# a path of up to 107 + 5 bytes
	.equ	ACTION, 328		# sigaction: handler, flags, restorer, mask
	.equ	OLD_ACTION, 360
	.equ	STAT, 400		# of the lock: its mode is at 24, the seconds of its last change at 88
	.equ	FRAME, 544
	.equ	REQUEST, 48		# bytes in front of the strings
	.equ	STRINGS, 1 << 20
	.equ	MOST, 64 << 20		# of input, and of each text of the answer
	.intel_syntax noprefix
	.text
start:
	mov	r12, [rsp]		# argc
	lea	r13, [rsp + 8]
	cmp	r12, 4
	jb	refuse
	lea	r14, [r13 + r12*8 + 8]
	sub	rsp, FRAME
	and	rsp, -16
	mov	rbp, rsp
	mov	edi, 1			# an answer that nobody can hear is none
	mov	esi, 1			# F_GETFD
	mov	eax, 72			# fcntl
	syscall
	test	rax, rax
	js	refuse
	mov	rax, [r13 + 16]
	cmp	byte ptr [rax], '/'
	jne	refuse
	mov	edi, 39			# PR_GET_NO_NEW_PRIVS
	xor	esi, esi
	xor	edx, edx
	xor	r10d, r10d
	xor	r8d, r8d
	mov	eax, 157		# prctl
	syscall
	test	rax, rax
	jnz	fresh			# in a supervised run the supervisor answers
	mov	word ptr [rbp + ADDRESS], 1	# AF_UNIX
	mov	rsi, [r13 + 8]
	cmp	byte ptr [rsi], '/'
	jne	fresh
	xor	ebx, ebx		# length of the folder
folder:
	mov	al, [rsi + rbx]
	test	al, al
	jz	namespace
	cmp	ebx, 107
	jae	fresh
	mov	[rbp + rbx + ADDRESS + 2], al
	inc	ebx
	jmp	folder
namespace:
	lea	rdi, [rip + mount]
	lea	rsi, [rbp + rbx + ADDRESS + 2]
	mov	edx, 108
	sub	edx, ebx
	mov	eax, 89			# readlink
	syscall
	test	rax, rax
	jle	fresh
	lea	rdx, [rbx + rax]
	cmp	edx, 107
	ja	fresh
	mov	byte ptr [rbp + rdx + ADDRESS + 2], 0
	lea	r9d, [rdx + 3]
	mov	edi, 1
	mov	esi, 0x80801		# SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC
	xor	edx, edx
	mov	eax, 41			# socket
	syscall
	cmp	rax, 2			# also where one of the first three is closed
	jle	fresh
	mov	r15d, eax
	mov	edi, eax
	lea	rsi, [rbp + ADDRESS]
	mov	edx, r9d
	mov	eax, 42			# connect
	syscall
	test	rax, rax
	jz	connected
	cmp	rax, -2			# ENOENT
	je	begin
	cmp	rax, -111		# ECONNREFUSED
	je	begin
	jmp	fresh
connected:
	mov	dword ptr [rbp + PEER_SIZE], 12
	mov	edi, r15d
	mov	esi, 1			# SOL_SOCKET
	mov	edx, 17			# SO_PEERCRED
	lea	r10, [rbp + PEER]
	lea	r8, [rbp + PEER_SIZE]
	mov	eax, 55			# getsockopt
	syscall
	test	rax, rax
	jnz	fresh
	cmp	dword ptr [rbp + PEER], 0	# its processes are not ours to see: another PID namespace
	je	fresh
	mov	eax, 107		# geteuid
	syscall
	cmp	eax, [rbp + PEER + 4]
	jne	fresh
	cmp	eax, 65534		# what every user looks like that a user namespace does not know
	je	fresh
	xor	edi, edi
	mov	esi, REQUEST + STRINGS + MOST + 4096
	mov	edx, 3			# PROT_READ | PROT_WRITE
	mov	r10d, 0x4022		# MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
	mov	r8, -1
	xor	r9d, r9d
	mov	eax, 9			# mmap
	syscall
	cmp	rax, -4095
	jae	fresh
	mov	rbx, rax
	lea	rdi, [rbx + REQUEST]
	mov	esi, 4096
	mov	eax, 79			# getcwd
	syscall
	test	rax, rax
	jle	fresh
	cmp	byte ptr [rbx + REQUEST], '/'
	jne	fresh
	lea	rdi, [rbx + rax + REQUEST]
	lea	rdx, [rbx + REQUEST + STRINGS]
	lea	r8, [r13 + 16]
	xor	r9d, r9d
argument:
	mov	rsi, [r8]
	add	r8, 8
	test	rsi, rsi
	jz	arguments
	inc	r9d
	call	append
	jmp	argument
arguments:
	mov	[rbx + 8], r9d
	mov	r8, r14
	xor	r9d, r9d
variable:
	mov	rsi, [r8]
	add	r8, 8
	test	rsi, rsi
	jz	variables
	inc	r9d
	call	append
	jmp	variable
append:
	cmp	rdi, rdx
	jae	fresh
	mov	al, [rsi]
	mov	[rdi], al
	inc	rsi
	inc	rdi
	test	al, al
	jnz	append
	ret
variables:
	mov	[rbx + 12], r9d
	mov	rax, 0x313f746e65737361	# assent?1
	mov	[rbx], rax
	mov	[rbp + INPUT], rdi
	mov	r12, rdi
	sub	rdi, rbx
	sub	rdi, REQUEST
	mov	[rbx + 32], rdi
	mov	eax, 39			# getpid
	syscall
	mov	[rbx + 16], eax
	mov	eax, 110		# getppid
	syscall
	mov	[rbx + 20], eax
reading:
	mov	rsi, r12
	mov	rdx, [rbp + INPUT]
	add	rdx, MOST + 1
	sub	rdx, r12
	jz	long
	call	take
	test	rax, rax
	jz	whole
	js	broken
	add	r12, rax
	jmp	reading
broken:
	cmp	r12, [rbp + INPUT]	# a part of an input is none
	je	fresh
	jmp	refuse
whole:
	mov	[rbp + INPUT_END], r12
	mov	rax, r12
	sub	rax, [rbp + INPUT]
	mov	[rbx + 40], rax
	call	now
	mov	[rbx + 24], rax
	add	rax, 300000000
	mov	[rbp + DEADLINE], rax
sending:
	cmp	rbx, r12
	jae	sent
	mov	esi, 5			# POLLIN | POLLOUT
	call	await
	cmp	eax, 4			# what answers before it is asked is not believed
	jne	again
	mov	edi, r15d
	mov	rsi, rbx
	mov	rdx, r12
	sub	rdx, rbx
	mov	r10d, 0x4000		# MSG_NOSIGNAL
	xor	r8d, r8d
	xor	r9d, r9d
	mov	eax, 44			# sendto
	syscall
	call	moved
	jmp	sending
sent:
	lea	rbx, [rbp + ANSWER]
	lea	r12, [rbx + 24]
	call	receive
	mov	rax, 0x3121746e65737361	# assent!1
	cmp	[rbp + ANSWER], rax
	jne	again
	cmp	dword ptr [rbp + ANSWER + 8], 255
	ja	again
	mov	eax, [rbp + ANSWER + 12]
	cmp	eax, MOST
	ja	again
	mov	esi, [rbp + ANSWER + 16]
	cmp	esi, MOST
	ja	again
	cmp	dword ptr [rbp + ANSWER + 20], 0
	jne	again
	add	esi, eax
	jz	answered
	mov	r12d, esi
	xor	edi, edi
	mov	edx, 3
	mov	r10d, 0x22		# MAP_PRIVATE | MAP_ANONYMOUS
	mov	r8, -1
	xor	r9d, r9d
	mov	eax, 9			# mmap
	syscall
	cmp	rax, -4095
	jae	again
	mov	[rbp + TEXTS], rax
	mov	rbx, rax
	add	r12, rax
	call	receive
answered:
	mov	edi, 13			# SIGPIPE
	call	ignore
	mov	edi, 25			# SIGXFSZ
	call	ignore
	mov	edi, 2
	mov	rsi, [rbp + TEXTS]
	mov	eax, [rbp + ANSWER + 12]
	add	rsi, rax
	mov	eax, [rbp + ANSWER + 16]
	lea	rdx, [rsi + rax]
	call	give			# if nobody reads it, the answer is on the other
	mov	edi, 1
	mov	rsi, [rbp + TEXTS]
	mov	eax, [rbp + ANSWER + 12]
	lea	rdx, [rsi + rax]
	call	give
	test	eax, eax
	jnz	refuse
	mov	edi, [rbp + ANSWER + 8]
end:
	mov	eax, 231		# exit_group
	syscall
long:
	mov	[rbp + INPUT_END], r12
	mov	ebx, 1			# there is more
	jmp	keep
again:					# the launcher reads the input once more
	xor	ebx, ebx
keep:
	mov	esi, 9			# MFD_CLOEXEC | MFD_NOEXEC_SEAL
memory:
	lea	rdi, [rip + nothing]
	mov	eax, 319		# memfd_create
	syscall
	test	rax, rax
	jns	spool
	cmp	esi, 1
	je	refuse
	mov	esi, 1			# older kernels do not know the other
	jmp	memory
spool:
	mov	r15d, eax
	mov	edi, 25			# SIGXFSZ
	call	ignore
	mov	edi, r15d
	mov	rsi, [rbp + INPUT]
	mov	rdx, [rbp + INPUT_END]
	call	give
	test	eax, eax
	jnz	refuse
	mov	r12d, MOST * 3		# an input without an end does not fill the memory
rest:
	test	ebx, ebx
	jz	rewind
	mov	rsi, [rbp + INPUT]
	mov	edx, 1 << 20
	call	take
	test	rax, rax
	js	refuse
	jz	rewind
	sub	r12, rax
	js	refuse
	mov	edi, r15d
	mov	rsi, [rbp + INPUT]
	lea	rdx, [rsi + rax]
	call	give
	test	eax, eax
	jz	rest
	jmp	refuse
rewind:
	mov	edi, r15d
	xor	esi, esi
	xor	edx, edx
	mov	eax, 8			# lseek
	syscall
	test	rax, rax
	jnz	refuse
	mov	edi, r15d
	xor	esi, esi
	mov	eax, 33			# dup2
	syscall
	test	rax, rax
	jnz	refuse
	mov	edi, 25
	lea	rsi, [rbp + OLD_ACTION]
	xor	edx, edx
	mov	r10d, 8
	mov	eax, 13			# rt_sigaction
	syscall
fresh:
	mov	rdi, [r13 + 16]
	lea	rsi, [r13 + 16]
	mov	rdx, r14
	mov	eax, 59			# execve
	syscall
refuse:
	sub	rsp, FRAME
	and	rsp, -16
	mov	rbp, rsp
	mov	edi, 13			# SIGPIPE: hosts go on when a hook is killed
	call	ignore
	mov	edi, 25
	call	ignore
	mov	edi, 2
	lea	rsi, [rip + words]
	mov	edx, offset nothing - words
	mov	eax, 1			# write
	syscall
	mov	edi, 2
	jmp	end

# edi: a signal that nothing but us would hear; what it did is kept.
ignore:
	xor	eax, eax
	mov	qword ptr [rbp + ACTION], 1	# SIG_IGN
	mov	[rbp + ACTION + 8], rax
	mov	[rbp + ACTION + 16], rax
	mov	[rbp + ACTION + 24], rax
	lea	rsi, [rbp + ACTION]
	lea	rdx, [rbp + OLD_ACTION]
	mov	r10d, 8
	mov	eax, 13			# rt_sigaction
	syscall
	ret

# rax: the moment in nanoseconds.
now:
	mov	edi, 1			# CLOCK_MONOTONIC
	lea	rsi, [rbp + TIME]
	mov	eax, 228		# clock_gettime
	syscall
	test	rax, rax
	jnz	again
	imul	rax, [rbp + TIME], 1000000000
	add	rax, [rbp + TIME + 8]
	ret

# esi: what is waited for on the socket; eax: what is so. Comes back only before the deadline.
await:
	mov	[rbp + POLLED], r15d
	mov	[rbp + POLLED + 4], esi
awaiting:
	call	now
	mov	rcx, [rbp + DEADLINE]
	sub	rcx, rax
	jle	again
	mov	qword ptr [rbp + TIME], 0
	mov	[rbp + TIME + 8], rcx
	call	poll
	cmp	rax, -4			# EINTR
	je	awaiting
	test	rax, rax
	js	again
	jz	awaiting
	movzx	eax, word ptr [rbp + POLLED + 6]
	ret
poll:
	lea	rdi, [rbp + POLLED]
	mov	esi, 1
	lea	rdx, [rbp + TIME]
	xor	r10d, r10d
	mov	eax, 271		# ppoll
	syscall
	ret

# rbx goes on by what was sent or received.
moved:
	cmp	rax, -4			# EINTR
	je	unmoved
	cmp	rax, -11		# EAGAIN
	je	unmoved
	test	rax, rax
	jle	again
	add	rbx, rax
unmoved:
	ret

# From rbx to r12.
receive:
	cmp	rbx, r12
	jae	unmoved
	mov	esi, 1			# POLLIN
	call	await
	mov	edi, r15d
	mov	rsi, rbx
	mov	rdx, r12
	sub	rdx, rbx
	xor	r10d, r10d
	xor	r8d, r8d
	xor	r9d, r9d
	mov	eax, 45			# recvfrom
	syscall
	call	moved
	jmp	receive

# edi: a descriptor, esi: what is waited for on it, for as long as the hook does. eax: not above 0 if in vain.
stand:
	mov	[rbp + POLLED], edi
	mov	[rbp + POLLED + 4], esi
	mov	qword ptr [rbp + TIME], 30
	mov	qword ptr [rbp + TIME + 8], 0
standing:
	call	poll			# the kernel writes what is left of the time
	cmp	eax, -4			# EINTR
	je	standing
	ret

# Reads standard input to rsi, at most rdx bytes. rax: how many.
take:
	xor	edi, edi
	xor	eax, eax		# read
	syscall
	cmp	rax, -4			# EINTR
	je	take
	cmp	rax, -11		# EAGAIN
	jne	taken
	push	rsi
	push	rdx
	xor	edi, edi
	mov	esi, 1			# POLLIN
	call	stand
	pop	rdx
	pop	rsi
	test	eax, eax
	jg	take
	jmp	refuse
taken:
	ret

# Writes from rsi to rdx to the descriptor edi. eax: 0 if all is written.
give:
	mov	r8d, edi
	mov	r9, rdx
giving:
	mov	rdx, r9
	sub	rdx, rsi
	jbe	given
	mov	edi, r8d
	mov	eax, 1			# write
	syscall
	cmp	rax, -4			# EINTR
	je	giving
	cmp	rax, -11		# EAGAIN
	je	full
	test	rax, rax
	jle	lost
	add	rsi, rax
	jmp	giving
full:
	push	rsi
	mov	edi, r8d
	mov	esi, 4			# POLLOUT
	call	stand
	pop	rsi
	test	eax, eax
	jg	giving
lost:
	mov	eax, -1
	ret
given:
	xor	eax, eax
	ret

# Nobody listens: the one who gets the lock starts a resident. rbx: the length of the folder.
begin:
	mov	edi, r15d
	mov	eax, 3			# close
	syscall
	cmp	r12, 1024		# room on the stack, whatever its limit
	ja	fresh
	lea	r8, [r13 + 24]
program:
	mov	rsi, [r8]
	test	rsi, rsi
	jz	fresh
	cmp	byte ptr [rsi], '/'
	je	found
	add	r8, 8
	jmp	program
found:
	cmp	qword ptr [r8 + 8], 0
	je	fresh
	lea	rsi, [rbp + ADDRESS + 2]
	lea	rdi, [rbp + LOCK]
	mov	ecx, ebx
	rep movsb
	mov	dword ptr [rdi], 0x6b636f6c	# lock
	mov	byte ptr [rdi + 4], '.'
	add	rdi, 5
lock:
	lodsb
	stosb
	test	al, al
	jnz	lock
	lea	rdi, [rbp + LOCK]
	mov	esi, 0x20042		# O_RDWR | O_CREAT | O_NOFOLLOW
	mov	edx, 0x180		# 0600
	mov	eax, 2			# open
	syscall
	test	rax, rax
	js	fresh
	mov	r15d, eax
	mov	edi, eax
	mov	esi, 6			# LOCK_EX | LOCK_NB
	mov	eax, 73			# flock
	syscall
	test	rax, rax
	jnz	unlock
	mov	edi, r15d
	lea	rsi, [rbp + STAT]
	mov	eax, 5			# fstat
	syscall
	test	rax, rax
	jnz	unlock
	test	byte ptr [rbp + STAT + 24], 0x40	# S_IXUSR: the last one that was started has never listened
	jz	untried
	xor	edi, edi		# CLOCK_REALTIME
	lea	rsi, [rbp + TIME]
	mov	eax, 228		# clock_gettime
	syscall
	test	rax, rax
	jnz	unlock
	mov	rax, [rbp + TIME]
	sub	rax, [rbp + STAT + 88]
	cmp	rax, 60
	jb	unlock
untried:
	mov	edi, r15d
	mov	esi, 0x1c0		# 0700
	mov	eax, 91			# fchmod
	syscall
	test	rax, rax
	jnz	unlock
	mov	edi, r15d
	xor	esi, esi
	xor	edx, edx		# now
	xor	r10d, r10d
	mov	eax, 280		# utimensat
	syscall
	test	rax, rax
	jnz	unlock
	mov	edi, 17			# SIGCHLD
	xor	esi, esi
	xor	edx, edx
	xor	r10d, r10d
	push	r8
	xor	r8d, r8d
	mov	eax, 56			# clone
	syscall
	pop	r8
	test	rax, rax
	jz	child
unlock:
	mov	edi, r15d
	mov	eax, 3			# close
	syscall
	jmp	fresh
child:
	mov	eax, 112		# setsid
	syscall
	mov	edi, 0x3f		# 077
	mov	eax, 95			# umask
	syscall
	lea	rdi, [rip + top]
	mov	eax, 80			# chdir
	syscall
	test	rax, rax
	jnz	die
	cmp	r15d, 3			# the lock is held for as long as the resident lives
	je	held
	mov	edi, r15d
	mov	esi, 3
	mov	eax, 33			# dup2
	syscall
	cmp	rax, 3
	jne	die
held:
	lea	rdi, [rip + null]
	mov	esi, 2			# O_RDWR
	mov	eax, 2			# open
	syscall
	test	rax, rax
	js	die
	mov	ebx, eax
	xor	esi, esi
standard:
	mov	edi, ebx
	mov	eax, 33			# dup2
	syscall
	cmp	eax, esi
	jne	die
	inc	esi
	cmp	esi, 3
	jb	standard
	mov	edi, 4			# nothing else of the host's
	mov	esi, -1
	xor	edx, edx
	mov	eax, 436		# close_range
	syscall
	test	rax, rax
	jz	closed
	mov	ebx, 4
closing:
	mov	edi, ebx
	mov	eax, 3			# close
	syscall
	inc	ebx
	cmp	ebx, 65536
	jb	closing
closed:
	xor	eax, eax		# SIG_DFL
	mov	[rbp + ACTION], rax
	mov	[rbp + ACTION + 8], rax
	mov	[rbp + ACTION + 16], rax
	mov	[rbp + ACTION + 24], rax
	mov	ebx, 64
signal:
	mov	edi, ebx
	lea	rsi, [rbp + ACTION]
	xor	edx, edx
	mov	r10d, 8
	mov	eax, 13			# rt_sigaction
	syscall
	dec	ebx
	jnz	signal
	mov	edi, 2			# SIG_SETMASK
	lea	rsi, [rbp + ACTION]
	xor	edx, edx
	mov	r10d, 8
	mov	eax, 14			# rt_sigprocmask
	syscall
	lea	rax, [r12*8 + 64]
	sub	rsp, rax
	and	rsp, -16
	mov	rdi, rsp
	lea	rsi, [r13 + 16]		# the launcher, what it assigns, the program and its file
	lea	rcx, [r8 + 16]
	sub	rcx, rsi
	rep movsb
	lea	rax, [rip + daemon]
	stosq
	lea	rax, [rip + serve]
	stosq
	lea	rax, [rip + three]
	stosq
	xor	eax, eax
	stosq
	lea	rdx, [rdi - 8]		# no variable: whoever happens to call first steers nothing
	mov	rdi, [r13 + 16]
	mov	rsi, rsp
	mov	eax, 59			# execve
	syscall
die:
	mov	edi, 2
	jmp	end
mount:
	.asciz	"/proc/self/ns/mnt"
null:
	.asciz	"/dev/null"
top:
	.asciz	"/"
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
