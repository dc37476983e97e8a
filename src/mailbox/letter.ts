import { createHmac, timingSafeEqual } from 'node:crypto';

/** Names of the two files of one request in its mailbox. */
export const requestSuffix = '.request';
export const answerSuffix = '.answer';

/** Text of a request file: the request, and proof that its writer holds the attempt's token. */
export function sealed(token: string, request: unknown): string {
  const body = JSON.stringify(request);
  return JSON.stringify({ signature: signature(token, body), body });
}

/** The request in a file's text; undefined unless it was sealed with this token. */
export function unsealed(token: string, text: string): unknown {
  const { signature: given, body } = fieldsOf(text);
  if (typeof given !== 'string' || typeof body !== 'string') return undefined;
  const expected = Buffer.from(signature(token, body));
  const found = Buffer.from(given);
  if (found.length !== expected.length || !timingSafeEqual(expected, found)) return undefined;
  return parsed(body);
}

function signature(token: string, body: string): string {
  return createHmac('sha256', token).update(body).digest('hex');
}

function fieldsOf(text: string): { readonly signature?: unknown; readonly body?: unknown } {
  const value = parsed(text);
  return typeof value === 'object' && value !== null ? value : {};
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
