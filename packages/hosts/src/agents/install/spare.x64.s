# Made from spare.c (sha256 32eb9a6e7e7147d5421b6be6c78f87d7e6954e98db6016e3d523a009d8584bf6)
# by scripts/spare-client.mjs: change that, not this.
	.text
#APP
	.text
.globl start
start:
	mov %rsp, %rdi
	and $-16, %rsp
	call begin
	hlt

#NO_APP
	.type	length_of, @function
length_of:
	xorl	%eax, %eax
.L2:
	cmpb	$0, (%rdi,%rax)
	je	.L5
	incq	%rax
	jmp	.L2
.L5:
	ret
	.size	length_of, .-length_of
	.type	append, @function
append:
	movq	%rdi, %rax
.L8:
	movb	(%rsi), %dl
	movb	%dl, (%rax)
	cmpb	$0, (%rsi)
	je	.L9
	incq	%rsi
	incq	%rax
	jmp	.L8
.L9:
	ret
	.size	append, .-append
	.type	now, @function
now:
	subq	$16, %rsp
	xorl	%r10d, %r10d
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	movq	%rsp, %rsi
	movl	$228, %eax
	movl	$1, %edi
	xorl	%edx, %edx
#APP
	syscall
#NO_APP
	imulq	$1000000000, (%rsp), %rax
	addq	8(%rsp), %rax
	addq	$16, %rsp
	ret
	.size	now, .-now
	.type	wait_for, @function
wait_for:
	pushq	%r13
	movl	$1000000000, %r13d
	pushq	%r12
	movq	%rdx, %r12
	pushq	%rbp
	movl	%edi, %ebp
	pushq	%rbx
	movl	%esi, %ebx
	subq	$32, %rsp
.L14:
	call	now
	movq	%rax, %rdx
	movq	%r12, %rax
	subq	%rdx, %rax
	testq	%rax, %rax
	jle	.L15
	cqto
	movl	%ebp, 8(%rsp)
	leaq	8(%rsp), %rdi
	xorl	%r10d, %r10d
	movw	%bx, 12(%rsp)
	movl	$8, %r8d
	xorl	%r9d, %r9d
	movl	$1, %esi
	idivq	%r13
	movw	$0, 14(%rsp)
	movq	%rax, 16(%rsp)
	movl	$271, %eax
	movq	%rdx, 24(%rsp)
	leaq	16(%rsp), %rdx
#APP
	syscall
#NO_APP
	cmpq	$-4, %rax
	je	.L14
	jmp	.L12
.L15:
	xorl	%eax, %eax
.L12:
	addq	$32, %rsp
	popq	%rbx
	popq	%rbp
	popq	%r12
	popq	%r13
	ret
	.size	wait_for, .-wait_for
	.type	leave, @function
leave:
	pushq	%rbx
	movl	$231, %ebx
.L18:
	xorl	%edx, %edx
	xorl	%r10d, %r10d
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	movq	%rbx, %rax
	movq	%rdx, %rsi
#APP
	syscall
#NO_APP
	jmp	.L18
	.size	leave, .-leave
	.type	end_as, @function
end_as:
	pushq	%rbx
	xorl	%ecx, %ecx
	subq	$48, %rsp
	testq	%rsi, %rsi
	jle	.L21
	xorl	%ecx, %ecx
	cmpb	$115, (%rdi)
	sete	%cl
.L21:
	movslq	%ecx, %r8
	xorl	%ebx, %ebx
	movq	%r8, %rdx
.L22:
	cmpq	%rsi, %rdx
	jl	.L23
	setne	%al
	cmpq	%r8, %rdx
	sete	%dl
	orb	%dl, %al
	jne	.L24
	cmpq	$255, %rbx
	jle	.L37
	jmp	.L24
.L23:
	movzbl	(%rdi,%rdx), %eax
	leal	-48(%rax), %r9d
	cmpb	$9, %r9b
	ja	.L24
	cmpq	$999, %rbx
	jg	.L24
	imulq	$10, %rbx, %rbx
	subl	$48, %eax
	incq	%rdx
	cltq
	addq	%rax, %rbx
	jmp	.L22
.L24:
	movl	$125, %edi
	jmp	.L40
.L37:
	testl	%ecx, %ecx
	jne	.L28
	movq	%rbx, %rdi
.L40:
	call	leave
