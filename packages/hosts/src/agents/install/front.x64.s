# What stands in front of a supervised run (`assent run`): `front NODE BIN.CJS run WORDS...` starts `NODE BIN.CJS run --beside WORDS...`
# with one end of a pipe as descriptor 3, passes signals on to it, and ends as it is told there (`7`: with that status, `s15`: by that
# signal), or as that process ended. Inside a run it becomes `NODE BIN.CJS run WORDS...`: there is nothing to stand in front of.
	.intel_syntax noprefix
	.text
	.set	fds, 0			# of the pipe
	.set	mask, 8			# of the signals that are passed on
	.set	before, 16		# those that were blocked
	.set	errno, 24		# of the program that could not be started
	.set	polled, 32		# the pipe, and the signals
	.set	status, 48
	.set	writing, 56
	.set	zero, 64		# 32 bytes: the default of a signal
	.set	text, 96
	.set	data, 256
start:
	mov	r12, [rsp]		# argc
	lea	r13, [rsp + 8]		# argv
	lea	r14, [r13 + r12*8 + 8]	# envp
	cmp	r12, 4
	jb	usage
	lea	rax, [r12*8 + 16]
	sub	rsp, rax
	and	rsp, -16
	mov	r15, rsp		# the words of what is started
	sub	rsp, data
	mov	rbp, rsp
	xor	eax, eax
	mov	ecx, data / 8
	mov	rdi, rbp
	rep stosq
	mov	edi, -100		# AT_FDCWD
	lea	rsi, [rip + outer]
	mov	edx, 0x80002		# O_RDWR | O_CLOEXEC
	xor	r10d, r10d
	mov	eax, 257		# openat
	syscall
	test	eax, eax
	js	outside
	lea	rsi, [r13 + 8]
	mov	rdi, [rsi]
	mov	rdx, r14
	mov	eax, 59			# execve
	syscall
	jmp	broken
outside:
	mov	rax, [r13 + 8]
	mov	[r15], rax
	mov	rax, [r13 + 16]
	mov	[r15 + 8], rax
	mov	rax, [r13 + 24]
	mov	[r15 + 16], rax
	lea	rax, [rip + beside]
	mov	[r15 + 24], rax
	lea	rsi, [r13 + 32]
	lea	rdi, [r15 + 32]
	lea	rcx, [r12 - 3]		# with the NULL at the end
	rep movsq
	lea	rdi, [rbp + fds]
	mov	esi, 0x80800		# O_CLOEXEC | O_NONBLOCK
	mov	eax, 293		# pipe2
	syscall
	test	eax, eax
	js	broken
	mov	edi, [rbp + fds]
	call	move
	js	broken
	mov	[rbp + polled], eax
	mov	edi, [rbp + fds + 4]
	call	move
	js	broken
	mov	[rbp + writing], eax
	mov	edi, 17			# SIGCHLD: whoever ignores it hears of no end
	lea	rsi, [rbp + zero]
	xor	edx, edx
	mov	r10d, 8
	mov	eax, 13			# rt_sigaction
	syscall
	mov	qword ptr [rbp + mask], 0x16a07	# HUP, INT, QUIT, USR1, USR2, ALRM, TERM, CHLD
	xor	edi, edi		# SIG_BLOCK
	lea	rsi, [rbp + mask]
	lea	rdx, [rbp + before]
	call	block
	mov	edi, -1
	lea	rsi, [rbp + mask]
	mov	edx, 8
	mov	r10d, 0x80000		# SFD_CLOEXEC
	mov	eax, 289		# signalfd4
	syscall
	test	eax, eax
	js	broken
	mov	[rbp + polled + 8], eax
	mov	word ptr [rbp + polled + 4], 1	# POLLIN
	mov	word ptr [rbp + polled + 12], 1
	mov	edi, 0x4111		# CLONE_VM | CLONE_VFORK | SIGCHLD: we wait until the child has become the program
	xor	esi, esi
	xor	edx, edx
	xor	r10d, r10d
	xor	r8d, r8d
	mov	eax, 56			# clone
	syscall
	test	rax, rax
	jz	child
	js	broken
	mov	ebx, eax
	cmp	qword ptr [rbp + errno], 0
	jne	broken
	mov	edi, [rbp + writing]
	mov	eax, 3			# close
	syscall
next:
	lea	rdi, [rbp + polled]
	mov	esi, 2
	xor	edx, edx
	xor	r10d, r10d
	mov	r8d, 8
	mov	eax, 271		# ppoll
	syscall
	test	eax, eax
	js	next
	cmp	word ptr [rbp + polled + 6], 0
	je	signals
	call	hear
	test	rax, rax
	jg	told
	jnz	signals
	mov	dword ptr [rbp + polled], -1	# nobody will tell
