import { describe, expect, it } from 'vitest';
import { type HookPoint, hookPoints } from '../../model/hook.ts';
import { plain } from '../format/style.ts';
import { type HookRow, hooksText, triesText } from './hooks.ts';

const row = (more: Partial<HookRow>): HookRow => ({
  name: 'team',
  use: 'webhook',
  receiver: 'https://chat.example.com/in',
  on: ['run-ended', 'target-red'],
  sent: 0,
  failed: 0,
  recent: [],
  ...more,
});
const all = Object.keys(hookPoints) as HookPoint[];
const sent = { id: 'a', point: 'run-ended', at: 0, events: 1, tries: 1 };
const text = (hooks: readonly HookRow[], uncommitted: readonly string[] = []) =>
  `\n${hooksText({ hooks, uncommitted }, plain, 120, 0).join('\n')}\n`;

describe('the list of hooks', () => {
  it('says how to add one if there is none', () => {
    expect(text([])).toContain('No hooks are configured. See docs/hooks.md');
  });

  it('names those that the target does not have instead of saying that there is none', () => {
    const ping =
      'ping is in your yardmaster.yaml, but not committed to the target. No run calls it until then.\n';
    expect(text([], ['ping'])).toBe(`\n${ping}`);
    expect(text([row({})], ['ping'])).toContain(`\n${ping}`);
  });

  it('has a row for each, and the last failure of each', () => {
    const hooks = [
      row({ sent: 12, lastSent: sent }),
      row({
        name: 'log',
        use: 'command',
        receiver: 'cat >> log',
        on: all,
        failed: 2,
        lastFailed: { ...sent, tries: 4, cause: 'exit status 1: no space' },
      }),
      row({
        name: 'once',
        use: 'bell',
        receiver: 'terminal',
        on: ['run-ended'],
        lastFailed: { ...sent, cause: 'there is no terminal' },
      }),
    ];
    expect(text(hooks)).toMatchInlineSnapshot(`
      "
      hook  kind     on                     sent  failed  last sent            receiver
      team  webhook  run-ended, target-red    12       0  1970-01-01 00:00:00  https://chat.example.com/in
      log   command  all points                0       2  -                    cat >> log
      once  bell     run-ended                 0       0  -                    terminal
      log last failed 1970-01-01 00:00:00: run-ended, 4 tries: exit status 1: no space
      once last failed 1970-01-01 00:00:00: run-ended, one try: there is no terminal
      "
    `);
  });

  it('fits a narrow screen', () => {
    const lines = hooksText(
      { hooks: [row({ receiver: 'x'.repeat(200) })], uncommitted: [] },
      plain,
      80,
      0,
    );
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('says of a sample whether it was delivered, and which hooks are not committed', () => {
    const tried = [
      { hook: 'team', ok: true },
      { hook: 'log', ok: false, cause: 'it answered with status 500' },
    ] as const;
    expect(triesText({ point: 'landed', tried, uncommitted: ['me'] })).toEqual([
      'team: delivered',
      'log: not delivered: it answered with status 500',
      'me: not tested: what your yardmaster.yaml says of it is not committed to the target. Commit it first.',
    ]);
    expect(triesText({ point: 'landed', tried: [], uncommitted: [] })).toEqual([
      'No hook is called at landed.',
    ]);
  });
});
