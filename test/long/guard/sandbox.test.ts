// The built program with its sandbox on: honest work lands, and what an agent tries outside of its folder is refused.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { attackHead, attacks } from '../../rig/attacks.ts';
import { confinedProject, forbidden, forbids } from '../../rig/confined.ts';
import { flat, shell } from '../../rig/project.ts';
import { hasSandbox, visiblePath } from '../../rig/sandbox.ts';
import { commit, type Ended, type TestProject, touch, waitFor, write } from '../../rig.ts';

describe.runIf(hasSandbox)('in the sandbox', () => {
  test('programs below /tmp are missing, and doctor and the failed gate say so', async () => {
    const bin = realpathSync(mkdtempSync('/tmp/ym-tools-'));
    onTestFinished(() => rmSync(bin, { recursive: true }));
    writeFileSync(join(bin, 'mytool'), '#!/bin/sh\n', { mode: 0o755 });
    const y = confinedProject({
      tasks: [{ id: 'a' }],
      config: { gate: { commands: ['mytool'] } },
    });
    const call = { env: { PATH: `${bin}:${visiblePath}` } };
    const doctor = await y.ymWith(call, 'doctor');
    expect(doctor.code).toBe(0);
    expect(flat(doctor.stdout)).toContain(
      `The sandbox hides this folder of your PATH: ${bin}. Agents and gates do not find programs there.`,
    );
    const more = join(bin, 'more');
    mkdirSync(more);
    const both = { env: { PATH: `${bin}:${more}:${visiblePath}` } };
    expect(flat((await y.ymWith(both, 'doctor')).stdout)).toContain(
      `The sandbox hides these folders of your PATH: ${bin}, ${more}. Agents and gates`,
    );
    const verify = await y.ymWith(call, 'verify');
    expect(verify.code).toBe(3);
    expect(flat(verify.stderr)).toContain(
      '`ym doctor` names folders of the PATH that the sandbox hides',
    );
  });

  test('strict shows agents and gates nothing of the home, and refuses agents that need a service', async () => {
    const gate = 'test "$(ls -A "$HOME")" = "" && test -z "$SECRET"';
    const y = confinedProject({
      tasks: [{ id: 'a' }],
      script: { a: [[write('a.txt', 'a\n'), commit('a'), shell(gate)]] },
      config: { sandbox: 'strict', gate: { commands: [gate] } },
      env: { SECRET: 'x' },
    });
    writeFileSync(join(y.home, 'notes'), 'mine\n');
    expect(await y.ym('run', y.plan)).toMatchObject({ code: 0, stderr: '' });
    expect(y.landings()).toEqual({ a: 1 });
    const claude = confinedProject({
      tasks: [{ id: 'a' }],
      config: { sandbox: 'strict', agent: 'claude' },
    });
    const refused = await claude.ym('run', claude.plan);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('claude cannot work without its service');
  });

  test('a gate sees neither the network nor the login of an agent', async () => {
    const gate =
      'test "$(tail -n +3 /proc/net/dev | wc -l)" = 1 && ! test -s "$HOME/.codex/auth.json"';
    const y = confinedProject({
      tasks: [{ id: 'a' }],
      script: { a: [[write('a.txt', 'a\n')]] },
      config: { gate: { commands: [gate], network: false } },
    });
    mkdirSync(join(y.home, '.codex'));
    writeFileSync(join(y.home, '.codex/auth.json'), '{}\n');
    expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
    expect(y.landings()).toEqual({ a: 1 });
  });
});

describe.runIf(hasSandbox)('user namespaces', () => {
  const gate = (userns: boolean, command: string): TestProject =>
    confinedProject({
      tasks: [{ id: 'a' }],
      script: { a: [[write('a.txt', 'a\n'), shell('! unshare -Ur true 2>/dev/null')]] },
      config: { gate: { commands: [command], userns } },
    });

  test('are refused in a gate', async () => {
    const y = gate(false, '! unshare -Ur true');
    expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  });

  test('are allowed in a gate by gate.userns, which opens neither the machine nor the agent', async () => {
    const outside = '! unshare -Urm sh -c "mount -o remount,rw / && touch /usr/here"';
    const y = gate(true, `unshare -Ur true && ${outside}`);
    expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
    expect(y.landings()).toEqual({ a: 1 });
  });
});

/** Tries every attack, and writes down those that succeed. */
const attackScript = `${attackHead}${Object.entries(attacks)
  .map(([name, { line }]) => `( ${line} ) >/dev/null 2>&1 && echo "${name}" >>broken.txt`)
  .join('\n')}
exit 0
`;

/** Names of the attacks that succeeded. */
function brokenBy(run: Ended, y: TestProject): string {
  const names = Object.keys(attacks).filter((name) => run.stdout.includes(name));
  const landed = y.git('ls-tree', '--name-only', 'main').includes('broken.txt');
  return [...names, ...(landed ? [y.show('broken.txt')] : [])].join('\n');
}

describe.runIf(hasSandbox)('every attack is refused in the sandbox', () => {
  test.each(['agent', 'gate'])('of the %s', async (who) => {
    const line = 'sh attack.sh "$ATTACKED" "$ENGINE"';
    const y = confinedProject({
      files: { 'attack.sh': attackScript },
      tasks: [{ id: 'other' }, { id: 'a' }],
      script: {
        other: [[touch('other'), waitFor('done'), write('other.txt', 'other\n')]],
        a: [
          [
            waitFor('other'),
            ...(who === 'agent' ? [shell(line)] : []),
            touch('done'),
            write('a.txt', 'a\n'),
          ],
        ],
      },
      config: {
        gate: {
          commands: [
            'sh gate.sh',
            ...(who === 'gate'
              ? [`${line}; cat broken.txt 2>/dev/null; ! test -s broken.txt`]
              : []),
          ],
        },
      },
    });
    mkdirSync(join(y.home, '.ssh'));
    writeFileSync(join(y.home, '.ssh/id'), 'key\n');
    y.git('branch', 'theirs');
    const config = readFileSync(join(y.root, '.git/config'), 'utf8');
    const env = { ATTACKED: y.root, ENGINE: String(process.pid) };
    const run = await y.ymWith({ env }, 'run', y.plan);
    expect(brokenBy(run, y)).toBe('');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(y.landings()).toEqual({ other: 1, a: 1 });
    expect(y.git('branch', '--list', 'theirs', 'stolen').trim()).toBe('theirs');
    expect(y.git('status', '--porcelain')).toBe('');
    expect(readFileSync(join(y.root, '.git/config'), 'utf8')).toBe(config);
    expect(existsSync(join(y.root, '.git/hooks/pre-commit'))).toBe(false);
    expect(readdirSync(y.home)).toEqual(['.ssh']);
  });
});

describe('without a sandbox', () => {
  test('write starts nothing', async () => {
    const y = forbidden({ sandbox: 'write' });
    const run = await y.ymWith(forbids(y), 'run', y.plan);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain('`sandbox: write` does not work here');
    expect(y.landings()).toEqual({});
  });
});
