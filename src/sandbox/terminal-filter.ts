/** Requests by which a process types into its terminal: whoever reads it next, such as the user's shell, obeys. */
const typing = [0x5412, 0x541c];
/** Numbers of the system call `ioctl` on the machines that agents run on, 32 bit programs included. */
const ioctls = [16, 29, 54, 0x40000202];

const [load, jumpIfEqual, end] = [0x20, 0x15, 0x06];
const [numberAt, requestAt] = [0, 24];
const [allowed, notPermitted] = [0x7fff0000, 0x00050001];

/**
 * Program for `bwrap --seccomp` that refuses these requests. A session of its own (`--new-session`) would refuse them
 * too, but without job control, Ctrl-C and changes of the window's size.
 */
export function terminalFilter(): Uint8Array {
  const checks = typing.length + 1 + ioctls.length;
  const program = [
    [load, 0, 0, requestAt],
    // Each jump skips the given number of lines: to the next check, to the end, or nowhere.
    ...typing.map((request, n) => {
      const isLast = n === typing.length - 1;
      return [jumpIfEqual, typing.length - 1 - n, isLast ? checks - typing.length : 0, request];
    }),
    [load, 0, 0, numberAt],
    ...ioctls.map((number, n) => [jumpIfEqual, ioctls.length - n, 0, number]),
    [end, 0, 0, allowed],
    [end, 0, 0, notPermitted],
  ];
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [n, [code = 0, yes = 0, no = 0, value = 0]] of program.entries()) {
    bytes.setUint16(n * 8, code, true);
    bytes.setUint8(n * 8 + 2, yes);
    bytes.setUint8(n * 8 + 3, no);
    bytes.setUint32(n * 8 + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}
