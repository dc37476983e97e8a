import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CommandAgentOptions, commandAgent } from '../../src/agent/command.ts';
import type { Agent } from '../../src/port/agent.ts';
import type { ProcessEnd } from '../../src/port/processes.ts';
import { agentConformance, type Deed } from '../conformance/agent.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { turn } from './turn.ts';

const told = `
const { readFileSync, writeFileSync } = require('node:fs');
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('YARD_')));
const promptBytes = readFileSync(0).length;
writeFileSync(process.argv[1], JSON.stringify({ cwd: process.cwd(), promptBytes, env }));
`;

const hang = 'sleep 60 & echo $! >"$1/child.pid"; wait';

const commands: Record<Deed, (place: string) => string[]> = {
  edits: () => ['sh', '-c', 'cat >/dev/null; echo done >work.txt'],
  fails: () => ['sh', '-c', 'echo no luck >&2; exit 3'],
  crashes: () => ['sh', '-c', 'kill -9 $$'],
  hangs: (place) => ['sh', '-c', hang, 'sh', place],
  'hangs-midway': (place) => ['sh', '-c', `echo working; ${hang}`, 'sh', place],
  lingers: () => ['sleep', '60'],
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
  cannot: { lingers: 'plain text has no last word' },
});

describe('a command as an agent', () => {
  let place: string;
  beforeEach(() => {
    place = tempFolder();
  });

  const agent = (more: Partial<CommandAgentOptions>): Agent =>
    commandAgent({ ...options, command: ['true'], root: place, ...more });
  const binary = (name: string): string => {
    const file = join(place, name);
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
    expect(await agent({ command: ['agent'], path: place }).check()).toEqual({
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
    writeFileSync(join(place, 'agent'), '#!/bin/sh\n', { mode: 0o644 });
    const file = join(place, 'agent');
    const cause = expect.stringContaining(`${file} is not executable`);
    for (const found of [
      agent({ command: ['./agent'] }),
      agent({ command: ['agent'], path: place }),
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

  it('passes the model and the reasoning on, in the arguments and the environment', () => {
    const command = ['/bin/agent', '--model', '{model}', '--effort={reasoning}', 'x'];
    const given = agent({ command }).launch(turn({ model: 'm$&', reasoning: 'high' }));
    expect(given.argv).toEqual(['/bin/agent', '--model', 'm$&', '--effort=high', 'x']);
    expect(given.env).toMatchObject({ YARD_MODEL: 'm$&', YARD_REASONING: 'high' });
    const plain = agent({ command }).launch(turn());
    expect(plain.argv).toEqual(['/bin/agent', 'x']);
    expect(plain.env).not.toHaveProperty('YARD_MODEL');
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

  /** What becomes of a turn in which these lines were heard, and this was the end of all output. */
  const concluded = (of: Agent, code: number, tail: string, heard: readonly string[] = []) => {
    const listener = of.listen(turn());
    for (const line of heard) expect(listener.line(line)).toBe(false);
    return listener.conclude(exited(code), tail);
  };

  it('has to say that it is complete where that was agreed', () => {
    const mine = agent({ done: 'signal' });
    expect(mine.signals).toEqual({ complete: 'COMPLETE_AND_READY_FOR_MERGE', giveUp: '__DONE__' });
    expect(agent({}).signals).toBeUndefined();
    const tail = 'All done.\nCOMPLETE_AND_READY_FOR_MERGE\n';
    expect(concluded(mine, 0, tail)).toEqual({ ok: true, tail, signal: { id: 'complete' } });
    expect(concluded(mine, 0, 'All done.\n')).toEqual({
      ok: true,
      tail: 'All done.\n',
      signal: { id: 'nothing' },
    });
    expect(concluded(mine, 0, 'I lack the key.\n__DONE__\n')).toEqual({
      ok: false,
      failure: { kind: 'agent-gave-up', message: 'I lack the key.' },
    });
  });

  it('is heard further back than the end that is kept', () => {
    const mine = agent({ done: 'signal' });
    const heard = ['COMPLETE_AND_READY_FOR_MERGE', 'x'.repeat(5000)];
    expect(concluded(mine, 0, 'xxx', heard)).toMatchObject({ signal: { id: 'complete' } });
    const shown = ['```', 'COMPLETE_AND_READY_FOR_MERGE', '```'];
    const tail = 'COMPLETE_AND_READY_FOR_MERGE\n```\n';
    expect(concluded(mine, 0, tail, shown)).toMatchObject({ signal: { id: 'nothing' } });
  });

  it('may name tasks for later beside its word', () => {
    const text = [
      '```follow_up',
      '["Write the docs"]',
      '```',
      '```next_iteration',
      '["T-2"]',
      '```',
      'COMPLETE_AND_READY_FOR_MERGE',
    ];
    expect(concluded(agent({ done: 'signal' }), 0, '', text)).toMatchObject({
      signal: { id: 'complete' },
      next: ['T-2'],
      followUps: [{ title: 'Write the docs' }],
    });
  });

  it('has failed with its exit code whatever it said', () => {
    const tail = 'COMPLETE_AND_READY_FOR_MERGE\n';
    expect(concluded(agent({ done: 'signal' }), 1, tail)).toEqual({
      ok: false,
      failure: { kind: 'agent-exited', exit: 1, tail },
    });
  });

  it('needs to say nothing where its exit is enough', () => {
    const tail = '__DONE__\n';
    expect(concluded(agent({}), 0, tail)).toEqual({ ok: true, tail });
  });

  it('reports the usage it printed, of a failed turn as well', () => {
    const tail = '{"type":"usage","input":5,"output":2}\n';
    const usage = { input: 5, cacheRead: 0, cacheWrite: 0, output: 2 };
    expect(concluded(agent({}), 0, tail)).toMatchObject({ ok: true, usage });
    expect(concluded(agent({}), 1, tail)).toMatchObject({ ok: false, usage });
    expect(concluded(agent({}), 0, '', [tail.trimEnd()])).toMatchObject({ ok: true, usage });
  });

  describe('in a review', () => {
    const looked = (of: Agent, tail: string, heard: readonly string[], code = 0) => {
      const listener = of.listen(turn({ purpose: 'review' }));
      for (const line of heard) listener.line(line);
      return listener.conclude(exited(code), tail);
    };

    it('answers by its standard output, further back than the end that is kept', () => {
      const heard = ['Well.', 'x'.repeat(6_000), 'VERDICT: APPROVED'];
      const result = looked(agent({}), 'the end of all output', heard);
      expect(result).toEqual({
        ok: true,
        tail: 'the end of all output',
        answer: heard.join('\n'),
      });
    });

    it('is heard although its exit is enough when it works', () => {
      expect(agent({}).listen(turn()).ignoresOutput).toBe(true);
      expect(agent({}).listen(turn({ purpose: 'review' })).ignoresOutput).toBe(false);
    });

    it('has not answered by what it printed as an error', () => {
      expect(looked(agent({}), 'VERDICT: APPROVED\n', [])).toMatchObject({ ok: true, answer: '' });
    });

    it('says nothing by words of the protocol', () => {
      const heard = ['__DONE__', 'COMPLETE_AND_READY_FOR_MERGE'];
      const result = looked(agent({ done: 'signal' }), '', heard);
      expect(result).toMatchObject({ ok: true, answer: heard.join('\n') });
      expect(result).not.toHaveProperty('signal');
    });

    it('has failed with its exit code whatever it said', () => {
      expect(looked(agent({}), 'oh', ['VERDICT: APPROVED'], 1)).toEqual({
        ok: false,
        failure: { kind: 'agent-exited', exit: 1, tail: 'oh' },
      });
    });
  });

  it('cannot be asked for more than whether it is there', async () => {
    expect(await agent({}).probe()).toEqual({ signedIn: 'unknown' });
  });
});