.L28:
	leaq	-1(%rbx), %rax
	cmpq	$63, %rax
	ja	.L29
	leal	-1(%rbx), %ecx
	movl	$26883, %eax
	shrq	%cl, %rax
	testb	$1, %al
	je	.L29
	movl	$8, %edx
	xorl	%eax, %eax
	leaq	16(%rsp), %rdi
	xorl	%r8d, %r8d
	movq	%rdx, %rcx
	leaq	16(%rsp), %rsi
	movl	$8, %r10d
	xorl	%r9d, %r9d
	rep stosl
	xorl	%eax, %eax
	movq	%rbx, %rdi
	movq	%rax, 8(%rsp)
	movl	$13, %eax
	movq	%rcx, %rdx
#APP
	syscall
#NO_APP
	movl	$14, %eax
	leaq	8(%rsp), %rsi
	movl	$2, %edi
#APP
	syscall
#NO_APP
	xorl	%r10d, %r10d
	movl	$39, %eax
	movq	%rdx, %rdi
	movq	%rdx, %rsi
#APP
	syscall
#NO_APP
	movq	%rax, %rdi
	movq	%rbx, %rsi
	movl	$62, %eax
#APP
	syscall
#NO_APP
.L29:
	leaq	128(%rbx), %rdi
	jmp	.L40
	.size	end_as, .-end_as
	.type	stay, @function
stay:
	pushq	%r15
	pushq	%r14
	movslq	%edi, %r14
	pushq	%r13
	movl	$16, %r13d
	pushq	%r12
	movl	$45, %r12d
	pushq	%rbp
	pushq	%rbx
	movq	%r14, %rbx
	subq	$176, %rsp
	leaq	32(%rsp), %rax
	movl	%r14d, 32(%rsp)
	leaq	48(%rsp), %rbp
	movq	%rax, (%rsp)
	movslq	%esi, %rax
	movw	$1, 36(%rsp)
	movl	%esi, 40(%rsp)
	movw	$1, 44(%rsp)
	movq	%rax, 8(%rsp)
.L42:
	xorl	%r15d, %r15d
	movw	$0, 46(%rsp)
	xorl	%r10d, %r10d
	xorl	%r9d, %r9d
	movw	$0, 38(%rsp)
	movq	(%rsp), %rdi
	movl	$8, %r8d
	movq	%r15, %rdx
	movl	$271, %eax
	movl	$2, %esi
#APP
	syscall
#NO_APP
	cmpq	$-4, %rax
	je	.L42
	testq	%rax, %rax
	jns	.L43
	movl	$125, %edi
	jmp	.L58
.L43:
	cmpw	$0, 46(%rsp)
	je	.L44
	movq	8(%rsp), %rdi
	xorl	%r10d, %r10d
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	movq	%r15, %rax
	movq	%rbp, %rsi
	movl	$128, %edx
#APP
	syscall
#NO_APP
	cmpq	$128, %rax
	jne	.L44
	movl	48(%rsp), %eax
	leaq	31(%rsp), %rsi
	movslq	%ebx, %rdi
	movl	$16384, %r10d
	movl	$1, %edx
	movb	%al, 31(%rsp)
	movl	$44, %eax
#APP
	syscall
#NO_APP
.L44:
	cmpw	$0, 38(%rsp)
	je	.L42
	xorl	%r10d, %r10d
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	movq	%r12, %rax
	movq	%r14, %rdi
	movq	%rbp, %rsi
	movq	%r13, %rdx
#APP
	syscall
#NO_APP
	movq	%rax, %rsi
	cmpq	$-11, %rax
	je	.L42
	cmpq	$-4, %rax
	je	.L42
	testq	%rax, %rax
	jg	.L50
	movl	$137, %edi
.L58:
	call	leave
.L50:
	cmpb	$99, 48(%rsp)
	je	.L56
	movq	%rbp, %rdi
	call	end_as
.L56:
	addq	$176, %rsp
	popq	%rbx
	popq	%rbp
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	ret
	.size	stay, .-stay
	.text
.LC0:
	.string	"/proc/self/ns/mnt"
.LC1:
	.string	"spare."
.LC2:
	.string	"/proc/"
.LC3:
	.string	"/fd/63"
.LC4:
	.string	"assent?2"
.LC5:
	.string	"."
	.text
	.type	hand_over, @function
hand_over:
	pushq	%r15
	pushq	%r14
	pushq	%r13
	movq	%rsi, %r13
	movl	$21505, %esi
	pushq	%r12
	movq	%rdi, %r12
	xorl	%edi, %edi
	pushq	%rbp
	pushq	%rbx
	movl	$16, %ebx
	subq	$600, %rsp
	leaq	234(%rsp), %rdx
.L61:
	xorl	%r10d, %r10d
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	movq	%rbx, %rax
#APP
	syscall
