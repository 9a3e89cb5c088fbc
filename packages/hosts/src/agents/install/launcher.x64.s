# What hosts start that start programs without a shell: `launcher NAME=VALUE... /PROGRAM ARGUMENT...`. Starts the program with the
# variables named and with those of the table that launcher.ts puts at `table`, where their values look as the table says; nothing
# else of the environment is handed on. Static, so no loader reads the environment before this does.
# Ends as the program does with 0 or 2; everything else is a refusal for hosts: 2, with a sentence on standard error.
	.intel_syntax noprefix
	.text
start:
	mov	r12, [rsp]		# argc
	lea	r13, [rsp + 8]		# argv
	lea	r14, [r13 + r12*8 + 8]	# envp
	cmp	r12, 2
	jb	refuse			# with argc 0 there is no argv to walk
	xor	ecx, ecx
count:
	cmp	qword ptr [r14 + rcx*8], 0
	je	counted
	inc	rcx
	jmp	count
counted:
	lea	rax, [rcx + r12 + 2]	# room for the new environment: all there is, all arguments, the end
	shl	rax, 3
	sub	rsp, rax
	and	rsp, -16
	mov	r15, rsp
	xor	ebx, ebx		# its length
argument:
	add	r13, 8
	mov	rsi, [r13]
	test	rsi, rsi
	jz	refuse
	cmp	byte ptr [rsi], '/'
	je	variable
	mov	[r15 + rbx*8], rsi
	inc	rbx
	jmp	argument
variable:
	mov	rsi, [r14]
	add	r14, 8
	test	rsi, rsi
	jz	begin
	lea	rdi, [rip + table]
entry:
	movzx	edx, byte ptr [rdi]	# what the value is to look like; 0 ends the table
	inc	rdi
	test	edx, edx
	jz	variable
	mov	rcx, rsi
name:
	mov	al, [rdi]
	inc	rdi
	test	al, al
	jz	named
	cmp	al, [rcx]
	jne	other
	inc	rcx
	jmp	name
other:
	cmp	byte ptr [rdi], 0	# past the rest of the name
	lea	rdi, [rdi + 1]
	jne	other
	jmp	entry
named:
	cmp	byte ptr [rcx], '='
	jne	entry
	cmp	edx, 3			# 3: an absolute path
	jne	value
	cmp	byte ptr [rcx + 1], '/'
	jne	variable
value:
	inc	rcx
	mov	al, [rcx]
	test	al, al
	jz	keep
	cmp	al, 0x20		# unsigned: bytes of UTF-8 are above
	jb	variable
	cmp	al, 0x7f
	je	variable
	cmp	edx, 1			# 1: a word of ASCII, no path
	jne	value
	cmp	al, '/'
	je	variable
	cmp	al, 0x20
	je	variable
	cmp	al, 0x7f
	ja	variable
	jmp	value
keep:
	mov	[r15 + rbx*8], rsi
	inc	rbx
	jmp	variable
begin:
	mov	qword ptr [r15 + rbx*8], 0
	mov	edi, 0x4111		# CLONE_VM | CLONE_VFORK | SIGCHLD: we wait until the child has become the program
	xor	esi, esi
	xor	edx, edx
	xor	r10d, r10d
	xor	r8d, r8d
	mov	eax, 56			# clone
	syscall
	test	rax, rax
	jz	child
	js	refuse
	mov	r12, rax
wait:
	mov	rdi, r12
	mov	rsi, r15		# the status; nobody reads the list any more
	xor	edx, edx
	xor	r10d, r10d
	mov	eax, 61			# wait4
	syscall
	cmp	rax, -4			# EINTR
	je	wait
	test	rax, rax
	js	refuse
	mov	edi, [r15]
	and	edi, 0xff7f		# by a signal, or with a status
	jz	end
	cmp	edi, 0x200
	jne	refuse
	mov	edi, 2
end:
	mov	eax, 231		# exit_group
	syscall
refuse:
	xor	edx, edx
	push	rdx			# sigaction: no mask, no restorer, no flags
	push	rdx
	push	rdx
	push	1			# SIG_IGN
	mov	edi, 13			# SIGPIPE: where nobody hears the sentence, hosts would go on with a hook that was killed
	mov	rsi, rsp
	mov	r10d, 8
	mov	eax, 13			# rt_sigaction
	syscall
	mov	edi, 2
	lea	rsi, [rip + words]
	mov	edx, offset table - words
	mov	eax, 1			# write
	syscall
	mov	edi, 2
	jmp	end
child:
	mov	edi, 1			# PR_SET_PDEATHSIG
	mov	esi, 9			# a host that gives up on us gives up on the program
	mov	eax, 157		# prctl
	syscall
	mov	rdi, [r13]
	mov	rsi, r13
	mov	rdx, r15
	mov	eax, 59			# execve
	syscall
	mov	edi, 127
	mov	eax, 60			# exit: of this process only
	syscall
words:
	.ascii	"Node or Assent is missing; refused: sh ~/.local/share/assent/rescue\n"
table:
