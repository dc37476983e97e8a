import { describe, expect, it } from 'vitest';
import type { TurnReason } from '../model/attempt.ts';
import { noEvidence } from '../model/evidence.ts';
import type { Failure } from '../model/failure.ts';
import type { ReviewRound } from '../model/review.ts';
import { newTask } from '../model/task.ts';
import { followUpsIn, nextIn } from '../protocol/follow-up.ts';
import { completeLine, doneLine, endSignalIn } from '../protocol/signal.ts';
import { type PromptInput, prefixHash, prefixText, promptFor, separator } from './prompt.ts';
import type { Template } from './template.ts';

const task = newTask({
  id: 'T-1',
  title: 'Say hello',
  body: 'Print a greeting.\n\nIn every language.',
  labels: ['epic:talk', 'small'],
});
const signals = { complete: completeLine, giveUp: doneLine };

const inputOf = (more: Partial<PromptInput> = {}): PromptInput => ({
  task,
  run: 'r-1',
  agent: 'mine',
  project: 'shop',
  attempt: 1,
  turn: 1,
  worktree: '/trees/7',
  target: 'main',
  gate: ['npm test'],
  resumed: false,
  templates: [],
  coClaims: [],
  projectNotes: [],
  notes: [],
  program: 'ym',
  ...more,
});
const prompt = (more: Partial<PromptInput> = {}): string => promptFor(inputOf(more));
const template = (file: string, ...parts: Template['parts']): Template => ({ file, parts });

const reviewed = (text: string): ReviewRound => ({
  round: 1,
  commit: 'c1',
  votes: [
    {
      reviewer: 'strict',
      verdict: 'needs-changes',
      findings: [{ id: 'no-test', severity: 'major', file: 'a.ts', line: 3, text }],
    },
  ],
});

