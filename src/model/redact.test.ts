import { describe, expect, it } from 'vitest';
import { cpuClock } from '../../test/rig/cpu-clock.ts';
import { limits } from './limits.ts';
import { redacted, redactor, secretsOf } from './redact.ts';

/** Built here, so that no scanner takes this file for a leak. */
const made = (prefix: string, length: number): string =>
  prefix + 'a1B2c3D4e5F6g7H8i9J0'.repeat(10).slice(0, length);
const word = (...parts: string[]): string => parts.join(' ');
const key = (body: string): string =>
  `-----${word('BEGIN', 'RSA', 'PRIVATE', 'KEY')}-----\n${body}\n-----${word('END', 'RSA', 'PRIVATE', 'KEY')}-----`;

const shaped: readonly (readonly [string, string])[] = [
  ['an API key', made('sk-', 40)],
  ['an API key of a project', made('sk-proj-', 40)],
  ['a token of GitHub', made('ghp_', 36)],
  ['a fine-grained token of GitHub', made('github_pat_', 60)],
  ['a token of GitLab', made('glpat-', 24)],
  ['a token of npm', made('npm_', 36)],
  ['an access key of AWS', `AKIA${'A1B2'.repeat(4)}`],
  ['a key of Google', made('AIza', 35)],
  ['a token of Slack', made('xoxb-', 30)],
  ['a token of an agent of ours', `yard:r1:task-1:2:${'0af'.repeat(21)}0`],
  ['a web token', `${made('eyJ', 20)}.${made('eyJ', 30)}.${made('', 30)}`],
  ['a private key', key('MIIEpAIBAAKCAQEA\nabcdef')],
];

describe('a text without secrets', () => {
  it.each(shaped)('does not show %s', (_name, secret) => {
    expect(redactor().whole(`before ${secret} after`)).toBe(`before ${redacted} after`);
    expect(redactor().whole(`"${secret}"\n`)).toBe(`"${redacted}"\n`);
  });

  it('keeps the words around a header and an address', () => {
    const { whole } = redactor();
    const token = made('', 30);
    expect(whole(`Authorization: Bearer ${token}\n`)).toBe(`Authorization: Bearer ${redacted}\n`);
    expect(whole('push to https://me:hunter2@host/x.git failed')).toBe(
      `push to https://me:${redacted}@host/x.git failed`,
    );
  });

  it.each(['bearer', 'BEARER'])('finds a header that is written as %s', (name) => {
    expect(redactor().whole(`${name}\t${made('', 30)}`)).toBe(`${name}\t${redacted}`);
  });

  it.each(['?password=', '&SSLPassword='])('finds a password after %s', (name) => {
    expect(redactor().whole(`HTTP://h/${name}hunter2&x=1`)).toBe(`HTTP://h/${name}${redacted}&x=1`);
  });

  it('keeps text that only resembles a token', () => {
    const harmless = [
      'sk-learn-is-a-package-of-some-sort',
      'task-1234567890123456789 and risk-1234567890123456789',
      'ghp_short',
      'Bearer of bad news',
      'https://host:8080/path@2x.png',
      'at file:///a/b.ts:12:3',
      'AKIAXX',
    ];
    for (const text of harmless) expect(redactor().whole(text)).toBe(text);
  });

  it('redacts given values, longest first, whatever characters they contain', () => {
    const { whole } = redactor(['a.b*c(d)', 'pass-word', 'pass-word-and-more']);
    expect(whole('x a.b*c(d) y aXb*c(d)')).toBe(`x ${redacted} y aXb*c(d)`);
    expect(whole('pass-word-and-more pass-word')).toBe(`${redacted} ${redacted}`);
  });

  it('is quick with a long text that has the beginning of everything', () => {
    const text = `${'sk-'.repeat(5_000)}${'eyJ'.repeat(5_000)}${'a://b:'.repeat(5_000)}-----BEGIN`;
    const spentMs = cpuClock();
    redactor(['secret-value']).whole(text);
    expect(spentMs()).toBeLessThan(2_000);
  });
});

