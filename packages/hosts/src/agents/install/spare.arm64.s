# Made from spare.c (sha256 32eb9a6e7e7147d5421b6be6c78f87d7e6954e98db6016e3d523a009d8584bf6)
# by scripts/spare-client.mjs: change that, not this.
	.arch armv8-a
	.text
#APP
	.text
.globl start
start:
	mov x0, sp
	bl begin
	brk #0

#NO_APP
	.align	2
	.type	length_of, %function
length_of:
	mov	x1, x0
	mov	x0, 0
.L2:
	ldrb	w2, [x1, x0]
	cbnz	w2, .L3
	ret
.L3:
	add	x0, x0, 1
	b	.L2
	.size	length_of, .-length_of
	.align	2
	.type	append, %function
append:
	mov	x2, 0
.L5:
	ldrb	w3, [x1, x2]
	mov	x4, x2
	strb	w3, [x0, x2]
	add	x2, x2, 1
	cbnz	w3, .L5
	add	x0, x0, x4
	ret
	.size	append, .-append
	.align	2
	.type	now, %function
now:
	sub	sp, sp, #16
	mov	x8, 113
	mov	x0, 1
	mov	x1, sp
	mov	x2, 0
	mov	x3, 0
	mov	x4, 0
	mov	x5, 0
#APP
	svc #0
#NO_APP
	ldp	x2, x1, [sp]
	mov	x0, 51712
	movk	x0, 0x3b9a, lsl 16
	add	sp, sp, 16
	madd	x0, x2, x0, x1
	ret
	.size	now, .-now
	.align	2
	.type	wait_for, %function
wait_for:
	mov	x9, 51712
	mov	w6, w0
	and	w10, w1, 65535
	mov	x7, x2
	stp	x29, x30, [sp, -48]!
	movk	x9, 0x3b9a, lsl 16
	mov	x29, sp
.L11:
	bl	now
	sub	x1, x7, x0
	cmp	x1, 0
	ble	.L12
	sdiv	x3, x1, x9
	add	x0, sp, 24
	add	x2, sp, 32
	mov	x8, 73
	mov	x4, 8
	mov	x5, 0
	str	w6, [sp, 24]
	str	x3, [sp, 32]
	msub	x3, x3, x9, x1
	mov	x1, 1
	strh	w10, [sp, 28]
	strh	wzr, [sp, 30]
	str	x3, [sp, 40]
	mov	x3, 0
#APP
	svc #0
#NO_APP
	cmn	x0, #4
	beq	.L11
.L9:
	ldp	x29, x30, [sp], 48
	ret
.L12:
	mov	x0, 0
	b	.L9
	.size	wait_for, .-wait_for
	.align	2
	.type	leave, %function
leave:
	mov	x6, x0
.L15:
	mov	x0, x6
	mov	x8, 94
	mov	x1, 0
	mov	x2, 0
	mov	x3, 0
	mov	x4, 0
	mov	x5, 0
#APP
	svc #0
#NO_APP
	b	.L15
	.size	leave, .-leave
	.align	2
	.type	end_as, %function
end_as:
	stp	x29, x30, [sp, -64]!
	mov	x29, sp
	cmp	x1, 0
	ble	.L26
	ldrb	w2, [x0]
	cmp	w2, 115
	cset	w4, eq
.L17:
	sxtw	x5, w4
	mov	x6, 0
	mov	x3, x5
	mov	x7, 10
.L18:
	cmp	x3, x1
	blt	.L19
	ccmp	x3, x5, 4, eq
	bne	.L30
.L20:
	mov	x0, 125
.L32:
	bl	leave
.L26:
	mov	w4, 0
	b	.L17
.L19:
	ldrb	w2, [x0, x3]
	sub	w2, w2, #48
	and	w8, w2, 255
	cmp	w8, 9
	bhi	.L20
	cmp	x6, 999
	bgt	.L20
	sxtw	x2, w2
	add	x3, x3, 1
	madd	x6, x6, x7, x2
	b	.L18
