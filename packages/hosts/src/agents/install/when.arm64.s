// As when.x64.s. A test assembles and compares it; it has run under an emulated kernel for arm64, on no such processor.
	.text
start:
	ldr	x19, [sp]		// argc
	add	x20, sp, #8		// argv
	cmp	x19, #3
	b.lo	usage
	add	x21, x20, x19, lsl #3
	add	x21, x21, #8		// envp
	mov	x0, #-100		// AT_FDCWD
	ldr	x1, [x20, #8]
	mov	x2, #0			// F_OK
	mov	x8, #48			// faccessat
	svc	#0
	tbnz	x0, #63, nothing
	add	x1, x20, #16
	ldr	x0, [x1]
	mov	x2, x21
	mov	x8, #221		// execve
	svc	#0
	adr	x1, failed
	mov	x2, #(unused - failed)
	b	say
nothing:
	mov	x0, #0
	b	end
usage:
	adr	x1, unused
	mov	x2, #(last - unused)
say:
	mov	x0, #2
	mov	x8, #64			// write
	svc	#0
	mov	x0, #125
end:
	mov	x8, #94			// exit_group
	svc	#0
failed:
	.ascii	"assent: this hook could not be started; run: assent doctor\n"
unused:
	.ascii	"assent: this starts a program where there is something to tell: when PATH PROGRAM WORD...\n"
last:
