import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { answerHeaders } from './access.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
};

interface Asset {
  readonly changedAt: number;
  readonly etag: string;
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly zipped: Uint8Array<ArrayBuffer>;
}

/**
 * Files of the page. Only names that the folder lists are served, so no path leads out of it. Other paths are views of
 * the page, which its script reads from the address.
 */
export class Assets {
  readonly #dir: string;
  readonly #known = new Map<string, Asset>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  answer(path: string, header: (name: string) => string | undefined): Response {
    const names = existsSync(this.#dir) ? readdirSync(this.#dir) : [];
    const wanted = path.slice(1);
    const name = names.includes(wanted) ? wanted : extname(path) === '' ? 'index.html' : undefined;
    if (name === undefined || !names.includes(name)) return missing(names.length === 0);
    const asset = this.#read(name);
    const headers = {
      ...answerHeaders,
      'cache-control': 'no-cache',
      'content-type': asset.type,
      etag: asset.etag,
      vary: 'accept-encoding',
    };
    if (header('if-none-match') === asset.etag) return new Response(null, { status: 304, headers });
    const isZipped = /\bgzip\b/.test(header('accept-encoding') ?? '');
    if (!isZipped) return new Response(asset.bytes, { headers });
    return new Response(asset.zipped, { headers: { ...headers, 'content-encoding': 'gzip' } });
  }

  #read(name: string): Asset {
    const file = join(this.#dir, name);
    const { mtimeMs: changedAt } = statSync(file);
    const known = this.#known.get(name);
    if (known?.changedAt === changedAt) return known;
    const bytes = new Uint8Array(readFileSync(file));
    const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    const type = types[extname(name)] ?? 'application/octet-stream';
    const zipped = new Uint8Array(gzipSync(bytes));
    const asset = { changedAt, etag: `"${hash}"`, type, bytes, zipped };
    this.#known.set(name, asset);
    return asset;
  }
}

function missing(isUnbuilt: boolean): Response {
  const text = isUnbuilt
    ? 'This build of ym has no web page. Install ym again, or run `npm run build` in its folder.\n'
    : 'There is nothing at this address.\n';
  const headers = { ...answerHeaders, 'content-type': 'text/plain; charset=utf-8' };
  return new Response(text, { status: 404, headers });
}