.L30:
	cmp	x6, 255
	bgt	.L20
	cbnz	w4, .L24
	mov	x0, x6
	b	.L32
.L24:
	sub	x0, x6, #1
	cmp	x0, 63
	bhi	.L25
	sub	w1, w6, #1
	mov	x0, 26883
	lsr	x0, x0, x1
	tbz	x0, 0, .L25
	mov	x8, 134
	mov	x0, x6
	add	x1, sp, 32
	mov	x2, 0
	mov	x3, 8
	mov	x4, 0
	mov	x5, 0
	stp	xzr, xzr, [sp, 24]
	stp	xzr, xzr, [sp, 40]
	str	xzr, [sp, 56]
#APP
	svc #0
#NO_APP
	mov	x8, 135
	mov	x0, 2
	add	x1, sp, 24
#APP
	svc #0
#NO_APP
	mov	x8, 172
	mov	x0, 0
	mov	x1, 0
	mov	x3, 0
#APP
	svc #0
#NO_APP
	mov	x8, 129
	mov	x1, x6
#APP
	svc #0
#NO_APP
.L25:
	add	x0, x6, 128
	b	.L32
	.size	end_as, .-end_as
	.align	2
	.type	stay, %function
stay:
	stp	x29, x30, [sp, -176]!
	sxtw	x9, w0
	mov	x7, x9
	mov	x29, sp
	sxtw	x6, w1
	mov	w0, 1
	str	w9, [sp, 32]
	strh	w0, [sp, 36]
	str	w1, [sp, 40]
	strh	w0, [sp, 44]
.L34:
	add	x0, sp, 32
	mov	x8, 73
	mov	x1, 2
	mov	x2, 0
	mov	x3, 0
	mov	x4, 8
	mov	x5, 0
	strh	wzr, [sp, 38]
	strh	wzr, [sp, 46]
#APP
	svc #0
#NO_APP
	cmn	x0, #4
	beq	.L34
	tbz	x0, #63, .L35
	mov	x0, 125
.L52:
	bl	leave
.L35:
	ldrh	w0, [sp, 46]
	cbz	w0, .L36
	mov	x0, x6
	add	x1, sp, 48
	mov	x8, 63
	mov	x2, 128
	mov	x4, 0
#APP
	svc #0
#NO_APP
	cmp	x0, x2
	bne	.L36
	ldr	w0, [sp, 48]
	mov	x8, 206
	add	x1, sp, 31
	mov	x2, 1
	mov	x3, 16384
	strb	w0, [sp, 31]
	sxtw	x0, w7
#APP
	svc #0
#NO_APP
.L36:
	ldrh	w0, [sp, 38]
	cbz	w0, .L34
	mov	x0, x9
	add	x1, sp, 48
	mov	x8, 207
	mov	x2, 16
	mov	x3, 0
	mov	x4, 0
	mov	x5, 0
#APP
	svc #0
#NO_APP
	cmn	x0, #11
	mov	x1, x0
	ccmn	x0, #4, 4, ne
	beq	.L34
	cmp	x0, 0
	bgt	.L41
	mov	x0, 137
	b	.L52
.L41:
	ldrb	w0, [sp, 48]
	cmp	w0, 99
	beq	.L50
	add	x0, sp, 48
	bl	end_as
.L50:
	ldp	x29, x30, [sp], 176
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
	.align	2
	.type	hand_over, %function
hand_over:
	sub	sp, sp, #608
	mov	x7, x0
	mov	x9, x1
	mov	x6, 0
	stp	x29, x30, [sp]
	mov	x29, sp
	stp	x19, x20, [sp, 16]
	str	x21, [sp, 32]
.L55:
	mov	x0, x6
	add	x2, sp, 240
	mov	x8, 29
	mov	x1, 21505
	mov	x3, 0
	mov	x4, 0
	mov	x5, 0
