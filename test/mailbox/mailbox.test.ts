import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask } from '../../src/mailbox/ask.ts';
import { folderMailboxes } from '../../src/mailbox/folder.ts';
import { sealed } from '../../src/mailbox/letter.ts';
import { limits } from '../../src/model/limits.ts';
import type { AgentAnswer, AgentRequest } from '../../src/model/turn.ts';
import { type MailWorld, mailboxConformance } from '../conformance/mailboxes.ts';
import { MemoryMailboxes } from '../memory/mailboxes.ts';
import { tempFolder } from '../rig/temp-folder.ts';

const token = 'token';
const note = (text: string): AgentRequest => ({
  id: 'report',
  calls: [{ id: 'report', about: 'note', text }],
});
const yes: AgentAnswer = { ok: true, lines: [], value: {} };

function folder(): string {
  const base = tempFolder();
  return join(base, 'box');
}

function onDisk(redact = (text: string) => text): MailWorld {
  const dir = folder();
  return {
    mailboxes: folderMailboxes(redact),
    dir,
    async send(key, request) {
      const answer = await ask(dir, key, request, 10_000);
      return answer.ok ? answer.value : { ok: false, failures: [answer.failure] };
    },
  };
}

mailboxConformance('folder', onDisk);
mailboxConformance('memory', () => {
  const mailboxes = new MemoryMailboxes();
  return { mailboxes, dir: '/box', send: (key, request) => mailboxes.send('/box', key, request) };
});

/** Opens a mailbox on disk; `seen` are the requests that were handled. */
async function openBox(redact?: (text: string) => string) {
  const { mailboxes, dir, send } = onDisk(redact);
  const seen: AgentRequest[] = [];
  const box = await mailboxes.open(dir, token, async (request) => {
    seen.push(request);
    return yes;
  });
  onTestFinished(() => box.close());
  return { dir, send, seen, close: () => box.close() };
}

describe('a mailbox that an agent can write to', () => {
  it('lets no secret into a request', async () => {
    const { send, seen } = await openBox((text) => text.replaceAll('swordfish', '[redacted]'));
    await send(token, note('it is swordfish'));
    expect(seen).toEqual([note('it is [redacted]')]);
  });

  it.each<[string, unknown]>([
    ['an unknown request', { id: 'approve', ids: ['a'] }],
    ['an id that is none', { id: 'claim', ids: ['../a'] }],
    ['a text that is too long', note('x'.repeat(limits.agentTextChars + 1))],
    ['a field that it does not know', { id: 'claim', ids: ['a'], force: true }],
  ])('refuses %s, even if it is signed', async (_, request) => {
    const { dir, seen, close } = await openBox();
    writeFileSync(join(dir, 'x.request'), sealed(token, request));
    await close();
    expect(seen).toEqual([]);
    expect(readFileSync(join(dir, 'x.answer'), 'utf8')).toContain('not a request');
  });

  it('does not write through a link', async () => {
    const { dir, close } = await openBox();
    const victim = join(dir, '..', 'victim');
    writeFileSync(victim, 'mine');
    symlinkSync(victim, join(dir, 'x.answer'));
    writeFileSync(join(dir, 'x.request'), sealed(token, note('hello')));
    await close();
    expect(readFileSync(victim, 'utf8')).toBe('mine');
    rmSync(victim);
  });

  it('reads no link and no file that is too large', async () => {
    const { dir, seen, close } = await openBox();
    const elsewhere = join(dir, '..', 'elsewhere');
    writeFileSync(elsewhere, sealed(token, note('hello')));
    symlinkSync(elsewhere, join(dir, 'x.request'));
    writeFileSync(join(dir, 'y.request'), ' '.repeat(limits.mailboxBytes + 1));
    await close();
    expect(seen).toEqual([]);
    expect(existsSync(join(dir, 'y.answer'))).toBe(false);
    rmSync(elsewhere);
  });

  it('does not end the run when the agent removes it', async () => {
    const { dir, close } = await openBox();
    rmSync(dir, { recursive: true });
    await close();
  });
});

describe('an agent that nobody answers', () => {
  it('is told so, and its request is kept', async () => {
    const { dir, close } = await openBox();
    await close();
    const late = await ask(dir, token, note('hello'), 50);
    expect(late).toMatchObject({
      ok: false,
      failure: { kind: 'call-refused', problem: expect.stringContaining('did not answer') },
    });
  });

  it('is told so where its mailbox is gone', async () => {
    expect(await ask('/nowhere/box', token, note('hello'), 50)).toMatchObject({
      ok: false,
      failure: { problem: expect.stringContaining('cannot be written') },
    });
  });
});
