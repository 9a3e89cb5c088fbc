"""Appends the bytes of a file to another with one write, in whose middle the kernel waits: FILE BYTES SECONDS.

The bytes lie across two pages of memory, of which the second is there only after SECONDS (userfaultfd(2)); the first goes
up to the end of a page of the file, which is as far as the kernel has written by then. Prints "in it" once it waits.
"""
import ctypes, mmap, os, struct, sys, threading, time

file, source, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
PAGE, USERFAULTFD = mmap.PAGESIZE, {"x86_64": 323, "aarch64": 282}[os.uname().machine]
UFFDIO_API, UFFDIO_REGISTER, UFFDIO_COPY = 0xC018AA3F, 0xC020AA00, 0xC028AA03
libc = ctypes.CDLL(None, use_errno=True)


def control(descriptor, request, record):
    if libc.ioctl(descriptor, ctypes.c_ulong(request), ctypes.byref(record)) != 0:
        raise OSError(ctypes.get_errno(), hex(request))


data = open(source, "rb").read()
out = os.open(file, os.O_WRONLY | os.O_APPEND)
first = PAGE - os.fstat(out).st_size % PAGE
assert 0 < first < len(data) <= first + PAGE, (first, len(data))
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
memory = libc.mmap(None, 2 * PAGE, 3, 0x22, -1, 0)
ctypes.memmove(memory + PAGE - first, data[:first], first)
faults = libc.syscall(USERFAULTFD, os.O_CLOEXEC)
if faults < 0:
    raise OSError(ctypes.get_errno(), "userfaultfd")
control(faults, UFFDIO_API, (ctypes.c_uint64 * 3)(0xAA, 0, 0))
control(faults, UFFDIO_REGISTER, (ctypes.c_uint64 * 4)(memory + PAGE, PAGE, 1, 0))


def fill():
    os.read(faults, 32)
    print("in it", flush=True)
    time.sleep(seconds)
    rest = ctypes.create_string_buffer(data[first:].ljust(PAGE, b"\0"), PAGE)
    aligned = libc.mmap(None, PAGE, 3, 0x22, -1, 0)
    ctypes.memmove(aligned, rest, PAGE)
    control(faults, UFFDIO_COPY, (ctypes.c_uint64 * 5)(memory + PAGE, aligned, PAGE, 0, 0))


threading.Thread(target=fill).start()
libc.write.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
assert libc.write(out, memory + PAGE - first, len(data)) == len(data)
