import { describe, expect, test } from 'vitest';
import { DaemonAnswer, type DaemonRequest, DaemonState, Envelope, noState } from './daemon.ts';
import { readJson } from './shape.ts';

const wishes = { jobs: 4, spawnRate: 2, priority: 'high', hasOwnJobs: true } as const;
const owner = { pid: 5, startedAt: '1@machine/boot', host: 'here' };

const requests: readonly DaemonRequest[] = [
  { ask: 'status' },
  { ask: 'enroll', root: '/places/ada/shop' },
  {
    ask: 'submit',
    root: '/places/ada/shop',
    words: ['run', '--scope=ready'],
    wishes,
    input: 'tasks: []\n',
    env: { PATH: '/usr/bin', EMPTY: '' },
  },
  {
    ask: 'submit',
    root: '/places/ada/shop',
    words: [],
    wishes: { jobs: 1, spawnRate: 1, priority: 'low' },
    env: {},
  },
  { ask: 'submission', number: 3 },
  { ask: 'stop', how: 'finish' },
  { ask: 'stop', how: 'now' },
  { ask: 'reload' },
];

const answers: readonly DaemonAnswer[] = [
  {
    answer: 'status',
    version: '1.0.0',
    owner,
    since: 1_000,
    jobs: 8,
    spawnsPerTick: 4,
    stopping: 'now',
    projects: ['/places/ada/shop'],
    runs: [
      {
        number: 1,
        root: '/places/ada/shop',
        state: { id: 'running', run: 'r1' },
        wishes,
        jobs: 2,
        busy: 1,
      },
    ],
  },
  { answer: 'submitted', number: 4 },
  { answer: 'submission', state: { id: 'queued' } },
  { answer: 'submission', state: { id: 'starting' } },
  { answer: 'submission', state: { id: 'running', run: 'r1' } },
  { answer: 'submission', state: { id: 'ended', output: 'x' } },
  { answer: 'submission', state: { id: 'ended', run: 'r1', exit: 4, output: '' } },
  {
    answer: 'reloaded',
    changes: ['daemon.jobs is 3 now.'],
    problems: [{ kind: 'config-invalid', file: 'a.yaml', line: 3, problem: 'bad', remedy: 'fix' }],
  },
  { answer: 'done' },
  { answer: 'refused', failure: { kind: 'usage', problem: 'no', remedy: 'yes' } },
];

describe('messages between the daemon and its clients', () => {
  test.each(requests)('a request arrives as it was sent ($ask)', (request) => {
    const sent = { version: '1.0.0', request };
    expect(readJson(Envelope, JSON.stringify(sent))).toEqual(sent);
  });

  test.each(answers)('an answer arrives as it was sent ($answer)', (answer) => {
    expect(readJson(DaemonAnswer, JSON.stringify(answer))).toEqual(answer);
  });

  test.each([
    { ask: 'submit', root: '/p', words: 'run', wishes, env: {} },
    { ask: 'submit', root: '/p', words: [], wishes: { ...wishes, priority: 'urgent' }, env: {} },
    { ask: 'submit', root: '/p', words: [], wishes: { ...wishes, jobs: '4' }, env: {} },
    { ask: 'submit', root: '/p', words: [], wishes, env: { PATH: 1 } },
    { ask: 'submit', words: [], wishes, env: {} },
    { ask: 'enroll', root: ['/p'] },
    { ask: 'stop' },
    {},
    null,
  ])('a request of another form does not fit (%j)', (request) => {
    expect(readJson(Envelope, JSON.stringify({ version: '1.0.0', request }))).toBeUndefined();
  });

  test('an empty state is a state', () => {
    expect(readJson(DaemonState, JSON.stringify(noState))).toEqual(noState);
  });
});