#APP
	svc #0
#NO_APP
	cbz	x0, .L53
	add	x6, x6, 1
	cmp	x6, 3
	bne	.L55
	add	x6, sp, 304
	mov	x8, 78
	mov	x2, x6
	mov	x0, -100
	adr	x1, .LC0
	mov	x3, 63
#APP
	svc #0
#NO_APP
	mov	x3, x0
	sub	x0, x0, #1
	cmp	x0, 61
	bhi	.L53
	ldr	x4, [x7, 8]
	strb	wzr, [x6, x3]
	add	x3, x3, 7
	mov	x0, x4
	bl	length_of
	add	x3, x3, x0
	cmp	x3, 108
	bhi	.L53
	mov	x1, x4
	add	x10, sp, 370
	mov	w0, 1
	strh	w0, [sp, 368]
	mov	x0, x10
	bl	append
	adr	x1, .LC1
	bl	append
	mov	x1, x6
	bl	append
	mov	x1, 2049
	mov	x6, x0
	mov	x8, 198
	mov	x0, 1
	movk	x1, 0x8, lsl 16
	mov	x2, 0
	mov	x3, 0
	mov	x4, 0
#APP
	svc #0
#NO_APP
	mov	x13, x0
	mov	w18, w0
	cmp	w0, 2
	ble	.L53
	sxtw	x14, w0
	sub	x2, x6, x10
	mov	x0, x14
	add	x1, sp, 368
	add	x2, x2, 3
	mov	x8, 203
#APP
	svc #0
#NO_APP
	cbnz	x0, .L53
	bl	now
	mov	x10, x0
	mov	w0, 12
	add	x3, sp, 72
	add	x4, sp, 56
	mov	x8, 209
	mov	x1, 1
	mov	x2, 17
	mov	x5, 0
	str	w0, [sp, 56]
	mov	x0, x14
#APP
	svc #0
#NO_APP
	cbnz	x0, .L53
	ldr	w6, [sp, 76]
	mov	x8, 174
	mov	x1, 0
	mov	x2, 0
	mov	x3, 0
	mov	x4, 0
#APP
	svc #0
#NO_APP
	cmp	w6, w0
	bne	.L53
	ldr	w3, [sp, 72]
	cbz	w3, .L53
	mov	x1, 10
	add	x5, sp, 88
	mov	w4, w1
	strb	wzr, [sp, 99]
.L56:
	udiv	w2, w3, w4
	mov	x6, x1
	msub	w0, w2, w4, w3
	add	w0, w0, 48
	strb	w0, [x1, x5]
	mov	w0, w3
	sub	x1, x1, #1
	mov	w3, w2
	cmp	w0, 9
	bhi	.L56
	adr	x1, .LC2
	add	x0, sp, 120
	bl	append
	add	x1, x5, w6, sxtw
	add	x12, sp, 480
	bl	append
	adr	x1, .LC3
	bl	append
	mov	x2, x12
	add	x1, sp, 120
	mov	x8, 78
	mov	x0, -100
	mov	x3, 127
	mov	x4, 0
	mov	x5, 0
#APP
	svc #0
#NO_APP
	mov	x6, x0
	sub	x0, x0, #1
	cmp	x0, 125
	bhi	.L53
	add	x4, x7, 8
	strb	wzr, [x12, x6]
	add	x6, x6, 1
	mov	x19, 0
.L57:
	add	x3, x19, 1
	ldr	x0, [x4, x3, lsl 3]
	cbnz	x0, .L58
	sub	x4, x9, #8
	mov	x15, 0
.L59:
	add	x3, x15, 1
	ldr	x0, [x4, x3, lsl 3]
	cbnz	x0, .L60
	cmp	x6, 4194304
	bhi	.L53
	add	x1, x6, 80
	mov	x8, 222
	mov	x2, 3
	mov	x3, 34
	mov	x4, -1
	mov	x5, 0