signals:
	cmp	word ptr [rbp + polled + 14], 0
	je	next
	mov	edi, [rbp + polled + 8]
	lea	rsi, [rbp + text]
	mov	edx, 128		# struct signalfd_siginfo
	xor	eax, eax		# read
	syscall
	cmp	rax, 128
	jne	next
	mov	esi, [rbp + text]
	cmp	esi, 17
	je	ended
	mov	edi, ebx
	mov	eax, 62			# kill
	syscall
	jmp	next
ended:
	mov	edi, ebx
	lea	rsi, [rbp + status]
	mov	edx, 1			# WNOHANG
	xor	r10d, r10d
	mov	eax, 61			# wait4
	syscall
	cmp	eax, ebx
	jne	next
	call	hear			# what it said last
	test	rax, rax
	jg	told
	mov	eax, [rbp + status]
	mov	edi, eax
	shr	edi, 8
	and	edi, 0xff
	and	eax, 0x7f
	jz	end
	lea	edi, [rax + 128]
	jmp	end
hear:
	mov	edi, [rbp + polled]
	lea	rsi, [rbp + text]
	mov	edx, 127
	xor	eax, eax		# read
	syscall
	ret
told:
	mov	byte ptr [rbp + text + rax], 0
	lea	rsi, [rbp + text]
	xor	r12d, r12d
	xor	ecx, ecx
	cmp	byte ptr [rsi], 0x73	# s
	jne	digit
	inc	ecx
	inc	rsi
digit:
	movzx	eax, byte ptr [rsi]
	sub	eax, 0x30
	cmp	eax, 9
	ja	number
	imul	r12d, r12d, 10
	add	r12d, eax
	inc	rsi
	jmp	digit
number:
	mov	edi, r12d
	test	ecx, ecx
	jz	end
	mov	eax, 0xd206		# HUP, INT, KILL, USR2, ALRM, TERM: they end a process and leave no core file
	cmp	edi, 31
	ja	status_of
	bt	eax, edi
	jnc	status_of
	lea	rsi, [rbp + zero]
	xor	edx, edx
	mov	r10d, 8
	mov	eax, 13			# rt_sigaction
	syscall
	mov	edi, 2			# SIG_SETMASK
	lea	rsi, [rbp + zero]
	xor	edx, edx
	call	block
	mov	eax, 39			# getpid
	syscall
	mov	edi, eax
	mov	esi, r12d
	mov	eax, 62			# kill
	syscall
status_of:
	lea	edi, [r12 + 128]
	jmp	end
child:
	mov	edi, 2			# SIG_SETMASK
	lea	rsi, [rbp + before]
	xor	edx, edx
	call	block
	mov	edi, 1			# PR_SET_PDEATHSIG: until it has its own way to end with us
	mov	esi, 9
	mov	eax, 157		# prctl
	syscall
	mov	edi, [rbp + writing]
	mov	esi, 3
	xor	edx, edx
	mov	eax, 292		# dup3
	syscall
	test	eax, eax
	js	unable
	mov	rdi, [r15]
	mov	rsi, r15
	mov	rdx, r14
	mov	eax, 59			# execve
	syscall
unable:
	mov	[rbp + errno], rax
	mov	edi, 127
	mov	eax, 60			# exit: of this process only
	syscall
move:					# away from the standard streams, which may be closed
	mov	r9d, edi
	mov	esi, 1030		# F_DUPFD_CLOEXEC
	mov	edx, 10
	mov	eax, 72			# fcntl
	syscall
	mov	r8d, eax
	mov	edi, r9d
	mov	eax, 3			# close
	syscall
	mov	eax, r8d
	test	eax, eax
	ret
block:
	mov	r10d, 8
	mov	eax, 14			# rt_sigprocmask
	syscall
	ret
broken:
	lea	rsi, [rip + failed]
	mov	edx, offset unused - failed
	mov	r12d, 125
	jmp	say
usage:
	lea	rsi, [rip + unused]
	mov	edx, offset outer - unused
	mov	r12d, 2
say:
	mov	edi, 2
	mov	eax, 1			# write
	syscall
	mov	edi, r12d
end:
	mov	eax, 231		# exit_group
	syscall
failed:
	.ascii	"assent: nothing was started, because Assent could not be; run: assent doctor\n"
unused:
	.ascii	"assent: this stands in front of a supervised run: front NODE PROGRAM run WORD...\n"
outer:
	.asciz	"/proc/assent"
beside:
	.asciz	"--beside"
