# long start(struct block *): clones, and in the child makes a list of system calls; routine.ts says what the block holds.
# The child shares all memory with its parent until its last call, an execve, has happened: it uses registers only, no stack, no
# thread-local storage, no function of any library. The kernel changes no register but rax, rcx and r11 (syscall(2)).
	.intel_syntax noprefix
	.text
start:
	push	rbx
	mov	rbx, rdi
	mov	rdi, [rbx]		# flags
	mov	rsi, [rbx + 8]		# the child's stack
	xor	edx, edx
	xor	r10d, r10d
	xor	r8d, r8d
	mov	eax, 56			# clone
	syscall
	test	rax, rax
	jz	child
	pop	rbx
	ret
child:
	add	rbx, 16
step:
	mov	rdi, [rbx + 8]
	mov	rsi, [rbx + 16]
	mov	rdx, [rbx + 24]
	mov	r10, [rbx + 32]
	mov	r8, [rbx + 40]
	mov	r9, [rbx + 48]
	mov	rax, [rbx]
	syscall
	mov	[rbx + 56], rax
	cmp	rax, -4095
	jae	failed
next:
	add	rbx, 72
	jmp	step
failed:
	neg	rax
	cmp	rax, 63
	ja	end
	mov	rcx, [rbx + 64]
	bt	rcx, rax
	jc	next
end:
	mov	edi, 127
	mov	eax, 231		# exit_group
	syscall
	jmp	end
