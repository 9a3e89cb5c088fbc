// As routine.x64.s. The kernel changes no register but x0. A test assembles and compares it; it has run under
// a kernel for arm64 that QEMU emulates (`npm run machines -- arm64`), on no such processor.
	.text
start:
	mov	x10, x0
	ldr	x0, [x10]
	ldr	x1, [x10, #8]
	mov	x2, #0
	mov	x3, #0
	mov	x4, #0
	mov	x8, #220
	svc	#0
	cbz	x0, child
	ret
child:
	add	x10, x10, #16
step:
	ldp	x8, x0, [x10]
	ldp	x1, x2, [x10, #16]
	ldp	x3, x4, [x10, #32]
	ldr	x5, [x10, #48]
	svc	#0
	str	x0, [x10, #56]
	cmn	x0, #4095
	b.hs	failed
next:
	add	x10, x10, #72
	b	step
failed:
	neg	x1, x0
	cmp	x1, #63
	b.hi	end
	ldr	x2, [x10, #64]
	lsr	x2, x2, x1
	tbnz	x2, #0, next
end:
	mov	x0, #127
	mov	x8, #94
	svc	#0
	b	end
