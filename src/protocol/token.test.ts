import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Caller, tokenFor, withoutTokens } from './token.ts';

const secret = randomBytes(32);
const caller: Caller = { run: '261115-230028-5169', task: 'fix.login_2', attempt: 3 };

describe('the token of an attempt', () => {
  it('names the attempt', () => {
    const token = tokenFor(secret, caller);
    expect(token).toMatch(/^yard:261115-230028-5169:fix\.login_2:3:[0-9a-f]{64}$/);
  });

  it('is stable, and differs between attempts', () => {
    const others: Caller[] = [
      { ...caller, attempt: 4 },
      { ...caller, task: 'other' },
      { ...caller, run: 'r' },
    ];
    expect(tokenFor(secret, caller)).toBe(tokenFor(secret, { ...caller }));
    const seals = [caller, ...others].map((one) => tokenFor(secret, one).split(':').at(-1));
    expect(new Set(seals).size).toBe(4);
  });

  it('differs with another secret', () => {
    expect(tokenFor(randomBytes(32), caller)).not.toBe(tokenFor(secret, caller));
  });

  it('keeps the fields of the attempt apart', () => {
    const one = tokenFor(secret, { run: 'a', task: 'b', attempt: 11 }).split(':').at(-1);
    expect(tokenFor(secret, { run: 'a', task: 'b', attempt: 1 })).not.toContain(one ?? '');
  });
});

describe('stored text', () => {
  const token = tokenFor(secret, caller);
  const seal = token.split(':').at(-1) ?? '';

  it('contains no token of any attempt', () => {
    const other = tokenFor(secret, { run: 'r', task: 't', attempt: 12 });
    expect(withoutTokens(`YARD_TOKEN=${token}\n"${other}",${token}`)).toBe(
      'YARD_TOKEN=[redacted]\n"[redacted]",[redacted]',
    );
  });

  it('contains no cut-off token at its beginning or end', () => {
    fc.assert(
      fc.property(fc.nat(token.length - 41), (cut) => {
        expect(withoutTokens(`${token.slice(cut)} b`)).not.toContain(seal.slice(-41));
      }),
    );
    expect(withoutTokens(`a ${token.slice(0, -1)}`)).toBe('a [redacted]');
    expect(withoutTokens(`a ${token.slice(0, -63)}…`)).toBe('a [redacted]…');
  });

  it.each([
    '[yard:261115-230028-5169:fix.login_2:3]',
    'yard:a:b',
    `commit ${'a'.repeat(40)}`,
    `${'a'.repeat(40)} Fix it`,
    `digest sha256:${'b'.repeat(64)}`,
    '',
  ])('is as it was without one: %j', (text) => {
    expect(withoutTokens(text)).toBe(text);
  });
});