describe('a prompt', () => {
  it('contains the rules, the place and the task', () => {
    expect(prompt()).toMatchInlineSnapshot(`
      "[yard:r-1]

      You are a coding agent. You work alone on one task, in your own git worktree. Other agents are working on other tasks of the same repository.

      Rules:
      - Work only inside your worktree. Do not touch other branches, other worktrees, the git configuration or remotes: only the work on your branch is handed in.
      - Stay on the branch that is checked out. Commit your changes or leave them: uncommitted changes are committed for you.
      - Do not merge your work into another branch. It is tested together with other work and merged into main for you, so that main is never broken.
      - Do not delete, skip or weaken tests, and do not change the commands that judge your work or their settings: fix the code instead. Such a change lands only if a person permits it.
      - No person is watching: do not wait for input. Processes you leave running are stopped at the end of your turn.
      - Your work is accepted only if these commands succeed in the worktree. Run them yourself before you stop, or the work is returned to you:
          npm test
      - You are done when your process exits with code 0 and the worktree contains the work.

      ======== your task ========

      [yard:r-1:T-1:1]

      Your worktree is /trees/7. This is attempt 1, turn 1.

      # Task T-1: Say hello

      Print a greeting.

      In every language.
      "
    `);
  });

  it('tells an agent with signals what it may print and call', () => {
    const text = prompt({ signals });
    expect(text.slice(0, text.indexOf(separator))).toMatchInlineSnapshot(`
      "[yard:r-1]

      You are a coding agent. You work alone on one task, in your own git worktree. Other agents are working on other tasks of the same repository.

      Rules:
      - Work only inside your worktree. Do not touch other branches, other worktrees, the git configuration or remotes: only the work on your branch is handed in.
      - Stay on the branch that is checked out. Commit your changes or leave them: uncommitted changes are committed for you.
      - Do not merge your work into another branch. It is tested together with other work and merged into main for you, so that main is never broken.
      - Do not delete, skip or weaken tests, and do not change the commands that judge your work or their settings: fix the code instead. Such a change lands only if a person permits it.
      - No person is watching: do not wait for input. Processes you leave running are stopped at the end of your turn.
      - Your work is accepted only if these commands succeed in the worktree. Run them yourself before you stop, or the work is returned to you:
          npm test

      End each turn with one of these lines in your last message. It counts only as a whole line outside of code blocks, lists and quotes, so quoting these rules has no effect.
      - When the task is complete, print COMPLETE_AND_READY_FOR_MERGE on a line of its own at the end of your message, and stop. The task is closed when the work has landed, not by this line.
      - If you cannot complete it, say why, then print __DONE__ on a line of its own, and stop. Your work is kept on a branch, and your reason helps the next attempt.
      - If only a person can decide something, end with a line that starts with ASK: followed by the question. The task waits for the answer, which comes with your next turn, so decide yourself whatever you can.
      - If one change should solve another ready task together with yours, end with the line CLAIM(its-id) or CLAIM(one-id, other-id). Your next turn tells you which ones you got. Claimed tasks land together with yours or not at all, so claim few. \`ym tasks --state ready\` lists the free tasks.
      - A turn without any of these lines counts as unfinished: you are asked to continue, and after several such turns the attempt is given up.

      If you find work that is not part of your task, do not do it: file it, so that your change stays small. Put a fenced code block into your last message, with the word follow_up after its opening fence and a JSON array inside:
          [{"title": "What to do, in one line", "body": "What done means", "type": "bug", "priority": 2}]
      Only the title is required. Priority 0 is the highest, 4 the lowest. Each entry becomes a task that waits for yours.

      If you decide, agree on or find out something that agents of later tasks should know, note it: put a fenced code block into your last message, with the word note after its opening fence and a JSON array inside:
          [{"kind": "decision", "text": "Dates are stored in UTC, because the API sends no time zone."}]
      The kind is decision, convention or finding. Note little: only what the code does not say. "supersedes": 3 replaces note 3 of an agent.

      If you know which tasks should run next, in parallel and without conflicts, name them in a fenced code block with the word next_iteration after its opening fence and a JSON array of their ids inside:
          ["one-id", "other-id"]

      You can do the same at any time by a command in your worktree. The variable YARD_TOKEN identifies you; do not print or change it. If a command fails, use your last message instead: both count the same.
          ym agent done -m "what you did"
          ym agent give-up -m "why"
          ym agent ask "the question"
          ym agent claim one-id other-id
          ym agent note decision "what you decided and why"
          ym agent report follow-up "title of the task" --body "what done means"
          ym agent next one-id other-id
      End your turn after done, give-up or ask. The claim command prints which tasks you got.

      "
    `);
  });

  it('begins with a tag of the run, and has a tag of the attempt after the separator', () => {
    const text = prompt();
    expect(text).toMatch(/^\[yard:r-1\]\n/);
    expect(text.split(`${separator}\n\n`)[1]).toMatch(/^\[yard:r-1:T-1:1\]\n/);
  });

  it('ends with quoted user messages, also in a resumed conversation', () => {
    const messages = [{ text: 'Use tabs.' }, { text: 'READY\n```\nx' }];
    const ending = `# Messages from the user

Follow them. If one contradicts the task or an earlier message, the later one counts.

\`\`\`
Use tabs.
\`\`\`

\`\`\`\`
READY
\`\`\`
x
\`\`\`\`
`;
    expect(prompt({ messages }).endsWith(ending)).toBe(true);
    const further = prompt({ messages, resumed: true, turnReason: { id: 'messages' } });
    expect(further).toMatch(/You reported that you are done, but had not read the messages below/);
    expect(further.endsWith(ending)).toBe(true);
    expect(prompt()).not.toContain('# Messages');
  });

  it('quotes an answer with its question', () => {
    const messages = [{ question: 'Which port?', text: '8080' }];
    const ending = `counts.

An agent at this task asked:

\`\`\`
Which port?
\`\`\`

The answer:

\`\`\`
8080
\`\`\`
`;
    expect(prompt({ messages }).endsWith(ending)).toBe(true);
  });

  it('names the completion line if the agent needs one', () => {
    const text = prompt({ signals: { complete: 'READY', giveUp: 'STOP' } });
    expect(text).toMatch(/print READY on a line of its own/);
    expect(text).toMatch(/print STOP on a line of its own/);
    expect(text).not.toMatch(/exit code 0/);
  });

  it('names the command for ym', () => {
    expect(prompt({ signals, program: '/opt/node /opt/ym.js' })).toContain(
      '    /opt/node /opt/ym.js agent claim one-id other-id\n',
    );
  });

  it('does not tell an executor to file tasks', () => {
    const text = prompt({ signals, role: 'executor' });
    expect(text).not.toMatch(/follow.up/);
    expect(text).toMatch(/CLAIM\(/);
  });

  it('tells a planner to file tasks, but not to claim', () => {
    const text = prompt({ signals, role: 'planner' });
    expect(text).toMatch(/Plan only, and change no files: file each piece of work as a task/);
    expect(text).toMatch(/report follow-up/);
    expect(text).not.toMatch(/claim/i);
  });

  it('contains the task text unchanged', () => {
    const body = 'Use {prompt_file} and $(date) and {{x}}.\n```\ncode\n```';
    expect(prompt({ task: { ...task, body } })).toContain(body);
  });

  it('contains the improved task text instead of the original, also in prompt files', () => {
    const own = template('b.md', 'It says: ', { token: 'task.body' });
    const text = prompt({ body: 'Print it in French.', templates: [own] });
    expect(text).toContain('# Task T-1: Say hello\n\nPrint it in French.\n');
    expect(text).toContain('It says: Print it in French.');
    expect(text).not.toContain('Print a greeting.');
  });

  it('forbids weakening tests, except for a planner', () => {
    expect(prompt({ gate: [] })).toMatch(/Do not delete, skip or weaken tests/);
    expect(prompt({ signals, role: 'planner' })).not.toMatch(/weaken/);
  });

  it('names the checks and the files of the task', () => {
    const text = prompt({ task: { ...task, checks: ['make hello'], paths: ['src/**'] } });
    expect(text).toMatch(/must succeed for this task:\n- make hello/);
    expect(text).toMatch(/expected to change:\n- src\/\*\*/);
    expect(prompt({ task: { ...task, paths: ['a'], scope: 'strict' } })).toMatch(
      /Change only files/,
    );
  });

  it('puts a title of several lines on one', () => {
    expect(prompt({ task: { ...task, title: 'One\n# Two' } })).toContain('# Task T-1: One # Two\n');
  });

  it('omits the gate if there is none', () => {
    expect(prompt({ gate: [] })).not.toMatch(/accepted only if/);
  });

  it.each<Partial<PromptInput>>([
    {},
    { role: 'planner' },
    { role: 'executor' },
    { turnReason: { id: 'silent', times: 5, nudge: true }, turn: 6 },
    { turnReason: { id: 'silent', times: 1, nudge: false }, turn: 2, resumed: true },
    {
      turnReason: { id: 'answer', question: completeLine, text: `CLAIM(a)\n${doneLine}` },
      turn: 2,
    },
    { turnReason: { id: 'rejected', reason: `\`\`\`\n${completeLine}\n${doneLine}` }, turn: 2 },
    { turnReason: { id: 'review', rounds: [reviewed(`x\n${completeLine}\nASK: y`)] }, turn: 2 },
  ])('may be repeated as a whole without saying anything by it: %j', (more) => {
    const text = prompt({ signals, ...more });
    expect(endSignalIn(text)).toEqual({ id: 'nothing' });
    expect(nextIn(text)).toBeUndefined();
    expect(followUpsIn(text)).toEqual([]);
  });
});

describe('the beginning of a prompt', () => {
  const shared = template('a.md', 'Speak as {{ ', { token: 'agent' }, ' of ', { token: 'project' });
  const own = template('b.md', 'Do ', { token: 'task.title' }, '.\n');
  const templates = [own, shared];

  it('is the same, byte for byte, for all tasks, attempts, turns and worktrees of an agent', () => {
    const others = inputOf({
      signals,
      templates,
      task: { ...task, id: 'T-2', title: 'Other', body: '', checks: ['x'], type: 'plan' },
      attempt: 3,
      turn: 2,
      worktree: '/trees/8',
      coClaims: [task],
      turnReason: { id: 'silent', times: 1, nudge: false },
    });
    const input = inputOf({ signals, templates });
    const first = prefixText(input);
    expect(prefixText(others)).toBe(first);
    expect(prefixHash(others)).toBe(prefixHash(input));
    expect(prefixHash(input)).toMatch(/^[0-9a-f]{16}$/);
    expect(prompt({ signals, templates }).startsWith(first)).toBe(true);
    expect(promptFor(others).startsWith(first)).toBe(true);
    expect(first.endsWith(`\n\n${separator}\n\n`)).toBe(true);
  });

  it.each<Partial<PromptInput>>([
    { run: 'r-2' },
    { gate: ['make'] },
    { target: 'trunk' },
    { role: 'executor' },
    { program: 'yardmaster' },
    { templates: [shared, template('c.md', 'More.')] },
    { agent: 'other' },
  ])('has another name where %j', (more) => {
    const input = inputOf({ signals, templates });
    expect(prefixHash({ ...input, ...more })).not.toBe(prefixHash(input));
  });

  it('has the prompt files that are the same for all tasks; others come with the task', () => {
    const [before = '', after = ''] = prompt({ templates }).split(separator);
    expect(before).toMatch(/\n\nSpeak as \{\{ mine of shop\n\n$/);
    expect(after).toMatch(/In every language\.\n\nDo Say hello\.\n$/);
  });

  it('is omitted in a resumed conversation', () => {
    const text = prompt({ signals, templates, resumed: true, turn: 2 });
    expect(text).toBe(
      '[yard:r-1:T-1:1]\n\nContinue where you stopped. Your earlier work is still in the worktree.\n',
    );
  });
});

describe('prompt files', () => {
  it('are given every value', () => {
    const tokens = [
      ...([
        'project',
        'target',
        'gate',
        'agent',
        'run',
        'task.id',
        'task.title',
        'task.type',
      ] as const),
      ...(['task.priority', 'task.labels', 'attempt', 'worktree', 'task.body'] as const),
    ];
    const parts = tokens.flatMap((token) => [{ token }, '|']);
    expect(prompt({ gate: ['a', 'b'], templates: [template('x.md', ...parts)] })).toContain(
      'shop|main|a\nb|mine|r-1|T-1|Say hello|task|P2|epic:talk, small|1|/trees/7|Print a greeting.\n\nIn every language.|',
    );
  });
});

describe('a further turn', () => {
  const red: Failure = {
    kind: 'gate-red',
    where: 'branch',
    command: 'npm test',
    exit: 3,
    evidence: noEvidence,
    tail: 'no\n',
    log: 'gate.log',
  };
  const turnReasons: TurnReason[] = [
    { id: 'returned', failure: red },
    { id: 'silent', times: 1, nudge: false },
    { id: 'silent', times: 5, nudge: true },
    { id: 'claims', results: [{ id: 'a', claimed: false, reason: 'another attempt works on it' }] },
    { id: 'answer', question: 'Why?', text: 'Because.' },
    { id: 'review', rounds: [reviewed('Nothing tests it.')] },
    { id: 'rejected', reason: 'Not like this.' },
    { id: 'paused', failure: { kind: 'provider-server', agent: 'mine', message: 'x' } },
  ];

  it.each(turnReasons)(
    'has only what it is about where the conversation is known: $id',
    (turnReason) => {
      const text = prompt({ signals, turnReason, turn: 2, resumed: true });
      expect(text).toMatch(/^\[yard:r-1:T-1:1\]\n\n# /);
      expect(text).not.toContain('# Task T-1');
      expect(text.length).toBeLessThan(1_000);
    },
  );

  it.each(turnReasons)('has everything and what it is about where it is not: $id', (turnReason) => {
    const short = prompt({ signals, turnReason, turn: 2, resumed: true });
    const text = prompt({ signals, turnReason, turn: 2 });
    expect(text).toContain('# Task T-1: Say hello');
    expect(text.endsWith(short.slice(short.indexOf('\n# ')))).toBe(true);
  });

  it('lists earlier claims once, with their task texts', () => {
    const coClaim = { ...task, id: 'T-2', title: 'Say goodbye', body: 'Politely.' };
    const earlier = { ...task, id: 'T-3', title: 'Say nothing' };
    const turnReason: TurnReason = { id: 'claims', results: [{ id: 'T-2', claimed: true }] };
    const fresh = prompt({ signals, turnReason, coClaims: [earlier, coClaim], turn: 2 });
    expect(fresh.match(/# Task T-2: Say goodbye\n\nPolitely\./g)).toHaveLength(1);
    expect(fresh.match(/# Task T-3/g)).toHaveLength(1);
    const resumed = prompt({
      signals,
      turnReason,
      coClaims: [earlier, coClaim],
      turn: 2,
      resumed: true,
    });
    expect(resumed).toContain('# Task T-2: Say goodbye');
    expect(resumed).not.toContain('# Task T-3');
  });
});
