// `ym ui` in the background of a test.
import type { TestProject } from '../rig.ts';

/** Starts the server in the repository or in another folder, and returns its address in parts. */
export async function startUi(y: TestProject, cwd = y.root) {
  const child = y.startWith({ cwd }, 'ui', '--no-open');
  await child.until('Ctrl-C');
  const [, base = '', token = ''] = /(http:\S+)\/\?token=(\S+)/.exec(child.stdout()) ?? [];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const read = async (path: string): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${base}${path}`, { headers });
    return (await answer.json()) as Record<string, unknown>;
  };
  return { child, base, token, headers, read };
}