#NO_APP
	testq	%rax, %rax
	je	.L59
	incq	%rdi
	cmpq	$3, %rdi
	jne	.L61
	leaq	298(%rsp), %rbx
	movl	$63, %r10d
	leaq	.LC0(%rip), %rsi
	movl	$267, %eax
	movq	$-100, %rdi
	movq	%rbx, %rdx
#APP
	syscall
#NO_APP
	movq	%rax, %r8
	leaq	-1(%rax), %rax
	cmpq	$61, %rax
	ja	.L59
	movb	$0, 298(%rsp,%r8)
	movq	8(%r12), %rsi
	movq	%rsi, %rdi
	call	length_of
	leaq	7(%r8,%rax), %rax
	cmpq	$108, %rax
	ja	.L59
	leaq	364(%rsp), %r15
	movl	$1, %ebp
	xorl	%r10d, %r10d
	movw	$1, 362(%rsp)
	movq	%r15, %rdi
	leaq	362(%rsp), %r14
	xorl	%r8d, %r8d
	call	append
	leaq	.LC1(%rip), %rsi
	movq	%rax, %rdi
	call	append
	movq	%rbx, %rsi
	movq	%rax, %rdi
	call	append
	movl	$526337, %esi
	xorl	%edx, %edx
	movq	%rbp, %rdi
	movq	%rax, %rbx
	movl	$41, %eax
#APP
	syscall
#NO_APP
	movl	%eax, 20(%rsp)
	cmpl	$2, %eax
	jle	.L59
	subq	%r15, %rbx
	cltq
	movq	%r14, %rsi
	movq	%rax, 8(%rsp)
	leaq	3(%rbx), %rdx
	movq	8(%rsp), %rdi
	movl	$42, %eax
#APP
	syscall
#NO_APP
	testq	%rax, %rax
	jne	.L59
	call	now
	movq	8(%rsp), %rdi
	xorl	%r9d, %r9d
	movq	%rbp, %rsi
	movq	%rax, 32(%rsp)
	leaq	72(%rsp), %r10
	leaq	56(%rsp), %r8
	movl	$55, %eax
	movl	$12, 56(%rsp)
	movl	$17, %edx
#APP
	syscall
#NO_APP
	movq	%rax, %rsi
	testq	%rax, %rax
	jne	.L59
	movl	76(%rsp), %ebx
	xorl	%r10d, %r10d
	xorl	%r8d, %r8d
	movl	$102, %eax
	movq	%rsi, %rdi
	movq	%rsi, %rdx
#APP
	syscall
#NO_APP
	cmpl	%eax, %ebx
	jne	.L59
	movl	72(%rsp), %ecx
	testl	%ecx, %ecx
	je	.L59
	movb	$0, 95(%rsp)
	movl	$10, %esi
	movl	$10, %edi
.L62:
	movl	%ecx, %eax
	xorl	%edx, %edx
	leaq	84(%rsp), %r8
	movq	%rsi, %r9
	divl	%edi
	addl	$48, %edx
	movb	%dl, 84(%rsp,%rsi)
	movl	%ecx, %edx
	decq	%rsi
	movl	%eax, %ecx
	cmpl	$9, %edx
	ja	.L62
	leaq	.LC2(%rip), %rsi
	movslq	%r9d, %r9
	leaq	144(%rsp), %rbx
	movl	$127, %r10d
	movq	%rbx, %rdi
	call	append
	leaq	(%r8,%r9), %rsi
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	movq	%rax, %rdi
	call	append
	leaq	.LC3(%rip), %rsi
	movq	%rax, %rdi
	call	append
	leaq	472(%rsp), %rax
	movq	$-100, %rdi
	movq	%rbx, %rsi
	movq	%rax, 24(%rsp)
	movl	$267, %eax
	movq	24(%rsp), %rdx
#APP
	syscall
#NO_APP
	leaq	-1(%rax), %rdx
	cmpq	$125, %rdx
	ja	.L59
	movb	$0, 472(%rsp,%rax)
	leaq	1(%rax), %rbp
	xorl	%r15d, %r15d
.L63:
	leaq	1(%r15), %rdx
	movq	8(%r12,%rdx,8), %rdi
	testq	%rdi, %rdi
	je	.L95
	call	length_of
	movq	%rdx, %r15
	leaq	1(%rbp,%rax), %rbp
	jmp	.L63
.L95:
	xorl	%r14d, %r14d
.L65:
	leaq	1(%r14), %rdx
	movq	-8(%r13,%rdx,8), %rax
	movq	%rax, (%rsp)
	testq	%rax, %rax
	je	.L96
	movq	(%rsp), %rdi
	movq	%rdx, %r14
	call	length_of
	leaq	1(%rbp,%rax), %rbp
	jmp	.L65
