// What `ym log` makes of the streams that real agents printed.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lastAction, Transcript } from '../../src/agent/transcript.ts';
import { callLine } from '../../src/report/task/transcript.ts';
import { casesIn, recordingOf } from './recorded.ts';

const streams = join(import.meta.dirname, 'streams');
const folders = ['claude-2.1.325', 'codex-0.166.0', 'opencode-1.18.33', 'gemini-0.61.0'];

function shown(transcript: Transcript, lines: readonly string[]): readonly string[] {
  return lines
    .flatMap((line) => transcript.line(line))
    .map((entry) => (entry.id === 'tool' ? callLine(entry.call) : entry.text));
}

it.each([
  ['claude-2.1.325', '▸ Bash echo oops >&2; exit 3  exit 3', 90],
  ['codex-0.166.0', '▸ shell echo oops >&2; exit 3  exit 3', 90],
  ['opencode-1.18.33', '▸ bash echo oops >&2; exit 3  exit 3  156 ms', 90],
  ['gemini-0.61.0', '▸ run_shell_command echo oops >&2; exit 3  108 ms', 110],
])('a turn of %s is told by its calls and its text', (folder, call, output) => {
  const transcript = new Transcript();
  const lines = shown(transcript, recordingOf(join(streams, folder), 'tool-fails').lines);
  expect(lines[0]).toBe(call);
  expect(lines[1]).toMatch(/^Tool failed\. ?/);
  expect(lines).toHaveLength(2);
  expect(transcript.usage()).toMatchObject({ output });
});

it.each(folders)('every recording of %s is recognized', (folder) => {
  for (const name of casesIn(join(streams, folder))) {
    const { lines } = recordingOf(join(streams, folder), name);
    const transcript = new Transcript();
    for (const line of lines) transcript.line(line);
    const json = lines.filter((line) => line.startsWith('{') && line.includes('"type"'));
    expect([name, transcript.isStream]).toEqual([name, json.length > 0]);
  }
});

it('output that is no stream is shown as it is', () => {
  const transcript = new Transcript();
  expect(shown(transcript, ['hello', '{"type":"test","name":"x"}'])).toEqual([
    'hello',
    '{"type":"test","name":"x"}',
  ]);
  expect(transcript.isStream).toBe(false);
});

it('a call that has not ended is open', () => {
  const transcript = new Transcript();
  const { lines } = recordingOf(join(streams, 'codex-0.166.0'), 'tool-fails');
  for (const line of lines.slice(0, 4)) transcript.line(line);
  expect(transcript.open().map(callLine)).toEqual(['▸ shell echo oops >&2; exit 3  running']);
});

it.each([
  ['claude-2.1.325', 'Bash echo oops >&2; exit 3'],
  ['codex-0.166.0', 'shell echo oops >&2; exit 3'],
  ['opencode-1.18.33', 'bash echo oops >&2; exit 3'],
  ['gemini-0.61.0', 'run_shell_command echo oops >&2; exit 3'],
])('the last action of %s is its newest call, then its newest text', (folder, call) => {
  const { lines } = recordingOf(join(streams, folder), 'tool-fails');
  const seen = lines.map((_, at) => lastAction(lines.slice(0, at + 1)));
  const at = seen.indexOf(call);
  expect(at).toBeGreaterThan(0);
  expect(seen.at(-1)).toMatch(/^Tool failed\./);
  // The end of the stream is enough.
  expect(lastAction(lines.slice(at))).toBe(seen.at(-1));
});

it('the last action of output that is no stream is its last line, with what would move a cursor shown as text', () => {
  expect(lastAction(['one', '\u001b[2Jtwo  and\tmore', ''])).toBe('\\x1b[2Jtwo and more');
  expect(lastAction(['', ' '])).toBeUndefined();
  expect(lastAction([])).toBeUndefined();
});

it.each(folders)('every recording of %s has a last action or none, on one short line', (folder) => {
  for (const name of casesIn(join(streams, folder))) {
    const action = lastAction(recordingOf(join(streams, folder), name).lines) ?? '';
    expect(action).not.toMatch(/\n|^\{/);
    expect(action.length).toBeLessThanOrEqual(200);
  }
});
