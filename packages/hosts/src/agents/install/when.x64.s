# `when PATH PROGRAM WORD…`: becomes the program where there is something of that path, and ends at once where there is not. For hooks
# that mostly have nothing to say. Static, so no loader reads the environment before this does; the program gets it as it is.
	.intel_syntax noprefix
	.text
start:
	mov	r12, [rsp]		# argc
	lea	r13, [rsp + 8]		# argv
	cmp	r12, 3
	jb	usage			# with argc 0 there is no argv to walk
	lea	r14, [r13 + r12*8 + 8]	# envp
	mov	rdi, [r13 + 8]
	xor	esi, esi		# F_OK
	mov	eax, 21			# access
	syscall
	test	rax, rax
	js	nothing
	lea	rsi, [r13 + 16]
	mov	rdi, [rsi]
	mov	rdx, r14
	mov	eax, 59			# execve
	syscall
	lea	rsi, [rip + failed]
	mov	edx, offset unused - failed
	jmp	say
nothing:
	xor	edi, edi
	jmp	end
usage:
	lea	rsi, [rip + unused]
	mov	edx, offset last - unused
say:
	mov	edi, 2
	mov	eax, 1			# write
	syscall
	mov	edi, 125
end:
	mov	eax, 231		# exit_group
	syscall
failed:
	.ascii	"assent: this hook could not be started; run: assent doctor\n"
unused:
	.ascii	"assent: this starts a program where there is something to tell: when PATH PROGRAM WORD...\n"
last:
