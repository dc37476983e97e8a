// The probe of a sandbox: what it finds, and what it advises on the messages of bubblewrap.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { probeSandbox } from '../../src/sandbox/probe.ts';
import { hasSandbox, visiblePath } from '../rig/sandbox.ts';
import { tempFolder } from '../rig/temp-folder.ts';

let place: string;
beforeEach(() => {
  place = tempFolder();
});

function probe(path: string, mode: 'write' | 'strict' = 'write') {
  const home = join(place, 'home');
  mkdirSync(home, { recursive: true });
  return probeSandbox({
    settings: {
      mode,
      home,
      repository: join(place, 'repo'),
      root: join(place, 'repo'),
      hidden: [],
      writable: [],
      variables: [],
      gateNetwork: true,
      gateUserns: false,
      hosts: [],
      proxy: [],
      programs: [],
      agents: [],
    },
    env: { PATH: path, HOME: home, GIT_CONFIG_GLOBAL: '/dev/null' },
    thorough: true,
  });
}

/** A PATH on which bubblewrap is this script. */
function pretending(script: string): string {
  const dir = join(place, 'bin');
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'bwrap'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(dir, 'bwrap'), 0o755);
  return `${dir}:${process.env.PATH}`;
}

describe('the probe', () => {
  it.runIf(hasSandbox).each(['write', 'strict'] as const)(
    'passes where a sandbox of %s keeps its promises',
    async (mode) => {
      const found = await probe(process.env.PATH ?? '', mode);
      expect(found).toMatchObject({ ok: true, value: { ms: expect.any(Number) } });
    },
  );

  it.runIf(hasSandbox)('passes with its scratch attempt in /tmp', async () => {
    vi.stubEnv('TMPDIR', '/tmp');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await probe(process.env.PATH ?? '')).toMatchObject({ ok: true });
  });

  it.runIf(hasSandbox)('names folders of the PATH that the sandbox hides', async () => {
    const below = realpathSync(mkdtempSync('/tmp/ym-path-'));
    onTestFinished(() => rmSync(below, { recursive: true }));
    mkdirSync(join(below, 'tools'));
    const folders = ['tools', 'missing'].map((name) => join(below, name));
    const found = await probe(`${folders.join(':')}:${visiblePath}`);
    expect(found).toMatchObject({ ok: true, value: { hiddenPath: [join(below, 'tools')] } });
  });

  it('says what to install where there is none', async () => {
    expect(await probe(join(place, 'empty'))).toMatchObject({
      failure: {
        cause: 'bubblewrap is not installed',
        advice: expect.stringContaining('apt install'),
      },
    });
  });

  it.each([
    ['bwrap: setting up uid map: Permission denied', 'bwrap-userns-restrict'],
    ['bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', 'bwrap-userns-restrict'],
    ['bwrap: No permissions to create new namespace', 'Inside a container'],
    ['bwrap: Unknown option --disable-userns', '0.8 or newer'],
  ])('understands "%s"', async (message, advice) => {
    expect(await probe(pretending(`echo '${message}' >&2; exit 1`))).toMatchObject({
      failure: { cause: message, advice: expect.stringContaining(advice) },
    });
  });

  it('does not trust a sandbox that confines nothing', async () => {
    const found = await probe(pretending('while [ "$1" != -- ]; do shift; done; shift; exec "$@"'));
    expect(found).toMatchObject({
      failure: { cause: expect.stringContaining('hooks of the repository can be written') },
    });
  });
});
