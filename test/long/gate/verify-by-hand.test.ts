// `ym verify` always runs the gate, and what it finds counts more than what was found before.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noMounts, onDisk } from '../../rig/disk.ts';
import { hasSandbox, inSandbox } from '../../rig/sandbox.ts';
import { type TestProject, testProject, write } from '../../rig.ts';

const gate = `echo ran >> "$STAGE/gates"
test ! -e "$STAGE/broken"
`;

const gates = (y: TestProject): number =>
  readFileSync(join(y.stage, 'gates'), 'utf8').split('\n').filter(Boolean).length;

test('a green `ym verify` lets the first run skip its check, and a red one revokes it', async () => {
  const y = testProject({
    files: { 'gate.sh': gate },
    config: {
      preflight: true,
      gate: { commands: ['sh gate.sh'], branch: 'never', reruns: 0, environment: ['cat tool'] },
    },
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'a\n')]], b: [[write('b.txt', 'b\n')]] },
  });
  y.write('tool', '1\n');
  writeFileSync(join(y.root, '.git/info/exclude'), 'tool\n');
  const env = { STAGE: y.stage };
  const ym = (...args: string[]) => y.ymWith({ env }, ...args);
  expect(await ym('verify')).toMatchObject({ code: 0 });
  expect(gates(y)).toBe(1);
  expect(await ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(gates(y)).toBe(2);
  expect(await ym('verify')).toMatchObject({ code: 0 });
  expect(gates(y)).toBe(3);

  y.signal('broken');
  const red = await ym('verify');
  expect(red.code).toBe(5);
  expect(red.stdout).toContain('Fix it, or choose other commands with `ym config set');
  y.writeTasks([{ id: 'b' }]);
  expect(await ym('run', y.plan)).toMatchObject({ code: 3 });
  expect(y.landings()).toEqual({ a: 1 });
  expect(gates(y)).toBe(5);
});

test.runIf(hasSandbox)('the gate of `ym verify` is in the sandbox of a run', async () => {
  const gate = [
    'test "$(cat /proc/1/comm)" = bwrap',
    '! touch "$HOME/here" 2>/dev/null',
    '! cat "$HOME/.ssh/id" 2>/dev/null',
    'touch here /tmp/here',
  ].join(' && ');
  const y = testProject({ config: { ...inSandbox, gate: { commands: [gate] } } });
  mkdirSync(join(y.home, '.ssh'));
  writeFileSync(join(y.home, '.ssh/id'), 'key\n');
  expect(await y.ym('verify')).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(y.home)).toEqual(['.ssh']);
});

test('`ym verify` runs nothing without the sandbox that the config names, and says so if it asks for none by name', async () => {
  const bin = (y: TestProject) => ({ env: { PATH: `${join(y.base, 'bin')}:${process.env.PATH}` } });
  const without = (sandbox: string): TestProject => {
    const y = testProject({ config: { sandbox } });
    mkdirSync(join(y.base, 'bin'));
    const script = `#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n`;
    writeFileSync(join(y.base, 'bin/bwrap'), script, { mode: 0o755 });
    return y;
  };
  const auto = without('auto');
  const green = await auto.ymWith(bin(auto), 'verify');
  expect(green.code).toBe(0);
  expect(green.stderr).toMatch(/^.*No sandbox: .* The gate runs as you\. .*\n$/);
  const strict = without('strict');
  const refused = await strict.ymWith(bin(strict), 'verify');
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain('`sandbox: strict` does not work here');
});

const mounts = noMounts();
if (mounts !== undefined) console.log(`Tests with real disks are skipped: ${mounts}.`);

// reason: only root can mount a disk; the line above says it was left out.
test.skipIf(mounts !== undefined)('a gate that fails on a full disk gives no verdict', async () => {
  const fills = 'test ! -e "$STAGE/full" || { head -c 60M /dev/zero > "$TMPDIR/filler"; exit 1; }';
  const y = testProject({ config: { gate: { commands: [fills], reruns: 0 } } });
  const temp = join(y.stage, 'temp');
  mkdirSync(temp);
  onDisk(temp);
  const ym = (...args: string[]) => y.ymWith({ env: { STAGE: y.stage, TMPDIR: temp } }, ...args);
  expect(await ym('verify')).toMatchObject({ code: 0 });
  y.signal('full');
  const sentence = /^ym: There is no verdict\. The disk of .* is nearly full: .*again\.\n$/;
  const full = { code: 3, stdout: '', stderr: expect.stringMatching(sentence) };
  expect(await ym('verify')).toMatchObject(full);
  // Nothing starts on a disk that is full already.
  expect(await ym('verify')).toMatchObject(full);
  rmSync(join(temp, 'filler'));
  rmSync(join(y.stage, 'full'));
  expect(await ym('verify')).toMatchObject({ code: 0 });
});