.L96:
	cmpq	$4194304, %rbp
	ja	.L59
	movq	(%rsp), %rdi
	leaq	80(%rbp), %rsi
	orq	$-1, %r8
	xorl	%r9d, %r9d
	movl	$34, %r10d
	movl	$9, %eax
	movl	$3, %edx
#APP
	syscall
#NO_APP
	movq	%rax, %rbx
	cmpq	$-4096, %rax
	ja	.L59
	leaq	.LC4(%rip), %rsi
	movq	%rax, %rdi
	xorl	%r10d, %r10d
	xorl	%r8d, %r8d
	call	append
	movq	(%rsp), %rdi
	movl	%r15d, 8(%rbx)
	movl	$250, %eax
	movl	%r14d, 12(%rbx)
	movq	$-3, %rsi
	movq	%rbp, 16(%rbx)
	movq	%rdi, %rdx
	movl	$-1, 60(%rsp)
#APP
	syscall
#NO_APP
	movq	(%rsp), %rsi
	movq	%rax, 24(%rbx)
	movl	$4294967295, %edi
	movl	$135, %eax
	movq	%rsi, %rdx
#APP
	syscall
#NO_APP
	movq	(%rsp), %rsi
	movl	$157, %ebp
	movq	%rax, 32(%rbx)
	movl	$27, %edi
	movq	%rbp, %rax
	movq	%rsi, %rdx
#APP
	syscall
#NO_APP
	movq	(%rsp), %rsi
	movq	%rax, 40(%rbx)
	movl	$30, %edi
	movq	%rbp, %rax
	movq	%rsi, %rdx
#APP
	syscall
#NO_APP
	movq	(%rsp), %rsi
	movq	%rax, 48(%rbx)
	movl	$66, %edi
	movq	%rbp, %rax
	movq	%rsi, %rdx
#APP
	syscall
#NO_APP
	movq	(%rsp), %rsi
	movq	%rax, 56(%rbx)
	movl	$1, %edi
	movl	$252, %eax
	movq	%rsi, %rdx
#APP
	syscall
#NO_APP
	movq	(%rsp), %rsi
	movq	%rax, 64(%rbx)
	leaq	60(%rsp), %rdi
	movl	$239, %eax
	movq	%rsi, %rdx
#APP
	syscall
#NO_APP
	orq	$-1, %rdx
	testq	%rax, %rax
	jne	.L67
	movslq	60(%rsp), %rdx
.L67:
	movq	%rdx, 72(%rbx)
	movq	24(%rsp), %rsi
	leaq	80(%rbx), %rdi
	addq	$16, %r12
	call	append
	leaq	1(%rax), %rbp
.L68:
	movq	(%r12), %rsi
	testq	%rsi, %rsi
	je	.L70
	movq	%rbp, %rdi
	addq	$8, %r12
	call	append
	leaq	1(%rax), %rbp
	jmp	.L68
.L70:
	movq	0(%r13), %r14
	testq	%r14, %r14
	je	.L97
	movq	%rbp, %rdi
	movq	%r14, %rsi
	addq	$8, %r13
	call	append
	leaq	1(%rax), %rbp
	jmp	.L70
.L97:
	xorl	%r10d, %r10d
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	movl	$257, %eax
	leaq	.LC5(%rip), %rsi
	movq	$-100, %rdi
	movl	$2686976, %edx
#APP
	syscall
#NO_APP
	movq	%rax, %r12
	cmpl	$2, %eax
	jle	.L59
	leaq	64(%rsp), %rsi
	movl	$14, %eax
	movq	%r14, %rdi
	movq	%r14, %rdx
	movq	$27143, 64(%rsp)
	movl	$8, %r10d
#APP
	syscall
#NO_APP
	testq	%rax, %rax
	jne	.L59
	movl	$526336, %r10d
	movl	$289, %eax
	orq	$-1, %rdi
	movl	$8, %edx
#APP
	syscall
#NO_APP
	movl	%eax, %r13d
	cmpl	$2, %eax
	jle	.L59
	movq	32(%rsp), %rax
	subq	%rbx, %rbp
	movl	$44, %r15d
	addq	$200000000, %rax
	movq	%rax, (%rsp)
.L72:
	movq	%rbp, %rdx
	movq	8(%rsp), %rdi
	leaq	(%rbx,%r14), %rsi
	xorl	%r8d, %r8d
	subq	%r14, %rdx
	movl	$16384, %r10d
	xorl	%r9d, %r9d
	movq	%r15, %rax
#APP
	syscall
