# What a host starts around each command that starts every command through one program: `claude-shell COMMAND`. Starts the first program
# of the table, as confine.x64.s does, and waits for what it says of the command by its exit status: 0 and 11, the shell runs it as it
# is (bash, zsh), with the environment as it was; 10, it becomes the second program of the table, which runs it confined. Anything else
# is a refusal.
	.intel_syntax noprefix
	.text
start:
	mov	r12, [rsp]		# argc
	lea	r13, [rsp + 8]		# argv
	lea	r14, [r13 + r12*8 + 8]	# envp
	mov	r9, r14
	lea	rsi, [rip + table]
	cmp	r12, 2
	jne	usage
	mov	r13, [r13 + 8]		# the command
	xor	ecx, ecx
count:
	cmp	qword ptr [r14 + rcx*8], 0
	je	counted
	inc	rcx
	jmp	count
counted:
	lea	rax, [rcx + 80]		# room for three lists: all there is, at most 60 of the table, what else is in them
	shl	rax, 3
	sub	rsp, rax
	and	rsp, -16
	mov	r15, rsp
	sub	rsp, 16			# for a status
	xor	ebx, ebx
	call	list
	mov	ebp, ebx		# from here on they are the caller's
variable:
	mov	rdi, [r14]
	add	r14, 8
	test	rdi, rdi
	jz	variables
	mov	al, [rdi]
	cmp	al, 0x5f		# _
	je	hand
	or	al, 0x20
	cmp	al, 0x61
	jb	variable
	cmp	al, 0x7a
	ja	variable
hand:
	xor	byte ptr [rdi], 0x40
	mov	[r15 + rbx*8], rdi
	inc	rbx
	jmp	variable
variables:
	mov	qword ptr [r15 + rbx*8], 0
	inc	rbx
	lea	r14, [r15 + rbx*8]	# who says
	call	words
	lea	r12, [r15 + rbx*8]	# who confines
	call	words
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
	mov	r8, rax
wait:
	mov	rdi, r8
	lea	rsi, [r15 - 16]
	xor	edx, edx
	xor	r10d, r10d
	mov	eax, 61			# wait4
	syscall
	cmp	rax, -4			# EINTR
	je	wait
	test	rax, rax
	js	broken
	mov	eax, [r15 - 16]
	and	eax, 0xff7f		# by a signal, or with a status
	lea	rdi, [rip + bash]
	jz	bare
	lea	rdi, [rip + zsh]
	cmp	eax, 0xb00
	je	bare
	cmp	eax, 0xa00
	jne	refused
	mov	rdi, [r12]
	mov	rsi, r12
	mov	rdx, r15
	mov	eax, 59			# execve
	syscall
	jmp	broken
bare:
	mov	rax, [r15 + rbp*8]
	test	rax, rax
	jz	unchanged
	xor	byte ptr [rax], 0x40
	inc	ebp
	jmp	bare
unchanged:
	mov	[r12], rdi
	lea	rax, [rip + option]
	mov	[r12 + 8], rax
	lea	rax, [rip + separator]
	mov	[r12 + 16], rax
	mov	[r12 + 24], r13
	mov	qword ptr [r12 + 32], 0
	mov	rsi, r12
	mov	rdx, r9
	mov	eax, 59			# execve
	syscall
	jmp	broken
child:
	mov	edi, 1			# PR_SET_PDEATHSIG
	mov	esi, 9
	mov	eax, 157		# prctl
	syscall
	lea	rdi, [rip + nothing]	# what the command is to read is left to it
	mov	esi, 0x80000		# O_RDONLY | O_CLOEXEC
	mov	eax, 2			# open
	syscall
	mov	edi, eax
	xor	esi, esi
	mov	eax, 33			# dup2
	syscall
	test	eax, eax
	js	unable
	mov	rdi, [r14]
	mov	rsi, r14
	mov	rdx, r15
	mov	eax, 59			# execve
	syscall
unable:
	mov	edi, 127
	mov	eax, 60			# exit: of this process only
	syscall
broken:
	lea	rsi, [rip + failed]
	mov	edx, offset unused - failed
	jmp	say
usage:
	lea	rsi, [rip + unused]
	mov	edx, offset nothing - unused
say:
	mov	edi, 2
	mov	eax, 1			# write
	syscall
	mov	edi, 125
	jmp	end
refused:
	mov	edi, 126
end:
	mov	eax, 231		# exit_group
	syscall
words:
	call	list
	lea	rax, [rip + separator]
	mov	[r15 + rbx*8], rax
	mov	[r15 + rbx*8 + 8], r13
	mov	qword ptr [r15 + rbx*8 + 16], 0
	add	rbx, 3
	ret
list:
	cmp	byte ptr [rsi], 0
	je	listed
	mov	[r15 + rbx*8], rsi
	inc	rbx
past:
	inc	rsi
	cmp	byte ptr [rsi - 1], 0
	jne	past
	jmp	list
listed:
	inc	rsi
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
