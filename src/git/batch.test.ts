import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { fail, ok } from '../model/failure.ts';
import { outcomeOf, Trouble } from '../model/trouble.ts';
import { type ObjectReader, objectReader } from './batch.ts';

const ID = 'c0ffee'.padEnd(40, '0');

let bin: string;
let reader: ObjectReader;

beforeEach(() => {
  bin = tempFolder();
});
afterEach(async () => {
  await reader.close();
});

/** A git that says what the test wants; `line` holds the question. */
function speaking(body: string): ObjectReader {
  const script = `#!${process.execPath}
    const { appendFileSync } = require('node:fs');
    appendFileSync(${JSON.stringify(join(bin, 'starts'))}, 'x');
    const say = (text) => process.stdout.write(text);
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => { ${body} });`;
  writeFileSync(join(bin, 'git'), script);
  chmodSync(join(bin, 'git'), 0o755);
  reader = objectReader(async () => bin, { PATH: bin });
  return reader;
}

const starts = (): number => readFileSync(join(bin, 'starts'), 'utf8').length;

describe('the reader of objects', () => {
  it('puts an answer together that comes in pieces', async () => {
    speaking(`
      say('${ID.slice(0, 20)}');
      setTimeout(() => say('${ID.slice(20)} commit 11\\nhel'), 20);
      setTimeout(() => say('lo world'), 40);
      setTimeout(() => say('\\n'), 60);`);
    const found = await outcomeOf(reader.contents('x'));
    expect(found).toMatchObject({ ok: true, value: { id: ID, type: 'commit' } });
    expect(found.ok && found.value?.body.toString()).toBe('hello world');
  });

  it('asks one question after the other through one process', async () => {
    speaking(`say(line.endsWith('no') ? line + ' missing\\n' : '${ID} commit 3\\n');`);
    const found = await Promise.all(
      ['a', 'no', 'b', 'no'].map((name) => outcomeOf(reader.info(name))),
    );
    expect(found.map((each) => each.ok && each.value?.id)).toEqual([ID, undefined, ID, undefined]);
    expect(starts()).toBe(1);
  });

  it('takes an ambiguous name for none', async () => {
    speaking(`say(line.slice(5) + ' ambiguous\\n');`);
    expect(await outcomeOf(reader.info('c0'))).toEqual(ok(undefined));
  });

  it('starts a second process when the first dies, and answers queued questions', async () => {
    speaking(`if (line.endsWith('deadly')) process.exit(1); say('${ID} commit 3\\n');`);
    const [deadly, next] = await Promise.all([
      outcomeOf(reader.info('deadly')),
      outcomeOf(reader.info('next')),
    ]);
    expect(deadly).toMatchObject({ ok: false, failure: { kind: 'git-failed' } });
    expect(next).toMatchObject({ ok: true, value: { id: ID } });
    expect(starts()).toBe(3);
  });

  it('does not take the beginning of an answer for an answer when its process dies', async () => {
    speaking(`say('${ID} commit 100\\nhalf', ); setTimeout(() => process.exit(0), 20);`);
    expect((await outcomeOf(reader.contents('x'))).ok).toBe(false);
  });

  it('answers names that no git could know without asking', async () => {
    speaking('process.exit(1);');
    for (const name of ['', 'a\nb', 'a\0b'])
      expect(await outcomeOf(reader.info(name))).toEqual(ok(undefined));
  });

  it('passes on why there is no repository to ask in', async () => {
    const failure = { kind: 'not-a-repository', dir: '/none' } as const;
    reader = objectReader(async () => {
      throw new Trouble(failure);
    }, {});
    expect(await outcomeOf(reader.info('HEAD'))).toEqual(fail(failure));
  });

  it('fails when there is no git', async () => {
    reader = objectReader(async () => bin, { PATH: bin });
    expect((await outcomeOf(reader.info('HEAD'))).ok).toBe(false);
  });

  it('can be closed while nothing runs, twice, and asked again', async () => {
    speaking(`say('${ID} commit 3\\n');`);
    await reader.close();
    expect((await outcomeOf(reader.info('a'))).ok).toBe(true);
    await reader.close();
    await reader.close();
    expect((await outcomeOf(reader.info('a'))).ok).toBe(true);
    expect(starts()).toBe(2);
  });
});
