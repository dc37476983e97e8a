import { createHmac, timingSafeEqual } from 'node:crypto';
import { object, parseJson, readJson, text } from '../model/shape.ts';

/** Names of the two files of one request in its mailbox. */
export const requestSuffix = '.request';
export const answerSuffix = '.answer';

const Letter = object({ signature: text, body: text });

/** Text of a request file: the request, and proof that its writer holds the attempt's token. */
export function sealed(token: string, request: unknown): string {
  const body = JSON.stringify(request);
  return JSON.stringify({ signature: signature(token, body), body });
}

/** The request in a file's text; undefined unless it was sealed with this token. */
export function unsealed(token: string, file: string): unknown {
  const letter = readJson(Letter, file);
  if (letter === undefined) return undefined;
  const expected = Buffer.from(signature(token, letter.body));
  const found = Buffer.from(letter.signature);
  if (found.length !== expected.length || !timingSafeEqual(expected, found)) return undefined;
  return parseJson(letter.body);
}

function signature(token: string, body: string): string {
  return createHmac('sha256', token).update(body).digest('hex');
}
