import { describe, expect, it } from 'vitest';
import { isLoopback, refusalOf, sessionCookie, strangerRefusal } from './access.ts';

const access = { token: 'a'.repeat(43), cookie: 'ym-1', host: '127.0.0.1' };
const good = { host: '127.0.0.1:4000' };

function asked(
  headers: Readonly<Record<string, string>>,
  more: Partial<{ method: string; path: string }> = {},
) {
  return { method: 'GET', path: '/api/view', ...more, header: (name: string) => headers[name] };
}

describe('a request', () => {
  it.each([['127.0.0.1:4000'], ['localhost:4000'], ['[::1]:4000'], ['LOCALHOST']])(
    'is accepted for the host %s',
    (host) => {
      expect(refusalOf(asked({ host }), access)).toBeUndefined();
    },
  );

  it.each([
    ['evil.example'],
    ['localhost.evil.example:4000'],
    ['10.0.0.1:4000'],
    [''],
    ['127.0.0.1.nip.io'],
  ])('is refused for the host "%s"', (host) => {
    expect(refusalOf(asked({ host }), access)).toMatchObject({ status: 403 });
  });

  it('may name any address, but no foreign name, if the server listens for other machines', () => {
    const open = { ...access, host: '0.0.0.0' };
    expect(refusalOf(asked({ host: '10.0.0.7:4000' }), open)).toBeUndefined();
    expect(refusalOf(asked({ host: '[fe80::1]:4000' }), open)).toBeUndefined();
    expect(refusalOf(asked({ host: 'evil.example' }), open)).toMatchObject({ status: 403 });
  });

  it.each([
    ['http://evil.example'],
    ['null'],
    ['https://127.0.0.1:4000'],
    ['http://127.0.0.1:4001'],
  ])('is refused with the origin %s', (origin) => {
    expect(refusalOf(asked({ ...good, origin }), access)).toMatchObject({ status: 403 });
  });

  it('is accepted with the origin of the page itself', () => {
    const origin = 'http://127.0.0.1:4000';
    expect(refusalOf(asked({ ...good, origin }), access)).toBeUndefined();
  });

  it('of another site is refused unless it is a link to the page', () => {
    const foreign = { ...good, 'sec-fetch-site': 'cross-site' };
    const link = { ...foreign, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect(refusalOf(asked(foreign), access)).toMatchObject({ status: 403 });
    expect(refusalOf(asked(link), access)).toMatchObject({ status: 403 });
    expect(refusalOf(asked(link, { path: '/' }), access)).toBeUndefined();
    const frame = { ...link, 'sec-fetch-dest': 'iframe' };
    expect(refusalOf(asked(frame, { path: '/' }), access)).toMatchObject({ status: 403 });
    expect(refusalOf(asked(link, { path: '/', method: 'POST' }), access)).toMatchObject({
      status: 403,
    });
  });

  it('needs the token, in the cookie of this server or as a bearer', () => {
    const cookie = `other=1; ym-1=${access.token}`;
    expect(strangerRefusal(asked({ ...good, cookie }), access)).toBeUndefined();
    const authorization = `Bearer ${access.token}`;
    expect(strangerRefusal(asked({ ...good, authorization }), access)).toBeUndefined();
    const others = [{ cookie: `ym-2=${access.token}` }, { authorization: 'Bearer b' }];
    for (const wrong of [{}, ...others] as Record<string, string>[]) {
      expect(strangerRefusal(asked({ ...good, ...wrong }), access)).toMatchObject({ status: 401 });
    }
  });

  it('gets a cookie that scripts cannot read and other sites cannot send', () => {
    expect(sessionCookie(access)).toMatch(/HttpOnly; SameSite=Strict/);
  });
});

it('knows addresses that only this machine reaches', () => {
  expect(['127.0.0.1', '127.3.2.1', 'localhost', '::1'].every(isLoopback)).toBe(true);
  expect(['0.0.0.0', '::', '192.168.1.2', 'box.local'].some(isLoopback)).toBe(false);
});
