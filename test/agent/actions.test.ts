// What people are shown of the streams that real agents printed.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientReader } from '../../src/agent/acp/reader.ts';
import { failedCall } from '../../src/agent/action.ts';
import { claude } from '../../src/agent/claude.ts';
import { codex } from '../../src/agent/codex.ts';
import { gemini } from '../../src/agent/gemini.ts';
import type { Harness, Json, StreamReader } from '../../src/agent/harness.ts';
import { opencode } from '../../src/agent/opencode.ts';
import { jsonOf } from '../../src/agent/stream.ts';
import type { Action } from '../../src/model/action.ts';
import { recordingOf } from './recorded.ts';
import { turn } from './turn.ts';

const streams = join(import.meta.dirname, 'streams');

function actionsOf(reader: StreamReader, lines: readonly Json[]): readonly Action[] {
  return lines.flatMap((line) => reader.line(line));
}

function recorded(harness: Harness, folder: string, name: string): readonly Action[] {
  const { lines } = recordingOf(join(streams, folder), name);
  const reader = harness.read(turn(), { name: harness.use });
  return actionsOf(
    reader,
    lines.map(jsonOf).filter((json) => json !== undefined),
  );
}

const endedCalls = (actions: readonly Action[]) =>
  actions.flatMap((one) => (one.id === 'tool' && one.call.outcome ? [one.call] : []));

describe('a command that fails', () => {
  it.each<[Harness, string, string]>([
    [claude, 'claude-2.1.325', 'Bash echo oops >&2; exit 3 (exit 3): oops'],
    [codex, 'codex-0.166.0', 'shell echo oops >&2; exit 3 (exit 3): oops'],
    [opencode, 'opencode-1.18.33', 'bash echo oops >&2; exit 3 (exit 3): oops'],
  ])('is told with its status and its last line: $use', (harness, folder, line) => {
    const calls = endedCalls(recorded(harness, folder, 'tool-fails'));
    expect(calls.map(({ outcome }) => outcome?.ok)).toEqual([false]);
    expect(calls.map(failedCall)).toEqual([line]);
  });

  it('looks like one that did not to gemini, which reports no status', () => {
    const calls = endedCalls(recorded(gemini, 'gemini-0.61.0', 'tool-fails'));
    expect(calls).toMatchObject([
      {
        name: 'run_shell_command',
        subject: 'echo oops >&2; exit 3',
        outcome: { ok: true, ms: 108 },
      },
    ]);
  });

  it('is reported by the client for the Agent Client Protocol, once', () => {
    const reader = clientReader({ agent: 'x', binary: 'x' });
    const tool = { type: 'tool', id: '1', title: 'npm test', kind: 'execute' };
    const states = ['pending', 'in_progress', 'failed', 'failed'];
    const actions = actionsOf(
      reader,
      states.map((status) => ({ ...tool, status })),
    );
    expect(endedCalls(actions).map(failedCall)).toEqual(['execute npm test']);
    expect(actions).toHaveLength(2);
  });
});

it('the text of an agent is reported as text', () => {
  const texts = recorded(claude, 'claude-2.1.325', 'tool-fails').filter(({ id }) => id === 'text');
  expect(texts).toEqual([{ id: 'text', text: 'Tool failed. MOCK-DONE-7f3a' }]);
});
