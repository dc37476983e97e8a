/*
 * Server-sent events. A client that does not read is dropped: the browser connects again, and gets what it missed.
 */

/** Bytes that may wait for one client. */
const clientBytes = 4 * 1024 * 1024;
const greetingBytes = 64;

const encoder = new TextEncoder();

/** One message as it is sent. `data` has no line breaks. */
export function messageBytes(event: string, data: string, id?: string): Uint8Array {
  const name = id === undefined ? '' : `id: ${id}\n`;
  return encoder.encode(`${name}event: ${event}\ndata: ${data}\n\n`);
}

/** Keeps connections open through proxies, and shows that the server is alive. */
export const heartbeat = encoder.encode(': \n\n');
export const heartbeatMs = 15_000;

/** A connection that receives messages until either side closes it. */
export class Client {
  readonly body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #onEnd: (client: Client) => void;

  constructor(onEnd: (client: Client) => void) {
    this.#onEnd = onEnd;
    this.body = new ReadableStream(
      {
        start: (controller) => {
          this.#controller = controller;
          controller.enqueue(encoder.encode('retry: 1000\n\n'));
        },
        cancel: () => this.#end(),
      },
      { highWaterMark: clientBytes, size: ({ length }) => length },
    );
  }

  /** A message of any size may wait alone. */
  send(bytes: Uint8Array): void {
    const room = this.#controller?.desiredSize ?? 0;
    if (room < clientBytes - greetingBytes && room < bytes.length) this.close();
    else this.#controller?.enqueue(bytes);
  }

  close(): void {
    this.#controller?.close();
    this.#end();
  }

  #end(): void {
    if (this.#controller === undefined) return;
    this.#controller = undefined;
    this.#onEnd(this);
  }
}
