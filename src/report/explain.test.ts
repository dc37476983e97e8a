import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allFailures, failures } from '../../test/report/fixtures.ts';
import { commandNamed, exitCodes } from '../cli/commands.ts';
import { parse } from '../cli/parse.ts';
import { type Failure, failureFrom } from '../model/failure.ts';
import { explain, oneLine } from './explain.ts';
import { widthOf } from './printable.ts';

const text = (kind: Failure['kind']): string => {
  const { what, why, do: remedy, exit } = explain(failures[kind], 'search');
  return `${what}\n${why}\n${remedy}\n(${exit})`;
};

describe('every failure', () => {
  it('is explained: usage', () => {
    expect(text('usage')).toMatchInlineSnapshot(`
      "--jobs needs a value.
      The command line cannot be understood as it is.
      Write --jobs N.
      (2)"
    `);
  });

  it('is explained: config-invalid', () => {
    expect(text('config-invalid')).toMatchInlineSnapshot(`
      "yardmaster.yaml:7: unknown key "jbos".
      The config is checked whole before anything starts, so that no part of it is guessed.
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
      \`ym summary\` shows the newest run.
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

  it('is explained: no-gate', () => {
    expect(text('no-gate')).toMatchInlineSnapshot(`
      "No gate was found, so nothing could judge the work of the agents.
      Looked for justfile, Makefile, package.json.
      Type \`ym config set gate.commands "npm test"\` with your own command, or \`ym config set gate none\` to say knowingly that there is none.
      (2)"
    `);
  });

  it('is explained: gate-unusable', () => {
    expect(text('gate-unusable')).toMatchInlineSnapshot(`
      "The gate command "npm tset" cannot be used: no such script.
      A gate that cannot run would judge nothing, and nothing lands unjudged.
      Mend \`gate.commands\` in yardmaster.yaml; \`ym verify\` tries it out.
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
      Choose one of them, or describe this one under \`agents\` in yardmaster.yaml.
      (2)"
    `);
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

  it('is explained: git-missing', () => {
    expect(text('git-missing')).toMatchInlineSnapshot(`
      "git cannot be started: ENOENT.
      All work is kept in git.
      Install git, then check with \`ym doctor\`.
      (3)"
    `);
  });

  it('is explained: git-too-old', () => {
    expect(text('git-too-old')).toMatchInlineSnapshot(`
      "git 2.30.1 is too old; 2.38 or newer is needed.
      Branches are merged without a checkout, which older versions cannot do.
      Install a newer git, then check with \`ym doctor\`.
      (3)"
    `);
  });

  it('is explained: not-a-repository', () => {
    expect(text('not-a-repository')).toMatchInlineSnapshot(`
      "/somewhere is not in a git repository.
      Every agent works in a worktree of a repository.
      Go to your repository, or name it with \`ym -C DIR\`; \`git init\` makes a new one.
      (3)"
    `);
  });

  it('is explained: bare-repository', () => {
    expect(text('bare-repository')).toMatchInlineSnapshot(`
      "/somewhere.git is a bare repository.
      The project’s files and its config are looked for in a checkout.
      Clone it, and go there or name the clone with \`ym -C DIR\`.
      (3)"
    `);
  });

  it('is explained: no-commits', () => {
    expect(text('no-commits')).toMatchInlineSnapshot(`
      "The repository in /somewhere has no commit yet.
      Agents start from a commit of the target branch.
      Make a first commit: \`git commit --allow-empty -m "First commit"\`.
      (3)"
    `);
  });

  it('is explained: detached-head', () => {
    expect(text('detached-head')).toMatchInlineSnapshot(`
      "No branch is checked out; HEAD is at aaaaaaaaaaaa.
      Work lands on a branch, and it is not clear on which.
      Name it with \`ym run --target BRANCH\`, or check a branch out.
      (3)"
    `);
  });

  it('is explained: target-missing', () => {
    expect(text('target-missing')).toMatchInlineSnapshot(`
      "There is no branch "mian" to land on.
      The target must exist before a run starts.
      Did you mean main? Make it with \`git branch mian\`, or name another with \`ym run --target BRANCH\`.
      (2)"
    `);
  });

  it('is explained: shallow-repository', () => {
    expect(text('shallow-repository')).toMatchInlineSnapshot(`
      "The repository in /somewhere is shallow.
      Merging needs the history that was left out.
      Fetch the rest with \`git fetch --unshallow\`.
      (3)"
    `);
  });

  it('is explained: operation-in-progress', () => {
    expect(text('operation-in-progress')).toMatchInlineSnapshot(`
      "A rebase is in progress in /somewhere.
      The target must not move while you are in the middle of something.
      Finish it or give it up (\`git rebase --abort\`), then start again.
      (3)"
    `);
  });

  it('is explained: no-identity', () => {
    expect(text('no-identity')).toMatchInlineSnapshot(`
      "git does not know who you are: user.email is not set.
      Commits and merges need an author.
      Type \`git config user.name "Your Name"\` and \`git config user.email you@example.com\`.
      (3)"
    `);
  });

  it('is explained: branch-exists', () => {
    expect(text('branch-exists')).toMatchInlineSnapshot(`
      "The branch yard/r1/api-1 is there already and is not ours.
      Run r1 wanted this name for an attempt and never overwrites a branch.
      Rename it with \`git branch -m yard/r1/api-1 NEW-NAME\`, then start again.
      (3)"
    `);
  });

  it('is explained: git-failed', () => {
    expect(text('git-failed')).toMatchInlineSnapshot(`
      "\`git update-ref refs/heads/main\` failed with exit status 128.
      git said: fatal: cannot lock ref.
      Mend what git complains about, then type \`ym resume\`; \`ym doctor\` checks the rest.
      (3)"
    `);
  });

  it('is explained: state-unwritable', () => {
    expect(text('state-unwritable')).toMatchInlineSnapshot(`
      "Nothing can be written to /state: EROFS.
      The record of a run is written before anything is done.
      Make the folder writable and the disk roomy, or set YARDMASTER_STATE_DIR to another folder.
      (3)"
    `);
  });

  it('is explained: store-corrupt', () => {
    expect(text('store-corrupt')).toMatchInlineSnapshot(`
      "The store yard.db is damaged: not a database.
      It was cut short or changed by something else; nothing was changed in it now.
      Keep a copy, move it away and import your tasks again; landed work is safe in git. \`ym doctor\` says more.
      (3)"
    `);
  });

  it('is explained: store-newer', () => {
    expect(text('store-newer')).toMatchInlineSnapshot(`
      "The store yard.db has format 3; this version knows up to 1.
      A newer Yardmaster has written to it.
      Update Yardmaster: \`npm install --global yardmaster\`.
      (3)"
    `);
  });

  it('is explained: store-busy', () => {
    expect(text('store-busy')).toMatchInlineSnapshot(`
      "The store yard.db was busy for 5 s.
      Another process held it all that time.
      Try again; if it goes on, \`ym status\` shows which run is alive.
      (3)"
    `);
  });

  it('is explained: store-failed', () => {
    expect(text('store-failed')).toMatchInlineSnapshot(`
      "The store yard.db failed: disk full.
      The disk may be full or the file not ours.
      Check with \`ym doctor\`, then type \`ym resume\`.
      (3)"
    `);
  });

  it('is explained: run-alive', () => {
    expect(text('run-alive')).toMatchInlineSnapshot(`
      "Run r1 is alive here (process 4711 on yard).
      Two runs on one project would get into each other’s way.
      Watch it with \`ym status --watch\`, end it with \`ym stop\`, or join it with \`ym run --share\`.
      (3)"
    `);
  });

  it('is explained: run-unfinished', () => {
    expect(text('run-unfinished')).toMatchInlineSnapshot(`
      "Run r1 did not come to its end and holds 2 tasks.
      Its process is gone, but its attempts and worktrees are still there to go on with.
      Go on with it first: \`ym resume r1\`.
      (3)"
    `);
  });

  it('is explained: claim-lost', () => {
    expect(text('claim-lost')).toMatchInlineSnapshot(`
      "api was taken by r2.
      A task never has two owners; another run was first.
      Nothing has to be done; \`ym status\` shows who works on what.
      (3)"
    `);
  });

  it('is explained: fenced', () => {
    expect(text('fenced')).toMatchInlineSnapshot(`
      "api belongs to r2 now, so a late write to it was refused.
      This run was away for too long and lost its claim.
      Nothing has to be done; \`ym status\` shows who works on what.
      (3)"
    `);
  });

  it('is explained: worktree-failed', () => {
    expect(text('worktree-failed')).toMatchInlineSnapshot(`
      "No worktree could be made: No space left on device.
      Every attempt works in a worktree of its own.
      Check disk and permissions with \`ym doctor\`; \`ym prune\` shows what could go.
      (1)"
    `);
  });

  it('is explained: setup-failed', () => {
    expect(text('setup-failed')).toMatchInlineSnapshot(`
      "The set-up command "npm ci" failed with exit status 1.
      It said: ENOTFOUND.
      Mend \`worktree.setup\` in yardmaster.yaml; \`ym log search\` has all it printed.
      (1)"
    `);
  });

  it('is explained: agent-not-started', () => {
    expect(text('agent-not-started')).toMatchInlineSnapshot(`
      "The agent "./agent.sh" could not be started: EACCES.
      Its program is missing, or it may not be executed.
      Check it with \`ym doctor\`.
      (1)"
    `);
  });

  it('is explained: agent-exited', () => {
    expect(text('agent-exited')).toMatchInlineSnapshot(`
      "The agent ended with exit status 3.
      It said: two / three / four.
      Read \`ym log search\` for all it printed.
      (1)"
    `);
  });

  it('is explained: agent-gave-up', () => {
    expect(text('agent-gave-up')).toMatchInlineSnapshot(`
      "The agent gave up: The API is not documented.
      It says that it cannot do the task as it is described.
      Read \`ym log search\`; make the task clearer or smaller, then \`ym retry search\`.
      (1)"
    `);
  });

  it('is explained: agent-silent', () => {
    expect(text('agent-silent')).toMatchInlineSnapshot(`
      "The agent ended without saying that it is done; a done signal was expected.
      With \`done: signal\`, an exit alone does not complete an attempt.
      Read \`ym log search\`; set \`done: exit\` for this agent if its exit is enough.
      (1)"
    `);
  });

  it('is explained: agent-lost', () => {
    expect(text('agent-lost')).toMatchInlineSnapshot(`
      "The agent of turn 2 was lost: it is not running and left no exit status.
      It was killed, or the machine went down, while Yardmaster was away.
      Nothing has to be done where the task is tried again; \`ym log search\` has what it printed.
      (1)"
    `);
  });

  it('is explained: no-changes', () => {
    expect(text('no-changes')).toMatchInlineSnapshot(`
      "The agent ended well but changed nothing.
      It said: All is well already.
      Read \`ym log search\`; if nothing was left to do, type \`ym skip search\`.
      (1)"
    `);
  });

  it('is explained: limit-crossed', () => {
    expect(text('limit-crossed')).toMatchInlineSnapshot(`
      "The agent printed nothing for 15 m 00 s and was ended.
      It printed nothing, so it may have hung.
      Read \`ym log search\`; the limit is set under \`agents\` in yardmaster.yaml.
      (1)"
    `);
  });

  it('is explained: gate-red', () => {
    expect(text('gate-red')).toMatchInlineSnapshot(`
      "The gate is red together with what has landed: "npm test" failed with exit status 1.
      It said: 1 failed, 41 passed.
      Read .yardmaster/runs/r1/gate.log, or type \`ym log search --gate\`; \`ym diff search\` shows the work.
      (1)"
    `);
  });

  it('is explained: gate-not-run', () => {
    expect(text('gate-not-run')).toMatchInlineSnapshot(`
      "The gate could not be run on the branch: npm is not installed.
      What was not judged is taken for neither green nor red, and never lands.
      Try the gate with \`ym verify\`, and mend \`gate.commands\` in yardmaster.yaml.
      (1)"
    `);
  });

  it('is explained: conflict', () => {
    expect(text('conflict')).toMatchInlineSnapshot(`
      "Conflicts with main in src/a.ts, src/b.ts.
      The target and yard/r1/api-1 changed the same places.
      See the work with \`ym diff search\`; merge main into yard/r1/api-1 by hand, or \`ym retry search\` from the new target.
      (1)"
    `);
  });

  it('is explained: target-red', () => {
    expect(text('target-red')).toMatchInlineSnapshot(`
      "The target itself is red at bbbbbbbbbbbb.
      It said: FAIL src/a.test.ts.
      Read .yardmaster/runs/r1/verify.log, mend the target, check it with \`ym verify\`, then type \`ym resume\`.
      (1)"
    `);
  });

  it('is explained: checkout-in-the-way', () => {
    expect(text('checkout-in-the-way')).toMatchInlineSnapshot(`
      "The target is checked out in /somewhere and cannot be moved: local changes to src/a.ts.
      Moving it would overwrite something of yours, so git refused.
      Commit or stash your changes in /somewhere; the landing is tried again by itself.
      (1)"
    `);
  });

  it('is explained: interrupted', () => {
    expect(text('interrupted')).toMatchInlineSnapshot(`
      "Interrupted by ym stop --now.
      The agent was ended before it was done; its work is kept and this counts as no failure.
      Type \`ym resume\` to go on.
      (4)"
    `);
  });

  it('is explained: parent-stuck', () => {
    expect(text('parent-stuck')).toMatchInlineSnapshot(`
      "Waits for api, which is failed.
      A task starts only when all it depends on has landed, and api will not land by itself.
      See \`ym why api\`; then \`ym retry api\`, or \`ym skip api\` to go on without it.
      (1)"
    `);
  });

  it('is explained: blocked-by-person', () => {
    expect(text('blocked-by-person')).toMatchInlineSnapshot(`
      "Blocked by a person: Waits for the wording.
      Somebody held it back with \`ym block\`.
      When it may go on, type \`ym unblock search\`.
      (1)"
    `);
  });

  it('is explained: cancelled-by-person', () => {
    expect(text('cancelled-by-person')).toMatchInlineSnapshot(`
      "Cancelled by a person: no reason was given.
      Somebody gave it up with \`ym cancel\`.
      If it is wanted after all, type \`ym retry search\`.
      (1)"
    `);
  });

  it('is explained: returned-too-often', () => {
    expect(text('returned-too-often')).toMatchInlineSnapshot(`
      "Came back 3 times, the last time because: conflicts with main in a.
      The target and yard/r1/api-1 changed the same places. Its agent was given the evidence every time and could not put it right.
      See the work with \`ym diff search\`; merge main into yard/r1/api-1 by hand, or \`ym retry search\` from the new target. Then type \`ym retry search\`.
      (1)"
    `);
  });

  it('is explained: failed-too-often', () => {
    expect(text('failed-too-often')).toMatchInlineSnapshot(`
      "Failed 1 time, the last time because: the agent was ended by SIGKILL.
      It printed nothing. After so many failures in a row a task is left alone until a person has looked at it.
      Read \`ym log search\` for all it printed. Then type \`ym retry search\`.
      (1)"
    `);
  });

  it('is explained: internal', () => {
    expect(text('internal')).toMatchInlineSnapshot(`
      "Internal error: queue is empty.
      This is a bug of Yardmaster, not of your project or your agents.
      Please report it with the output of \`ym doctor --json\`; \`ym resume\` goes on with the run.
      (70)"
    `);
  });

  it('is explained: other', () => {
    expect(text('other')).toMatchInlineSnapshot(`
      "No reason was recorded.
      The record holds nothing more about it.
      See \`ym log ID\` and \`ym doctor\`.
      (1)"
    `);
  });
});

describe('explaining', () => {
  it.each(allFailures)('says what, why and do in sentences: $kind', (failure) => {
    const { kind, what, why, do: remedy } = explain(failure);
    expect(kind).toBe(failure.kind);
    for (const said of [what, why, remedy]) {
      expect(said).toMatch(/^\S.{8,}[.?!]$/);
      expect(said).not.toMatch(/undefined|\[object|\.\.$/);
    }
  });

  it.each(allFailures)(
    'names only commands that exist, with options that exist: $kind',
    (failure) => {
      const { do: remedy } = explain(failure, 'search');
      for (const [, line = ''] of remedy.matchAll(/`(ym [^`]+)`/g)) {
        const words = line.split(' ').slice(1);
        const command = words.find((word, at) => !word.startsWith('-') && words[at - 1] !== '-C');
        if (words.length === 2 && words[0] === '-C') continue;
        expect(commandNamed(command ?? ''), line).toBeDefined();
        const parsed = parse([...words, '--help']);
        expect(parsed.ok, line).toBe(true);
      }
    },
  );

  it('gives only exit codes that help names', () => {
    const known = exitCodes.map(([code]) => code);
    for (const failure of allFailures) expect(known).toContain(explain(failure).exit);
  });

  it('names the task where it knows it', () => {
    expect(explain(failures['gate-red'], 'search').do).toContain('ym log search --gate');
    expect(explain(failures['gate-red']).do).toContain('ym log ID --gate');
  });

  it('follows a chain of failures to its cause', () => {
    const deep: Failure = {
      kind: 'failed-too-often',
      times: 3,
      last: { kind: 'returned-too-often', times: 2, last: failures['no-changes'] },
    };
    expect(explain(deep).what).toBe(
      'Failed 3 times, the last time because: the agent ended well but changed nothing.',
    );
  });

  it('gives up on a chain that does not end', () => {
    let deep: Failure = failures['no-changes'];
    for (let times = 1; times < 50; times += 1)
      deep = { kind: 'failed-too-often', times, last: deep };
    expect(explain(deep).what).toContain('nested too deeply');
  });

  it('takes escape sequences and line breaks out of what others said', () => {
    const esc = String.fromCharCode(27);
    const { why } = explain({
      kind: 'agent-exited',
      exit: 1,
      tail: `${esc}[31mbad\r\n\nworse${esc}[0m`,
    });
    expect(why).toBe('It said: bad / worse.');
  });

  it('shows no more of an output than fits a sentence', () => {
    const { why } = explain({ kind: 'agent-exited', exit: 1, tail: 'x'.repeat(5000) });
    expect(why.length).toBeLessThan(420);
    expect(why).toMatch(/…\.$/);
  });

  it('explains a kind that only a newer version knows', () => {
    const foreign = failureFrom({ kind: 'solar-flare', strength: 9 });
    expect(explain(foreign).what).toContain('solar-flare');
    expect(explain(failureFrom({ kind: 'constructor' })).what).toContain('constructor');
  });

  it('explains a record that lacks what its kind promises', () => {
    for (const { kind } of allFailures) {
      const { what, why, do: remedy } = explain(failureFrom({ kind }));
      expect([what, why, remedy].every((said) => said !== '')).toBe(true);
    }
  });
});

describe('one line', () => {
  it('is cut with an ellipsis where it is too long', () => {
    expect(oneLine(failures['no-changes'], 20)).toBe('The agent ended wel…');
  });

  it('is left alone where it fits', () => {
    expect(oneLine(failures['no-changes'], 60)).toBe('The agent ended well but changed nothing.');
  });

  it('never exceeds its width and counts characters, not bytes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 1, max: 60 }),
        (message, width) => {
          const line = oneLine({ kind: 'agent-gave-up', message }, width);
          expect(widthOf(line)).toBeLessThanOrEqual(width);
          const whole = explain({ kind: 'agent-gave-up', message }).what;
          expect(line === whole || line.endsWith('…')).toBe(true);
        },
      ),
    );
  });

  it('keeps as many wide letters as there is room for', () => {
    expect(oneLine({ kind: 'other', message: '作業が失敗しました' }, 7)).toBe('作業が…');
  });
});
