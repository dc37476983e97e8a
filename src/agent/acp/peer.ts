import type { Json } from '../harness.ts';
import { jsonOf, numberAt, objectAt, textAt } from '../stream.ts';

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type Reply = { readonly result: Json } | { readonly error: RpcError };

export type Answer =
  | { readonly id: 'result'; readonly result: Json }
  | { readonly id: 'error'; readonly error: RpcError }
  /** The other side is gone or no longer readable. */
  | { readonly id: 'none' };

/** Handles requests and notifications of the other side. */
export interface RequestHandler {
  request(method: string, params: Json): Reply;
  notification(method: string, params: Json): void;
  /** Called for a line that is not a message. */
  unreadableLine(): void;
}

export const methodNotFound = -32601;
export const invalidParams = -32602;
export const internalError = -32603;

/** One side of a JSON-RPC 2.0 dialogue, one message per line. */
export class Peer {
  readonly #write: (line: string) => void;
  readonly #served: RequestHandler;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #last = 0;
  #closed = false;

  constructor(write: (line: string) => void, served: RequestHandler) {
    this.#write = write;
    this.#served = served;
  }

  request(method: string, params: Json): Promise<Answer> {
    if (this.#closed) return Promise.resolve({ id: 'none' });
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ id, method, params });
    });
  }

  notify(method: string, params: Json): void {
    if (!this.#closed) this.#send({ method, params });
  }

  /** Handles one line of the other side. */
  receive(line: string): void {
    const message = jsonOf(line);
    if (message === undefined) {
      this.#served.unreadableLine();
      return;
    }
    const method = textAt(message, 'method');
    if (method === undefined) this.#settle(message);
    else if (isId(message.id)) this.#serve(message.id, method, objectAt(message, 'params') ?? {});
    else this.#served.notification(method, objectAt(message, 'params') ?? {});
  }

  /** Ends all pending requests without an answer. */
  close(): void {
    this.#closed = true;
    for (const resolve of this.#waiting.values()) resolve({ id: 'none' });
    this.#waiting.clear();
  }

  #settle(message: Json): void {
    const id = numberAt(message, 'id');
    const resolve = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || resolve === undefined) {
      this.#served.unreadableLine();
      return;
    }
    this.#waiting.delete(id);
    const error = objectAt(message, 'error');
    // A result that is not an object, such as null, only means success.
    if (error === undefined) resolve({ id: 'result', result: objectAt(message, 'result') ?? {} });
    else resolve({ id: 'error', error: errorOf(error) });
  }

  #serve(id: string | number, method: string, params: Json): void {
    this.#send({ id, ...this.#served.request(method, params) });
  }

  #send(message: Json): void {
    this.#write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

/** 0 is a valid id, and agents start with it. */
function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function errorOf(error: Json): RpcError {
  return {
    code: numberAt(error, 'code') ?? internalError,
    message: textAt(error, 'message') ?? 'error without a message',
    data: error.data,
  };
}
