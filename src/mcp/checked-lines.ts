import { Transform, type TransformCallback, type Writable } from 'node:stream';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from '@modelcontextprotocol/server';
import { isObject } from '../model/shape.ts';

const parseError = { code: -32700, message: 'Parse error' };
const invalidRequest = { code: -32600, message: 'Invalid Request' };

/** Passes on the lines of a client. Answers those that are not JSON-RPC messages: the transport only drops them. */
export class CheckedLines extends Transform {
  readonly #output: Writable;
  /** The start of a line that has not ended. The transport bounds it: it stops reading if a line is too long. */
  #rest: Buffer[] = [];

  constructor(output: Writable) {
    super();
    this.#output = output;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#check(Buffer.concat([...this.#rest, chunk.subarray(from, end)]).toString());
      this.#rest = [];
      from = end + 1;
    }
    this.#rest.push(chunk.subarray(from));
    done(null, chunk);
  }

  #check(line: string): void {
    const problem = line.trim() === '' ? undefined : problemOf(line);
    if (problem === undefined) return;
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', ...problem })}\n`);
  }
}

/** Id and error of the answer to a line that is no message; the id is null if the line has none. */
function problemOf(line: string) {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return { id: null, error: parseError };
    throw error;
  }
  const isMessage =
    isJSONRPCRequest(message) ||
    isJSONRPCNotification(message) ||
    isJSONRPCResultResponse(message) ||
    isJSONRPCErrorResponse(message);
  return isMessage ? undefined : { id: idOf(message), error: invalidRequest };
}

function idOf(message: unknown): string | number | null {
  const id = isObject(message) ? message.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
