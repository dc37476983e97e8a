import { describe, expect, it } from 'vitest';
import { failures } from '../../../test/report/fixtures.ts';
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
      Did you mean search? \`ym tasks\` lists all tasks.
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
      An attempt is under way, and the task must not change under its agent.
      Wait for it, or type \`ym cancel search\` first.
      (2)"
    `);
  });

  it.each([
    ['landed', 'retry', 'search has landed, so it cannot be tried again.', 'git revert'],
    ['landed', 'change it', 'search has landed, so it cannot be changed.', 'Add a new task'],
    ['ready', 'retry', 'search is ready, so it cannot be tried again.', 'ym run --only search'],
    ['failed', 'unblock', 'search is failed, so it cannot be unblocked.', 'ym why search'],
    ['gating', 'retry', 'search is gating, so it cannot be tried again.', 'ym cancel search'],
  ])('a task that is %s refuses %s in words that are true', (state, wanted, what, remedy) => {
    const told = explain({ kind: 'task-busy', task: 'search', state, wanted });
    expect(told.what).toBe(what);
    expect(told.do).toContain(remedy);
    expect(told.why.includes('under way')).toBe(state === 'gating');
  });

  it('names the way to an agent where there is none, and to one that may not be executed', () => {
    const none = explain({ kind: 'agent-unknown', agent: '', known: [] });
    expect(`${none.what} ${none.why}`).toBe('No agent is named. ');
    expect(none.do).toContain('`ym config set agents.mine');
    const cause = '/yard/a.sh is not executable (EACCES)';
    const missing = explain({ kind: 'agent-missing', agent: 'mine', binary: './a.sh', cause });
    expect(missing.what).toBe('The agent mine needs "./a.sh", which may not be executed.');
    expect(missing.do).toBe('Type `chmod +x ./a.sh`.');
  });

  it('is explained: no-gate', () => {
    expect(text('no-gate')).toMatchInlineSnapshot(`
      "No gate was found, so nothing could judge the work of the agents.
      Looked for justfile, Makefile, package.json.
      Type \`ym config set gate.commands "npm test"\` with your own command, or \`ym config set gate none\` to say on purpose that there is none.
      (2)"
    `);
  });

  it('is explained: gate-unusable', () => {
    expect(text('gate-unusable')).toMatchInlineSnapshot(`
      "The gate command "npm tset" cannot be used: no such script.
      A gate that cannot run would judge nothing, and nothing lands unjudged.
      Fix \`gate.commands\` in yardmaster.yaml; \`ym verify\` tries it out.
      (2)"
    `);
  });

  it('is explained: agent-missing', () => {
    expect(text('agent-missing')).toMatchInlineSnapshot(`
      "The agent claude needs "claude", which is not on this machine.
      It is neither a file nor a program on the PATH.
      Install it, or name another one with \`ym run --agent NAME\`; \`ym doctor\` shows which agents are here.
      (3)"
    `);
  });

  it('is explained: agent-unknown', () => {
    expect(text('agent-unknown')).toMatchInlineSnapshot(`
      "There is no agent "clod".
      Known agents are claude, command.
      Choose one with \`ym config set agent claude\`, or describe another with \`ym config set agents.mine '{"use":"command","command":["./agent.sh"]}'\` and \`ym config set agent mine\`.
      (2)"
    `);
  });

  it('is explained: agent-version', () => {
    expect(text('agent-version')).toMatchInlineSnapshot(`
      "claude has version 1.0.9; 2.1.0 to 2.1.x was tried.
      What it prints may mean something else in another version.
      Install one of these versions, or name another program in \`agents.claude.binary\`; \`ym doctor\` shows what is here.
      (3)"
    `);
  });

  it('is explained: call-refused', () => {
    expect(text('call-refused')).toMatchInlineSnapshot(`
      "The call was refused: the attempt is over.
      Only the agent of a turn that runs may call, with the token it was given.
      Nothing has to be done: what an agent says in its last message counts as well.
      (2)"
    `);
  });

  it('is explained: price-unknown', () => {
    expect(text('price-unknown')).toMatchInlineSnapshot(`
      "Nobody knows what codex costs with the model gpt-5, so no budget of cost can be kept.
      It does not report its cost, and the config has no prices for it.
      Write its prices under \`prices\` in yardmaster.yaml (by model, or \`default\`), or bound the tokens instead: \`ym config set budget.tokens 2M\`.
      (2)"
    `);
    expect(explain({ kind: 'price-unknown', agent: 'x' }).what).toBe(
      'Nobody knows what x costs, so no budget of cost can be kept.',
    );
  });

  it('says of an answer that nobody asked for that nobody asked', () => {
    const busy = { kind: 'task-busy', task: 'api', state: 'ready', wanted: 'answer' } as const;
    expect(explain(busy)).toMatchObject({
      what: 'api is ready, so it cannot be answered.',
      why: 'Its agent does not ask anything now.',
    });
  });

  it('is explained: nothing-to-resume', () => {
    expect(text('nothing-to-resume')).toMatchInlineSnapshot(`
      "There is no run to go on with.
      Every run of this project has come to its end.
      Start a new one with \`ym run\`.
      (2)"
    `);
  });

  it('is explained: nothing-to-do', () => {
    expect(text('nothing-to-do')).toMatchInlineSnapshot(`
      "There is nothing to do.
      No task in scope is ready or could become ready.
      \`ym tasks\` shows where each one stands; \`ym add\` and \`ym import\` bring new ones in.
      (0)"
    `);
  });

  it('is explained: duplicate-task', () => {
    expect(text('duplicate-task')).toMatchInlineSnapshot(`
      "The id api is used 2 times.
      Ids name branches and folders, so each may be used once, whatever its case.
      Give each task an id of its own.
      (2)"
    `);
  });

  it('is explained: missing-dependency', () => {
    expect(text('missing-dependency')).toMatchInlineSnapshot(`
      "docs waits for "aip", which does not exist.
      The tasks must form a graph that can be worked on; nothing was stored.
      Did you mean api? Correct the \`after\` of docs, or add the task.
      (2)"
    `);
  });

  it('is explained: self-dependency', () => {
    expect(text('self-dependency')).toMatchInlineSnapshot(`
      "api waits for itself.
      The tasks must form a graph that can be worked on; nothing was stored.
      Take api out of its own \`after\`.
      (2)"
    `);
  });

  it('is explained: cycle', () => {
    expect(text('cycle')).toMatchInlineSnapshot(`
      "These tasks wait for each other: api → docs → ui → api.
      None of them could ever start.
      Take one \`after\` out of the circle.
      (2)"
    `);
  });
});