#APP
	svc #0
#NO_APP
	mov	x11, x0
	cmn	x0, #4096
	bhi	.L53
	adr	x1, .LC4
	bl	append
	mov	w0, -1
	mov	x8, 219
	mov	x1, -3
	mov	x2, 0
	mov	x3, 0
	mov	x4, 0
	stp	w19, w15, [x11, 8]
	str	x6, [x11, 16]
	str	w0, [sp, 60]
	mov	x0, 0
#APP
	svc #0
#NO_APP
	mov	x8, 92
	mov	x1, 0
	str	x0, [x11, 24]
	mov	x0, 4294967295
#APP
	svc #0
#NO_APP
	mov	x8, 167
	str	x0, [x11, 32]
	mov	x0, 27
#APP
	svc #0
#NO_APP
	str	x0, [x11, 40]
	mov	x0, 30
#APP
	svc #0
#NO_APP
	str	x0, [x11, 48]
	mov	x0, 66
#APP
	svc #0
#NO_APP
	mov	x8, 31
	str	x0, [x11, 56]
	mov	x0, 1
#APP
	svc #0
#NO_APP
	mov	x8, 236
	str	x0, [x11, 64]
	add	x0, sp, 60
#APP
	svc #0
#NO_APP
	ldrsw	x1, [sp, 60]
	cmp	x0, 0
	add	x7, x7, 16
	add	x0, x11, 80
	csinv	x1, x1, xzr, eq
	str	x1, [x11, 72]
	mov	x1, x12
	bl	append
	add	x12, x0, 1
.L62:
	ldr	x1, [x7]
	cbnz	x1, .L63
.L64:
	ldr	x1, [x9]
	cbnz	x1, .L65
	mov	x2, 16384
	mov	x8, 56
	mov	x0, -100
	adr	x1, .LC5
	movk	x2, 0x28, lsl 16
	mov	x3, 0
	mov	x4, 0
	mov	x5, 0
#APP
	svc #0
#NO_APP
	mov	x20, x0
	cmp	w0, 2
	ble	.L53
	mov	x0, 27143
	add	x1, sp, 64
	mov	x8, 135
	mov	x2, 0
	mov	x3, 8
	str	x0, [sp, 64]
	mov	x0, 0
#APP
	svc #0
#NO_APP
	cbnz	x0, .L53
	mov	x2, x3
	mov	x3, 2048
	mov	x8, 74
	mov	x0, -1
	movk	x3, 0x8, lsl 16
#APP
	svc #0
#NO_APP
	mov	x19, x0
	cmp	w0, 2
	ble	.L53
	mov	x21, 49664
	sub	x12, x12, x11
	movk	x21, 0xbeb, lsl 16
	add	x21, x10, x21
	mov	x15, 0
.L66:
	mov	x0, x14
	add	x1, x11, x15
	sub	x2, x12, x15
	mov	x8, 206
	mov	x3, 16384
	mov	x4, 0
	mov	x5, 0
#APP
	svc #0
#NO_APP
	cmn	x0, #11
	bne	.L67
	mov	x2, x21
	mov	w0, w18
	mov	w1, 4
	bl	wait_for
	cmp	x0, 0
	bgt	.L66
.L53:
	ldp	x29, x30, [sp]
	ldp	x19, x20, [sp, 16]
	ldr	x21, [sp, 32]
	add	sp, sp, 608
	ret
.L58:
	bl	length_of
	add	x0, x0, 1
	add	x6, x6, x0
	mov	x19, x3
	b	.L57
.L60:
	bl	length_of
	add	x0, x0, 1
	add	x6, x6, x0
	mov	x15, x3
	b	.L59
.L63:
	mov	x0, x12
	add	x7, x7, 8
	bl	append
	add	x12, x0, 1
	b	.L62