describe('the end of a text', () => {
  it('does not show the rest of a secret that begins before it', () => {
    const { end } = redactor(['secret-value']);
    expect(end('xx secret-value yy', 8)).toBe(`${redacted} yy`);
    expect(end('xx secret-value yy', 3)).toBe(`${redacted} yy`);
    expect(end('xx secret-value yy', 15)).toBe(' yy');
  });

  it('does not show the rest of a key whose beginning is long gone', () => {
    const rest = key('MIIEpAIBAAKCAQEA').slice(40);
    expect(redactor().end(`${rest}\nafter`, 3)).toBe(`${redacted}\nafter`);
  });
});

describe('a text in pieces', () => {
  const play = (text: string, size: number, secrets: readonly string[] = []): string => {
    const pieces = redactor(secrets).pieces();
    let shown = '';
    for (let at = 0; at < text.length; at += size) shown += pieces.push(text.slice(at, at + size));
    return shown + pieces.end();
  };

  it('shows the same as the whole one, wherever it is cut', () => {
    const secrets = ['secret-value'];
    const token = made('ghp_', 36);
    const text = `one\ntwo ${token} secret-value\n${key('MIIE\nabc')}\nthree, no line end`;
    for (const size of [1, 2, 3, 7, 20, 64, 1_000]) {
      expect(play(text, size, secrets)).toBe(redactor(secrets).whole(text));
    }
  });

  it('shows a line as soon as it is whole', () => {
    const pieces = redactor().pieces();
    expect(pieces.push('one\ntw')).toBe('one\n');
    expect(pieces.push('o\n')).toBe('two\n');
  });

  it('does not hold back a line without end for ever, and still shows no secret of it', () => {
    const secrets = ['secret-value'];
    const text = 'xy secret-value '.repeat(4_000);
    const pieces = redactor(secrets).pieces();
    const first = pieces.push(text);
    expect(first.length).toBeGreaterThan(1_000);
    expect(text.length - limits.redactHeldChars).toBeGreaterThan(0);
    expect(first + pieces.end()).toBe(redactor(secrets).whole(text));
  });
});

describe('the secrets of an environment', () => {
  it('are the values of variables that are named so', () => {
    const env = {
      OPENAI_API_KEY: 'value-1',
      API_KEY: 'value-2',
      GH_TOKEN: 'value-3',
      MY_SECRET_THING: 'value-4',
      DB_PASSWORD: 'value-5',
      HOME: 'value-0',
      TOKENIZER: 'value-6',
      KEYBOARD: 'value-7',
      EMPTY_TOKEN: undefined,
    };
    expect(secretsOf(env)).toEqual(['value-1', 'value-2', 'value-3', 'value-4', 'value-5']);
  });

  it('are all values configured for an agent', () => {
    expect(secretsOf({}, [{ ANY: 'value-1' }, { OTHER: 'value-2' }])).toEqual([
      'value-1',
      'value-2',
    ]);
  });

  it('are none that are as short as words, and none twice', () => {
    expect(secretsOf({ A_TOKEN: 'yes', B_TOKEN: '12345' }, [{ DEBUG: 'true' }])).toEqual([]);
    expect(secretsOf({ A_TOKEN: 'value-1' }, [{ X: 'value-1' }])).toEqual(['value-1']);
  });

  it('are known as JSON and addresses write them, and line by line', () => {
    const { whole } = redactor(secretsOf({ A_SECRET: 'first "line"\nsecond/line \ud800' }));
    expect(whole('{"x":"first \\"line\\"\\nsecond/line \\ud800"}')).toBe(`{"x":"${redacted}"}`);
    expect(whole('a: second/line \ud800!')).toBe(`a: ${redacted}!`);
    const { whole: inAddress } = redactor(secretsOf({ A_SECRET: 'p@ss/word' }));
    expect(inAddress('?q=p%40ss%2Fword&')).toBe(`?q=${redacted}&`);
  });
});
