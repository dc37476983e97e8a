import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { dialogue } from './dialogue.ts';
import { exec } from './exec.ts';

const env = { PATH: process.env.PATH ?? '' };

function echo(argv: readonly string[] = ['cat']) {
  const heard: string[] = [];
  const ends: string[] = [];
  const talk = dialogue(argv, {
    cwd: process.cwd(),
    env,
    onData: (chunk) => heard.push(chunk.toString()),
    onEnd: (cause) => ends.push(cause),
  });
  return { talk, heard, ends };
}

describe('dialogue', () => {
  it('receives the answers of the child, and ends it', async () => {
    const { talk, heard, ends } = echo();
    talk.waiting(true);
    talk.say('one\n');
    await expect.poll(() => heard.join('')).toBe('one\n');
    await talk.end();
    expect(ends).toEqual(['ended with 0']);
    await talk.end();
  });

  it('reports once that a child died or never started', async () => {
    const killed = echo();
    killed.talk.waiting(true);
    killed.talk.kill();
    await expect.poll(() => killed.ends).toEqual(['ended with SIGKILL']);
    killed.talk.say('into the void\n');
    const missing = echo(['no-such-program-here']);
    missing.talk.waiting(true);
    await expect.poll(() => missing.ends.length).toBe(1);
    await missing.talk.end();
  });

  it('does not keep its process alive while nothing is waited for', async () => {
    const dir = tempFolder();

    const file = join(dir, 'dialogue.mjs');
    const input = fileURLToPath(new URL('./dialogue.ts', import.meta.url));
    await build({ input, platform: 'node', output: { file }, logLevel: 'silent' });
    const script = `
        import { dialogue } from ${JSON.stringify(file)};
        const onData = (chunk) => { process.stdout.write(chunk); talk.waiting(false); };
        const talk = dialogue(['cat'], { cwd: '.', env: process.env, onEnd() {}, onData });
        talk.waiting(true);
        talk.say('heard');`;
    const done = await exec([process.execPath, '--input-type=module', '-e', script], {
      cwd: process.cwd(),
      env,
      wallMs: 15_000,
      outputBytes: 10_000,
    });
    expect(done).toMatchObject({ id: 'ended', exit: 0 });
    expect(done.id === 'ended' && done.stdout.toString()).toBe('heard');
  });
});