.L65:
	mov	x0, x12
	add	x9, x9, 8
	bl	append
	add	x12, x0, 1
	b	.L64
.L67:
	cmn	x0, #4
	beq	.L66
	cmp	x0, 0
	ble	.L53
	add	x15, x15, x0
	cmp	x12, x15
	bne	.L66
	add	x11, sp, 55
	strb	wzr, [sp, 55]
.L70:
	mov	x2, x21
	mov	w0, w18
	mov	w1, 1
	bl	wait_for
	cmp	x0, 0
	ble	.L53
	mov	x0, x14
	mov	x1, x11
	mov	x8, 207
	mov	x2, 1
	mov	x3, 0
	mov	x4, 0
	mov	x5, 0
#APP
	svc #0
#NO_APP
	cmn	x0, #4
	mov	x3, x0
	ccmn	x0, #11, 4, ne
	beq	.L70
	cmp	x0, x2
	bne	.L53
	ldrb	w0, [sp, 55]
	cmp	w0, 114
	bne	.L53
	mov	w0, 103
	mov	x1, 4294967297
	strb	w0, [sp, 55]
	mov	x0, 32
	stp	x0, x1, [sp, 152]
	mov	x1, 4294967296
	str	x1, [sp, 168]
	mov	w1, 2
	str	w1, [sp, 176]
	add	x1, sp, 104
	stp	x11, x3, [sp, 104]
	str	w20, [sp, 180]
	stp	xzr, xzr, [sp, 184]
	str	x1, [sp, 200]
	add	x1, sp, 152
	str	x3, [sp, 208]
	str	x1, [sp, 216]
	stp	x0, xzr, [sp, 224]
.L71:
	mov	x0, x14
	add	x1, sp, 184
	mov	x8, 211
	mov	x2, 16384
	mov	x3, 0
	mov	x4, 0
	mov	x5, 0
#APP
	svc #0
#NO_APP
	cmn	x0, #4
	beq	.L71
	cmp	x0, 1
	bne	.L53
	mov	w1, w19
	mov	w0, w13
	bl	stay
	b	.L53
	.size	hand_over, .-hand_over
	.align	2
	.type	begin, %function
begin:
	stp	x29, x30, [sp, -64]!
	mov	x29, sp
	str	x21, [sp, 32]
	ldr	x21, [x0]
	stp	x19, x20, [sp, 16]
	cmp	x21, 2
	ble	.L90
	add	x20, x21, 1
	add	x6, x0, 8
	mov	x19, x0
	mov	x8, 135
	add	x20, x6, x20, lsl 3
	mov	x0, 0
	mov	x1, 0
	add	x2, sp, 56
	mov	x3, 8
	mov	x4, 0
	mov	x5, 0
	str	xzr, [sp, 56]
#APP
	svc #0
#NO_APP
	mov	x1, x20
	mov	x0, x6
	bl	hand_over
	mov	x8, 135
	mov	x0, 2
	add	x1, sp, 56
	mov	x2, 0
	mov	x3, 8
	mov	x4, 0
	mov	x5, 0
#APP
	svc #0
#NO_APP
	mov	x1, x19
	mov	x8, 221
	mov	x2, x20
	mov	x3, 0
	ldr	x0, [x1, 24]!
#APP
	svc #0
#NO_APP
.L90:
	mov	x8, 64
	mov	x0, 2
	adr	x1, sentence.0
	mov	x2, 86
	mov	x3, 0
	mov	x4, 0
	mov	x5, 0
#APP
	svc #0
#NO_APP
	cmp	x21, 2
	mov	x1, 125
	mov	x0, 2
	csel	x0, x1, x0, gt
	bl	leave
	.size	begin, .-begin
	.text
	.type	sentence.0, %object
	.size	sentence.0, 87
sentence.0:
	.string	"assent: this command was not started, because Assent could not be: run: assent doctor\n"
	.section	.note.GNU-stack,"",@progbits
