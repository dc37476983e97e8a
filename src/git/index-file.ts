/** Facts about the index file of a git that is not ours. */
interface IndexFile {
  /** Tree of all entries, if git has noted it: it does when it commits. */
  readonly tree: string | undefined;
}

const ASSUME_VALID = 0x8000;
const EXTENDED = 0x4000;
const FIXED_BYTES = 40;

/**
 * Reads an index file. Undefined if it is malformed, if an entry has a flag that hides changes of its file, or if it
 * is not whole: such an index must not be used.
 */
export function readIndex(bytes: Buffer, idBytes: number): IndexFile | undefined {
  const version = bytes.length > 12 ? bytes.readUInt32BE(4) : 0;
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return undefined;
  let at = 12;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const start = at;
    const flagsAt = at + FIXED_BYTES + idBytes;
    if (flagsAt + 4 > bytes.length) return undefined;
    // Extended flags say that a file is skipped or only intended to be added.
    if ((bytes.readUInt16BE(flagsAt) & (ASSUME_VALID | EXTENDED)) !== 0) return undefined;
    at = flagsAt + 2;
    if (version === 4) while (((bytes[at++] ?? 0) & 0x80) !== 0);
    const end = bytes.indexOf(0, at);
    if (end === -1) return undefined;
    at = version === 4 ? end + 1 : start + ((end - start + 8) & ~7);
  }
  return extensions(bytes, at, idBytes);
}

/** Extensions that git marks as required, such as a split index, have names in lower case. */
function extensions(bytes: Buffer, from: number, idBytes: number): IndexFile | undefined {
  let tree: string | undefined;
  for (let at = from; at + 8 <= bytes.length - idBytes; ) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32BE(at + 4);
    if (/^[a-z]/.test(name)) return undefined;
    if (name === 'TREE') tree = rootOf(bytes.subarray(at + 8, at + 8 + size), idBytes);
    at += 8 + size;
  }
  return { tree };
}

/** The first entry is that of the root: an empty name, the number of files (-1: not known), of subtrees, and the id. */
function rootOf(cache: Buffer, idBytes: number): string | undefined {
  const end = cache.indexOf('\n');
  if (end === -1 || !/^\0\d+ \d+$/.test(cache.toString('latin1', 0, end))) return undefined;
  return cache.toString('hex', end + 1, end + 1 + idBytes);
}
