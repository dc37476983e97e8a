import type { Project } from '../app/ports.ts';
import { type Result, unreachable } from '../model/failure.ts';
import { outcomeOf } from '../model/trouble.ts';
import { visible } from '../model/visible.ts';
import type { Action } from '../report/watch/action.ts';
import { openEditor, openPager, runForeground } from '../wire/foreground.ts';
import { printLines } from './output.ts';

export type Program = Extract<Action, { id: 'attach' | 'editor' | 'pager' | 'command' }>;

/** Runs a program on the terminal until it ends. `text` is what the page shows. */
export async function openProgram(
  { program, root, childEnv }: Pick<Project, 'program' | 'root' | 'childEnv'>,
  action: Program,
  text: readonly string[],
): Promise<Result<unknown>> {
  switch (action.id) {
    case 'editor':
      return openEditor(action.dir, action.dir);
    case 'pager':
      return openPager(`${visible(text.join('\n'))}\n`);
    case 'attach':
    case 'command': {
      const isAttach = action.id === 'attach';
      const words = isAttach ? `attach ${action.task}` : action.line;
      // The id of a task may contain anything, so it is no part of the shell's text.
      const line = `${program} ${isAttach ? 'attach "$1"' : action.line}`;
      const argv = ['/bin/sh', '-c', line, 'ym', isAttach ? action.task : ''] as const;
      printLines([`$ ym ${words}`]);
      const left = await outcomeOf(runForeground({ argv, cwd: root, env: childEnv }));
      printLines(['', 'Press a key to go back to the dashboard.']);
      await keyPress();
      return left;
    }
    default:
      return unreachable(action);
  }
}

/** Waits until a person presses a key. */
async function keyPress(): Promise<void> {
  const { stdin } = process;
  stdin.setRawMode(true);
  stdin.resume();
  await new Promise((resolve) => stdin.once('data', resolve));
  stdin.pause();
  stdin.setRawMode(false);
}