#NO_APP
	cmpq	$-11, %rax
	jne	.L73
	movq	(%rsp), %rdx
	movl	20(%rsp), %edi
	movl	$4, %esi
	call	wait_for
	testq	%rax, %rax
	jg	.L72
	jmp	.L59
.L73:
	cmpq	$-4, %rax
	je	.L72
	testq	%rax, %rax
	jle	.L59
	addq	%rax, %r14
	cmpq	%r14, %rbp
	jne	.L72
	movb	$0, 55(%rsp)
	leaq	55(%rsp), %rbx
.L89:
	movq	(%rsp), %rdx
	movl	20(%rsp), %edi
	movl	$1, %esi
	call	wait_for
	testq	%rax, %rax
	jle	.L59
	movq	8(%rsp), %rdi
	xorl	%r10d, %r10d
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	movl	$45, %eax
	movl	$1, %edx
	movq	%rbx, %rsi
#APP
	syscall
#NO_APP
	cmpq	$-4, %rax
	je	.L89
	cmpq	$-11, %rax
	je	.L89
	decq	%rax
	jne	.L59
	cmpb	$114, 55(%rsp)
	jne	.L59
	movb	$103, 55(%rsp)
	xorl	%edx, %edx
	movabsq	$4294967297, %rax
	leaq	176(%rsp), %rsi
	movq	%rax, 120(%rsp)
	decq	%rax
	movq	%rax, 128(%rsp)
	xorl	%eax, %eax
	movq	%rax, 176(%rsp)
	movq	%rax, 184(%rsp)
	leaq	96(%rsp), %rax
	movq	%rax, 192(%rsp)
	leaq	112(%rsp), %rax
	movq	$32, 112(%rsp)
	movl	$2, 136(%rsp)
	movl	%r12d, 140(%rsp)
	movq	$1, 104(%rsp)
	movq	$1, 200(%rsp)
	movq	%rax, 208(%rsp)
	movq	$32, 216(%rsp)
	movq	%rbx, 96(%rsp)
	movl	$46, %ebx
	movq	%rdx, 224(%rsp)
	movl	$16384, %edx
.L77:
	movq	8(%rsp), %rdi
	xorl	%r10d, %r10d
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	movq	%rbx, %rax
#APP
	syscall
#NO_APP
	cmpq	$-4, %rax
	je	.L77
	decq	%rax
	jne	.L59
	movl	20(%rsp), %edi
	movl	%r13d, %esi
	call	stay
.L59:
	addq	$600, %rsp
	popq	%rbx
	popq	%rbp
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	ret
	.size	hand_over, .-hand_over
	.type	begin, @function
begin:
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbp
	pushq	%rbx
	subq	$16, %rsp
	movq	(%rdi), %rax
	cmpq	$2, %rax
	jg	.L99
	xorl	%r10d, %r10d
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	movl	$1, %eax
	movl	$2, %edi
	movl	$86, %edx
	leaq	sentence.0(%rip), %rsi
#APP
	syscall
#NO_APP
	jmp	.L100
.L99:
	leaq	16(%rdi,%rax,8), %r14
	xorl	%r12d, %r12d
	xorl	%eax, %eax
	movl	$14, %ebp
	leaq	8(%rsp), %r15
	movq	%rax, 8(%rsp)
	movq	%rdi, %rbx
	xorl	%r8d, %r8d
	leaq	8(%rdi), %r13
	movl	$8, %r10d
	xorl	%r9d, %r9d
	movq	%rbp, %rax
	movq	%r12, %rdi
	movq	%r12, %rsi
	movq	%r15, %rdx
#APP
	syscall
#NO_APP
	movq	%r14, %rsi
	movq	%r13, %rdi
	movl	$2, %r13d
	call	hand_over
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	movq	%rbp, %rax
	movl	$8, %r10d
	movq	%r13, %rdi
	movq	%r15, %rsi
	movq	%r12, %rdx
#APP
	syscall
#NO_APP
	xorl	%r10d, %r10d
	leaq	24(%rbx), %rsi
	movq	24(%rbx), %rdi
	movl	$59, %eax
	movq	%r14, %rdx
#APP
	syscall
#NO_APP
	movl	$1, %eax
	movl	$86, %edx
	movq	%r13, %rdi
	leaq	sentence.0(%rip), %rsi
#APP
	syscall
#NO_APP
	movl	$125, %edi
.L100:
	call	leave
	.size	begin, .-begin
	.text
	.align 32
	.type	sentence.0, @object
	.size	sentence.0, 87
sentence.0:
	.string	"assent: this command was not started, because Assent could not be: run: assent doctor\n"
	.section	.note.GNU-stack,"",@progbits
