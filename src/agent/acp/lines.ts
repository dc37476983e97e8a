export interface LineSink {
  line(text: string): void;
  /** A line over the limit: its first bytes and its whole length. */
  tooLong(head: string, bytes: number): void;
}

export interface LineSplitter {
  push(chunk: Buffer): void;
  /** Emits the rest after the last line end. */
  end(): void;
}

const headBytes = 1024;
const lineEnd = 10;

/** Splits bytes into lines and buffers at most `limit` bytes. */
export function lineSplitter(limit: number, sink: LineSink): LineSplitter {
  let parts: Buffer[] = [];
  let bytes = 0;
  let head: string | undefined;

  function take(piece: Buffer): void {
    bytes += piece.length;
    if (head !== undefined) return;
    parts.push(piece);
    if (bytes <= limit) return;
    head = Buffer.concat(parts.map((part) => part.subarray(0, headBytes)))
      .subarray(0, headBytes)
      .toString('utf8');
    parts = [];
  }

  function finish(): void {
    const text = Buffer.concat(parts).toString('utf8');
    const long = head;
    const length = bytes;
    parts = [];
    bytes = 0;
    head = undefined;
    if (long !== undefined) sink.tooLong(long, length);
    else if (text.trim() !== '') sink.line(text);
  }

  return {
    push(chunk) {
      let from = 0;
      for (;;) {
        const at = chunk.indexOf(lineEnd, from);
        take(chunk.subarray(from, at === -1 ? chunk.length : at));
        if (at === -1) return;
        finish();
        from = at + 1;
      }
    },
    end: finish,
  };
}
