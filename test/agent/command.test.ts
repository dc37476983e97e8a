import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent, Turn } from '../../src/agent/agent.ts';
import { type CommandAgentOptions, commandAgent } from '../../src/agent/command.ts';
import type { ProcessEnd } from '../../src/process/processes.ts';
import { agentConformance, type Deed } from '../conformance/agent.ts';
import { type Scratch, scratch } from '../process/scratch.ts';

const told = `
const { readFileSync, writeFileSync } = require('node:fs');
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('YARD_')));
const promptBytes = readFileSync(0).length;
writeFileSync(process.argv[1], JSON.stringify({ cwd: process.cwd(), promptBytes, env }));
`;

const commands: Record<Deed, (place: string) => string[]> = {
  edits: () => ['sh', '-c', 'cat >/dev/null; echo done >work.txt'],
  fails: () => ['sh', '-c', 'echo no luck >&2; exit 3'],
  crashes: () => ['sh', '-c', 'kill -9 $$'],
  hangs: () => ['sleep', '60'],
  prints: () => ['echo', 'all good'],
  told: (place) => [process.execPath, '-e', told, join(place, 'told.json')],
};

const options: Omit<CommandAgentOptions, 'command' | 'root'> = {
  name: 'mine',
  done: 'exit',
  prompt: 'stdin',
};

agentConformance('any command', {
  agent: (deed, place) => commandAgent({ ...options, command: commands[deed](place), root: place }),
  missing: (place) => commandAgent({ ...options, command: ['no-such-agent'], root: place }),
});

describe('a command as an agent', () => {
  let place: Scratch;
  beforeEach(() => {
    place = scratch();
  });
  afterEach(() => place.remove());

  const turn = (more: Partial<Turn> = {}): Turn => ({
    task: {
      id: 'T-1',
      title: 'A task',
      body: '',
      after: [],
      priority: 2,
      type: 'task',
      labels: [],
      paths: [],
      scope: 'predicted',
      checks: [],
    },
    run: 'r',
    attempt: 1,
    turn: 1,
    prompt: 'Do it.',
    worktree: '/somewhere',
    ...more,
  });
  const agent = (more: Partial<CommandAgentOptions>): Agent =>
    commandAgent({ ...options, command: ['true'], root: place.dir, ...more });
  const binary = (name: string): string => {
    const file = join(place.dir, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
    return file;
  };

  it('takes a binary with a slash relative to the repository, not to the worktree', async () => {
    const file = binary('tools/agent');
    const mine = agent({ command: ['tools/agent', '--go'] });
    expect(await mine.check()).toMatchObject({ ok: true, value: { binary: file } });
    expect(mine.launch(turn()).argv).toEqual([file, '--go']);
  });

  it('takes any other binary from the path it was given', async () => {
    const file = binary('bin/agent');
    const mine = agent({ command: ['agent'], path: dirname(file) });
    expect(await mine.check()).toMatchObject({ ok: true });
    expect(mine.launch(turn()).argv).toEqual([file]);
    expect(await agent({ command: ['agent'], path: place.dir }).check()).toEqual({
      ok: false,
      failure: {
        kind: 'agent-missing',
        agent: 'mine',
        binary: 'agent',
        cause: 'agent is not on PATH',
      },
    });
  });

  it('does not take a binary that may not be executed', async () => {
    writeFileSync(join(place.dir, 'agent'), '#!/bin/sh\n', { mode: 0o644 });
    const file = join(place.dir, 'agent');
    const cause = expect.stringContaining(`${file} is not executable`);
    for (const found of [
      agent({ command: ['./agent'] }),
      agent({ command: ['agent'], path: place.dir }),
    ]) {
      const failure = expect.objectContaining({ kind: 'agent-missing', cause });
      expect(await found.check()).toEqual({ ok: false, failure });
    }
    expect(await agent({ command: [] }).check()).toMatchObject({ ok: false });
  });

  it('names the file of the prompt in the arguments and the environment when asked to', () => {
    const mine = agent({ command: ['/bin/agent', '--file={prompt_file}', 'x'], prompt: 'file' });
    const launch = mine.launch(turn({ promptFile: '/turn/prompt.md' }));
    expect(launch.argv).toEqual(['/bin/agent', '--file=/turn/prompt.md', 'x']);
    expect(launch.env).toMatchObject({ YARD_PROMPT_FILE: '/turn/prompt.md' });
    expect(mine.launch(turn()).argv[1]).toBe('--file=/dev/stdin');
    expect(agent({}).launch(turn()).env).not.toHaveProperty('YARD_PROMPT_FILE');
  });

  it('adds the environment of its own set-up', () => {
    expect(agent({ env: { MODEL: 'small' } }).launch(turn()).env).toMatchObject({
      MODEL: 'small',
      YARD_TASK: 'T-1',
    });
  });

  const exited = (code: number): ProcessEnd => ({
    how: { id: 'exited', code },
    startedAt: 0,
    endedAt: 1,
    stragglers: 0,
  });

  it('has to say that it is complete where that was agreed', () => {
    const mine = agent({ done: 'signal' });
    expect(mine.signals).toEqual({ complete: 'COMPLETE_AND_READY_FOR_MERGE', giveUp: '__DONE__' });
    expect(agent({}).signals).toBeUndefined();
    const complete = 'All done.\nCOMPLETE_AND_READY_FOR_MERGE\n';
    expect(mine.conclude(turn(), exited(0), complete)).toEqual({ ok: true, tail: complete });
    expect(mine.conclude(turn(), exited(0), 'All done.\n')).toEqual({
      ok: false,
      failure: { kind: 'agent-silent', expected: 'COMPLETE_AND_READY_FOR_MERGE' },
    });
    expect(mine.conclude(turn(), exited(0), 'I lack the key.\n__DONE__\n')).toEqual({
      ok: false,
      failure: { kind: 'agent-gave-up', message: 'I lack the key.' },
    });
  });

  it('has failed with its exit code whatever it said', () => {
    const tail = 'COMPLETE_AND_READY_FOR_MERGE\n';
    expect(agent({ done: 'signal' }).conclude(turn(), exited(1), tail)).toEqual({
      ok: false,
      failure: { kind: 'agent-exited', exit: 1, tail },
    });
  });

  it('needs to say nothing where its exit is enough', () => {
    const tail = '__DONE__\n';
    expect(agent({}).conclude(turn(), exited(0), tail)).toEqual({ ok: true, tail });
  });

  it('reports the usage it printed, of a failed turn as well', () => {
    const tail = '{"type":"usage","input":5,"output":2}\n';
    const usage = { input: 5, cacheRead: 0, cacheWrite: 0, output: 2 };
    expect(agent({}).conclude(turn(), exited(0), tail)).toMatchObject({ ok: true, usage });
    expect(agent({}).conclude(turn(), exited(1), tail)).toMatchObject({ ok: false, usage });
  });
});
