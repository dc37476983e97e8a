import { describe, expect, it } from 'vitest';
import { failures } from '../../../test/report/failures.ts';
import type { Failure } from '../../model/failure.ts';
import { explain } from './explain.ts';

const text = (kind: Failure['kind']): string => {
  const { what, why, do: remedy, exit } = explain(failures[kind], 'search');
  return `${what}\n${why}\n${remedy}\n(${exit})`;
};

describe('a command, a config or a source that is wrong', () => {
  it('is explained: usage', () => {
    expect(text('usage')).toMatchInlineSnapshot(`
      "--jobs needs a value.

      Write --jobs N.
      (2)"
    `);
  });

  it('is explained: config-invalid', () => {
    expect(text('config-invalid')).toMatchInlineSnapshot(`
      "yardmaster.yaml:7: unknown key "jbos".

      Did you mean jobs?
      (2)"
    `);
  });

  it('is explained: source-invalid', () => {
    expect(text('source-invalid')).toMatchInlineSnapshot(`
      "plan.yaml: tasks is missing.
      A source is stored whole or not at all; nothing was stored.
      Add a list named tasks.
      (2)"
    `);
  });

  it('is explained: unknown-task', () => {
    expect(text('unknown-task')).toMatchInlineSnapshot(`
      "There is no task "serach".
      No task of this project has that id.
      Did you mean search? \`ym tasks --all\` lists all tasks.
      (2)"
    `);
  });

  it('is explained: unknown-run', () => {
    expect(text('unknown-run')).toMatchInlineSnapshot(`
      "There is no run "r9".
      No run of this project has that name.
      \`ym runs\` lists all runs.
      (2)"
    `);
  });

  it('is explained: task-busy', () => {
    expect(text('task-busy')).toMatchInlineSnapshot(`
      "search is working, so it cannot be skipped.
      An attempt is in progress, and the task must not change while its agent works.
      Wait for it, or type \`ym cancel search\` first.
      (2)"
    `);
  });

  it.each([
    ['landed', 'retry', 'search has landed, so it cannot be retried.', 'git revert'],
    ['landed', 'change it', 'search has landed, so it cannot be changed.', 'Add a new task'],
    ['ready', 'retry', 'search is ready, so it cannot be retried.', 'ym run --only search'],
    ['failed', 'unblock', 'search is failed, so it cannot be unblocked.', 'ym why search'],
    ['gating', 'retry', 'search is gating, so it cannot be retried.', 'ym cancel search'],
  ])('a task that is %s refuses %s in words that are true', (state, wanted, what, remedy) => {
    const explained = explain({ kind: 'task-busy', task: 'search', state, wanted });
    expect(explained.what).toBe(what);
    expect(explained.do).toContain(remedy);
    expect(explained.why.includes('in progress')).toBe(state === 'gating');
  });

  it('names the way to an agent where there is none, and to one that may not be executed', () => {
    const none = explain({ kind: 'agent-unknown', agent: '', known: [] });
    expect(`${none.what} ${none.why}`).toBe('No agent is chosen. ');
    expect(none.do).toContain('`ym config set agents.mine');
    const cause = '/yard/a.sh is not executable (EACCES)';
    const missing = explain({ kind: 'agent-missing', agent: 'mine', binary: './a.sh', cause });
    expect(missing.what).toBe('The agent mine needs "./a.sh", which is not executable.');
    expect(missing.do).toBe('Type `chmod +x ./a.sh`.');
  });

  it('is explained: no-gate', () => {
    expect(text('no-gate')).toMatchInlineSnapshot(`
      "No gate was found, so the agents' work cannot be tested.
      Looked for justfile, Makefile, package.json.
      Type \`ym config set gate.commands "npm test"\` with your own command, or \`ym config set gate none\` to disable the gate and land work untested.
      (2)"
    `);
  });

  it('is explained: gate-unusable', () => {
    expect(text('gate-unusable')).toMatchInlineSnapshot(`
      "The gate command "npm tset" cannot be used: no such script.
      Nothing lands untested, so the gate must be able to run.
      Fix \`gate.commands\` in yardmaster.yaml and check it with \`ym verify\`.
      (2)"
    `);
  });

  it('is explained: agent-missing', () => {
    expect(text('agent-missing')).toMatchInlineSnapshot(`
      "The agent claude needs "claude", which was not found.
      It is neither a file nor a program on the PATH.
      Install it, or choose another agent with \`ym run --agent NAME\`; \`ym doctor\` lists the installed ones.
      (3)"
    `);
  });

  it('is explained: a file of the project that an agent needs', () => {
    const cause = '/w/repository/agent.sh does not exist';
    const failure = { kind: 'agent-missing', agent: 'mine', binary: './agent.sh', cause } as const;
    const { what, why, do: remedy } = explain(failure);
    expect(`\n${what}\n${why}\n${remedy}\n`).toMatchInlineSnapshot(`
      "
      The agent mine needs "./agent.sh", which was not found: /w/repository/agent.sh does not exist.
      Its path starts at the root of the project. A worker has only files that are committed to the target.
      Create the file, and commit it if workers need it. Or choose another agent with \`ym run --agent NAME\`.
      "
    `);
  });

  it('is explained: agent-unknown', () => {
    expect(text('agent-unknown')).toMatchInlineSnapshot(`
      "There is no agent "clod".
      Known agents are claude, command.
      Choose one with \`ym config set agent claude\`, or define another with \`ym config set agents.mine '{"use":"command","command":["./agent.sh"]}'\` and \`ym config set agent mine\`.
      (2)"
    `);
  });

  it('is explained: agent-version', () => {
    expect(text('agent-version')).toMatchInlineSnapshot(`
      "claude is version 1.0.9; supported is 2.1.0 to 2.1.x.
      Other versions may print a different format.
      Install one of these versions, or name another program in \`agents.claude.binary\`; \`ym doctor\` shows what is here.
      (3)"
    `);
  });

  it('is explained: call-refused', () => {
    expect(text('call-refused')).toMatchInlineSnapshot(`
      "The call was refused: the attempt is over.
      Only the agent of a running turn may call, with its own token.
      No action needed: the agent's final message counts as well.
      (2)"
    `);
  });

  it('is explained: price-unknown', () => {
    expect(text('price-unknown')).toMatchInlineSnapshot(`
      "The price of codex with the model gpt-5 is unknown, so a cost budget cannot be enforced.
      It does not report its cost, and the config has no prices for it.
      Add its prices under \`prices\` in yardmaster.yaml (by model, or \`default\`), or limit the tokens instead: \`ym config set budget.tokens 2M\`.
      (2)"
    `);
    expect(explain({ kind: 'price-unknown', agent: 'x' }).what).toBe(
      'The price of x is unknown, so a cost budget cannot be enforced.',
    );
  });

  it('says of an answer that nobody asked for that nobody asked', () => {
    const busy = { kind: 'task-busy', task: 'api', state: 'ready', wanted: 'answer' } as const;
    expect(explain(busy)).toMatchObject({
      what: 'api is ready, so it cannot be answered.',
      why: 'Its agent has no open question.',
    });
  });

  it('is explained: nothing-to-resume', () => {
    expect(text('nothing-to-resume')).toMatchInlineSnapshot(`
      "There is no run to resume.
      No run of this project is unfinished.
      Start a new one with \`ym run\`.
      (2)"
    `);
  });

  it('is explained: target-behind', () => {
    expect(text('target-behind')).toMatchInlineSnapshot(`
      "main of this clone lacks work that has landed: api, ui.
      Another clone has probably landed it. To go on from here would fork main.
      Update main here, for example with \`git pull\`, and type the command again. If that work is lost, type \`ym retry api ui\` to have it done again.
      (2)"
    `);
  });

  it.each([
    [{ id: 'diverged', commit: 'abc' }, 'commits of its own', '`git rebase abc main`'],
    [{ id: 'removed-here' }, '', '`ym resume` without `--standby`'],
    [{ id: 'removed-below', commit: 'abc' }, '', '`git merge --ff-only abc`'],
    [{ id: 'base-not-here', base: 'abc' }, '', '`git pull`'],
    [{ id: 'run-elsewhere', run: 'r1' }, 'wait for its end', '`git pull`'],
  ] as const)('is explained: target-behind, because of %o', (because, condition, command) => {
    const found = explain({ kind: 'target-behind', target: 'main', tasks: ['api'], because });
    expect(found.do).toContain(condition);
    expect(found.do).toContain(command);
  });

  it('is explained: target-behind, with a command that is not cut in the middle of an id', () => {
    const tasks = Array.from({ length: 90 }, (_, at) => `task-${at}`);
    const because = { id: 'not-here' } as const;
    const found = explain({ kind: 'target-behind', target: 'main', tasks, because });
    expect(found.do).toContain('type `ym retry ID …` to have it done again');
  });

  it('is explained: nothing-to-do', () => {
    expect(text('nothing-to-do')).toMatchInlineSnapshot(`
      "There is nothing to do.
      No task in scope is ready or could become ready.
      \`ym tasks\` shows the state of each task; \`ym add\` and \`ym import\` add new ones.
      (0)"
    `);
  });

  it('is explained: duplicate-task', () => {
    expect(text('duplicate-task')).toMatchInlineSnapshot(`
      "The id api is used 2 times.
      Ids name branches and folders, so each must be unique, ignoring case.
      Give each task its own id.
      (2)"
    `);
  });

  it('is explained: missing-dependency', () => {
    expect(text('missing-dependency')).toMatchInlineSnapshot(`
      "docs depends on "aip", which does not exist.
      The dependencies must form a graph without gaps or cycles; nothing was stored.
      Did you mean api? Correct the \`after\` of docs, or add the task.
      (2)"
    `);
  });

  it('is explained: self-dependency', () => {
    expect(text('self-dependency')).toMatchInlineSnapshot(`
      "api depends on itself.
      The dependencies must form a graph without gaps or cycles; nothing was stored.
      Remove api from its own \`after\`.
      (2)"
    `);
  });

  it('is explained: cycle', () => {
    expect(text('cycle')).toMatchInlineSnapshot(`
      "These tasks depend on each other: api → docs → ui → api.
      api has docs in its \`after\` in plan.yaml; docs waits for ui since \`ym plan --apply\`; the epic ui waits for its task api. None of them could ever start; nothing was stored.
      Remove one \`after\` from the cycle.
      (2)"
    `);
  });
});
