# What hosts start in place of a command: `confine TICKET COMMAND`, as confine-launcher.ts puts it together. Becomes the program of
# the table, with the variables of the table and the caller's as mere data: the first byte of each name is another (a letter
# XOR 0x40), which no loader, no library and not Node knows; confine-environment.ts changes it back for the command. Other names
# than those that begin with a letter or `_` are left out. Static, so no loader reads the environment before this does.
# The table: how many words come before `--`; variables, words, each list ended by an empty one.
	.intel_syntax noprefix
	.text
start:
	mov	r12, [rsp]		# argc
	lea	r13, [rsp + 8]		# argv
	lea	r14, [r13 + r12*8 + 8]	# envp
	lea	rsi, [rip + table]
	movzx	ebp, byte ptr [rsi]
	inc	rsi
	lea	rax, [rbp + 2]
	cmp	r12, rax
	jb	usage			# with argc 0 there is no argv to walk
	xor	ecx, ecx
count:
	cmp	qword ptr [r14 + rcx*8], 0
	je	counted
	inc	rcx
	jmp	count
counted:
	lea	rax, [rcx + r12 + 64]	# room for both lists: all there is, at most 60 of the table, `--`, the ends
	shl	rax, 3
	sub	rsp, rax
	and	rsp, -16
	mov	r15, rsp
	xor	ebx, ebx
fixed:
	cmp	byte ptr [rsi], 0
	je	variables
	mov	[r15 + rbx*8], rsi
	inc	rbx
past:
	inc	rsi
	cmp	byte ptr [rsi - 1], 0
	jne	past
	jmp	fixed
variables:
	inc	rsi
variable:
	mov	rdi, [r14]
	add	r14, 8
	test	rdi, rdi
	jz	words
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
words:
	mov	qword ptr [r15 + rbx*8], 0
	inc	rbx
	lea	r14, [r15 + rbx*8]	# the new argv
listed:
	cmp	byte ptr [rsi], 0
	je	given
	mov	[r15 + rbx*8], rsi
	inc	rbx
passed:
	inc	rsi
	cmp	byte ptr [rsi - 1], 0
	jne	passed
	jmp	listed
given:
	test	ebp, ebp
	jz	dashes
	add	r13, 8
	mov	rax, [r13]
	mov	[r15 + rbx*8], rax
	inc	rbx
	dec	ebp
	jmp	given
dashes:
	lea	rax, [rip + separator]
	mov	[r15 + rbx*8], rax
	inc	rbx
rest:
	add	r13, 8
	mov	rax, [r13]
	mov	[r15 + rbx*8], rax
	inc	rbx
	test	rax, rax
	jnz	rest
	mov	rdi, [r14]
	mov	rsi, r14
	mov	rdx, r15
	mov	eax, 59			# execve
	syscall
	mov	edi, 2
	lea	rsi, [rip + failed]
	mov	edx, offset unused - failed
	jmp	say
usage:
	mov	edi, 2
	lea	rsi, [rip + unused]
	mov	edx, offset separator - unused
say:
	mov	eax, 1			# write
	syscall
	mov	edi, 125
	mov	eax, 231		# exit_group
	syscall
failed:
	.ascii	"assent: this command was not started, because Assent could not be; run: assent doctor\n"
unused:
	.ascii	"assent: this starts a command confined: confine TICKET COMMAND\n"
separator:
	.asciz	"--"
table:
