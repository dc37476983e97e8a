// Turns of the real agents against the scripted server: work, usage, resumed conversations, models, large prompts.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Usage } from '../../../src/model/turn.ts';
import { cliNames, eachCli } from '../../agents/clis.ts';
import { key, stage } from '../../agents/stage.ts';
import { models } from '../../agents/surroundings.ts';
import { noTokens } from '../../model-server/journal.ts';
import type { Tokens } from '../../model-server/script.ts';

const complete = 'All done.\nCOMPLETE_AND_READY_FOR_MERGE';

/** What the server reported, in the words of the product. */
function reported({ input, cacheRead, cacheWrite, output }: Tokens): Usage {
  return { input, cacheRead, cacheWrite, output };
}

eachCli('one conversation', cliNames, (name) => {
  it('works with its tools, goes on where it was, and counts each turn by itself', async () => {
    const s = await stage(name, {
      turns: [
        [
          { run: 'echo one > "$YARD_TASK.txt"', say: 'I write it.' },
          { write: { path: 'two.txt', text: 'two\n' } },
          { say: 'I have to think about the rest.' },
        ],
        [{ say: complete, usage: { input: 17, cacheRead: 9001, output: 23, reasoning: 3 } }],
      ],
    });
    const first = await s.play();
    expect(first.result, first.out).toMatchObject({ ok: true, signal: { id: 'nothing' } });
    expect([s.has('T-1.txt'), s.has('two.txt')]).toEqual([true, true]);
    const usage = reported(s.server.journal.usage(key));
    expect(first.result.usage).toMatchObject(usage);
    const { session, usage: sessionUsage } = first.result;
    expect(session).toMatch(/./);

    const resumed = { session, sessionUsage, prompt: 'Go on, please.\n' };
    const second = await s.play(resumed as Parameters<typeof s.play>[0]);
    expect(second.result, second.out).toMatchObject({
      ok: true,
      signal: { id: 'complete' },
      session,
    });
    const last = s.server.journal.requests(key).at(-1);
    expect(last?.prompts.map((prompt) => prompt.trim())).toEqual([
      'Do the task.',
      'Go on, please.',
    ]);
    expect(second.result.usage).toMatchObject(reported(last?.usage ?? noTokens));
    expect(s.server.journal.strays().filter(({ status }) => status >= 400)).toEqual([]);
    // What one of them would fetch from a registry lands here.
    expect(existsSync(join(s.around.dir, 'home', '.npm', '_cacache'))).toBe(false);
  });

  it('takes a prompt of a mebibyte, and asks for the model it was given', async () => {
    const s = await stage(name, { turns: [[{ say: complete }]] });
    const end = 'The end.';
    const prompt = `${'Seven w '.repeat(128 * 1024).slice(end.length)}${end}`;
    expect(prompt).toHaveLength(1024 * 1024);
    const { result, out } = await s.play({ prompt });
    expect(result, out.slice(-2000)).toMatchObject({ ok: true, signal: { id: 'complete' } });
    const [asked] = s.server.journal.requests(key);
    expect(asked?.prompts.at(-1)?.trim()).toBe(prompt);
    expect(asked?.model).toBe(models[name].replace(/^.*\//, ''));
  });
});

eachCli('a conversation that is gone', cliNames, (name) => {
  it('is told from other failures, without a word to the model', async () => {
    const s = await stage(name, { turns: [[{ say: complete }]] });
    const session = name === 'opencode' ? 'ses_gone' : '01234567-89ab-4cde-8f01-23456789abcd';
    const { result, out } = await s.play({ session }, { idleMs: 30_000 });
    expect(result, out).toMatchObject({ ok: false, failure: { kind: 'session-lost', session } });
    expect(s.server.journal.requests(key)).toEqual([]);
  });
});

eachCli('reasoning', ['claude', 'codex'], (name) => {
  it('reaches the model', async () => {
    const s = await stage(name, { turns: [[{ say: complete }]] });
    const { result, out } = await s.play({ reasoning: 'high' });
    expect(result.ok, out).toBe(true);
    expect(s.server.journal.requests(key)).toMatchObject([{ reasoning: 'high' }]);
  });
});

eachCli('an agent that is held in as far as it can be', cliNames, (name) => {
  it('can still do its work', async () => {
    const turns = [[{ run: 'echo one > one.txt && git add one.txt' }, { say: complete }]];
    const s = await stage(name, { turns }, { sandbox: 'auto' });
    const { result, out } = await s.play();
    expect(result, out).toMatchObject({ ok: true, signal: { id: 'complete' } });
    expect(s.has('one.txt'), out).toBe(true);
  });
});
