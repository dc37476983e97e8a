// A person in the interactive session of each real agent, on a terminal that tmux makes: it answers what these programs
// ask a terminal, and its screen can be read.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { agentPool, complete, work } from '../../agents/agent-pool.ts';
import { type CliName, cliNames, isThere } from '../../agents/clis.ts';
import type { Step } from '../../model-server/script.ts';
import { program } from '../../rig/child.ts';
import { need } from '../../rig/need.ts';
import { hasSandbox } from '../../rig/sandbox.ts';
import { sideBySide } from '../../rig/seed.ts';
import { type TestProject, until } from '../../rig.ts';

const names = cliNames.filter(isThere);
const hasTmux = spawnSync('tmux', ['-V']).status === 0;
/** An agent on a busy machine needs this long to start. */
const startMs = 90_000;
const lookMs = 500;

interface Screen {
  text(): string;
  press(keys: string): void;
  /** Waits until a text is there, and does something after each look without it. */
  shows(what: RegExp, meanwhile?: () => void): Promise<void>;
}

/** One terminal for each task, in which `ym attach` runs; its last screen stays when that has ended. */
function screens(y: TestProject): (task: string) => Screen {
  const conf = join(y.stage, 'tmux.conf');
  writeFileSync(conf, 'set -g remain-on-exit on\nset -g default-terminal screen-256color\n');
  const tmux = (line: string): string =>
    y.shell(`tmux -S '${y.stage}/tmux' -f '${conf}' ${line}`).stdout;
  onTestFinished(() => void tmux('kill-server'));
  return (task) => {
    tmux(`new-session -d -x 120 -y 40 -s ${task} '${process.execPath} ${program} attach ${task}'`);
    const text = (): string => tmux(`capture-pane -p -t ${task}`);
    return {
      text,
      press: (keys) => void tmux(`send-keys -t ${task} ${keys}`),
      shows: (what, meanwhile) =>
        until(
          async () => {
            // Each look starts a process, and the agents need the machine.
            await delay(lookMs);
            if (what.test(text())) return true;
            meanwhile?.();
            return false;
          },
          () => `${what} on the screen of ${task}\n${text()}`,
          startMs,
        ),
    };
  };
}

/** What a person has answered Claude Code in earlier sessions: its first questions, and that the repository is theirs. */
function answerClaude(y: TestProject): void {
  const answers = {
    hasCompletedOnboarding: true,
    customApiKeyResponses: { approved: ['scripted-key'], rejected: [] },
    projects: { [y.root]: { hasTrustDialogAccepted: true } },
  };
  y.shell(`echo '${JSON.stringify(answers)}' > "$HOME/.claude.json"`);
}

/** Lets every child in the sandbox write a folder. */
function mayWrite(y: TestProject, folder: string): void {
  const dir = join(y.home, 'config/yardmaster');
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'config.yaml'), `sandbox_writable: ['${folder}']\n`);
}

/** Looks at the conversation, and leaves the session as its user would. */
async function visit(screen: Screen, name: CliName, said: string): Promise<void> {
  // The folder of the attempt is a repository of its own, which Claude Code has not seen before.
  await screen.shows(new RegExp(said), () => {
    if (/trust this folder/i.test(screen.text())) screen.press('Down Enter');
  });
  const left = new RegExp(`You left ${name}; the run continues with it\\.`);
  // Most of them want it twice within a second, which a busy machine may miss.
  await screen.shows(left, () => screen.press('C-c C-c'));
}

// reason: not every machine has tmux, and the person who runs the tests may leave out every agent
test.skipIf(!hasTmux || names.length === 0).each(hasSandbox ? ['none', 'write'] : ['none'])(
  `ym attach opens the conversation of ${names.join(', ')}, which goes on when the person leaves; sandbox: %s`,
  async (sandbox) => {
    const { project: y, server } = await agentPool({
      config: { sandbox },
      scripts: Object.fromEntries(names.map((name) => [name, { turns: [] }])),
      tasks: names.map((name) => ({ id: name, agent: name })),
    });
    const says = (name: CliName): string => `I am ${name} and hold on`;
    for (const name of names) {
      const hold: Step = {
        say: says(name),
        run: `touch '${y.stage}/${name}'; while ! test -e '${y.stage}/go'; do sleep 0.1; done`,
      };
      server.script(name, { turns: [[hold], [{ run: work }, { say: complete }]] });
    }
    answerClaude(y);
    mayWrite(y, y.stage);
    const run = y.start('run', y.plan);
    const open = screens(y);
    // Also where one fails, the others are waited for: none opens a terminal after the test has ended.
    await sideBySide(names.length, async (lane) => {
      const name = need(names[lane]);
      await until(() => y.isSeen(name), `${name} at work`, startMs);
      await visit(open(name), name, says(name));
    });
    const { code, stdout, stderr } = await run.end();
    expect(code, `${stdout}${stderr}`).toBe(0);
    expect(y.landings()).toEqual(Object.fromEntries(names.map((name) => [name, 1])));
    for (const name of names) expect((await y.task(name)).attempts, name).toBe(1);
  },
  200_000,
);
