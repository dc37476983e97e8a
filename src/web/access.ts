import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { Sentences } from '../report/explain/sentences.ts';

/** Rules that every request must pass. */
export interface Access {
  readonly token: string;
  /** Name of the session cookie. Cookies do not know ports, so servers of several projects need several names. */
  readonly cookie: string;
  /** Address or name that the server listens on. */
  readonly host: string;
}

/** Facts about a request. Header names are in lower case. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  header(name: string): string | undefined;
}

export interface Refusal extends Sentences {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 500 | 503;
}

/** Headers of every answer. Data is never stored by a browser or a proxy. */
export const answerHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/**
 * Headers of the report of a run, a page of its own with its own styles. `sandbox` gives it another origin than the
 * dashboard and forbids scripts, so text in it that became markup by mistake could neither read nor decide anything.
 */
export const reportHeaders: Readonly<Record<string, string>> = {
  ...answerHeaders,
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'content-type': 'text/html; charset=utf-8',
};

const loopback = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

export function isLoopback(host: string): boolean {
  return loopback.has(host) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Reason to refuse a request whatever it asks for; undefined if there is none. */
export function refusalOf(asked: Asked, access: Access): Refusal | undefined {
  return foreignHost(asked, access) ?? foreignOrigin(asked) ?? crossSite(asked);
}

/** A page of another site that made its name resolve to this machine is known by the Host that it sends. */
function foreignHost(asked: Asked, { host }: Access): Refusal | undefined {
  const named = asked.header('host') ?? '';
  const name = named.replace(/:\d+$/, '').toLowerCase();
  const isOwn = isLoopback(name) || name === host.toLowerCase();
  // Names can be made to resolve to any address; an address cannot.
  const isAddress = !isLoopback(host) && isIP(name.replace(/^\[|\]$/g, '')) > 0;
  if (isOwn || isAddress) return undefined;
  return forbidden(
    `The host "${named}" is not this server.`,
    'Another site may have sent the request.',
  );
}

/** Only a page of this very server has the same Origin as the Host that it asks. */
function foreignOrigin(asked: Asked): Refusal | undefined {
  const origin = asked.header('origin');
  if (origin === undefined || origin === `http://${asked.header('host')}`) return undefined;
  return forbidden(`Pages of ${origin} may not use this server.`, '');
}

/** Browsers say where a request comes from. A link to the page itself may be on any site. */
function crossSite(asked: Asked): Refusal | undefined {
  const site = asked.header('sec-fetch-site');
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
  const isLink =
    asked.method === 'GET' &&
    asked.header('sec-fetch-mode') === 'navigate' &&
    asked.header('sec-fetch-dest') === 'document' &&
    !asked.path.startsWith('/api/');
  return isLink ? undefined : forbidden('Other sites may not use this server.', '');
}

function forbidden(what: string, why: string): Refusal {
  const remedy = 'Open the address that `ym ui` prints.';
  return { status: 403, kind: 'forbidden', what, why, do: remedy };
}

/** Refuses a request without the token, in its cookie or in `Authorization: Bearer`. */
export function strangerRefusal(asked: Asked, access: Access): Refusal | undefined {
  const bearer = /^Bearer ([\w-]{1,200})$/.exec(asked.header('authorization') ?? '')?.[1];
  const given = bearer ?? cookieIn(asked.header('cookie') ?? '', access.cookie);
  if (given !== undefined && isToken(given, access)) return undefined;
  return {
    status: 401,
    kind: 'unauthorized',
    what: 'This page has no access to the server.',
    why: given === undefined ? 'The request has no token.' : 'Its token is wrong.',
    do: 'Open the address that `ym ui` prints.',
  };
}

/** Takes the same time for every wrong token. */
export function isToken(given: string, { token }: Access): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

/** The session cookie as a browser keeps it. Scripts cannot read it, and other sites cannot send it. */
export function sessionCookie({ cookie, token }: Access): string {
  return `${cookie}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000`;
}

function cookieIn(header: string, name: string): string | undefined {
  const found = header.split(/; */).find((one) => one.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}
