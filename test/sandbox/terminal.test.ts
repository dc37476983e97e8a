// A child in a sandbox on a real terminal, made by `script` of util-linux: it works there, and types nothing into it.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { noState } from '../../src/port/sandbox.ts';
import { confineWith } from '../../src/sandbox/sandbox.ts';
import { bwrap, hasSandbox } from '../rig/sandbox.ts';
import { tempFolder } from '../rig/temp-folder.ts';

const has = (program: string, argument: string): boolean =>
  spawnSync(program, [argument], { encoding: 'utf8' }).status === 0;

function onTerminal(script: string): string {
  const place = tempFolder();
  const [home = '', work = ''] = ['home', 'slot'].map((name) => join(place, name));
  for (const dir of [home, work]) mkdirSync(dir);
  const { argv, env } = confineWith({
    mode: 'write',
    bwrap,
    home,
    repository: join(place, 'repo/.git'),
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
  })({
    dir: join(place, 'turn'),
    name: 'attach',
    argv: ['/bin/sh', '-c', script],
    cwd: work,
    env: { PATH: process.env.PATH ?? '', HOME: home },
    limits: { wallMs: 0, outputBytes: 0 },
    confined: { role: 'agent', state: noState, variables: [], terminal: true },
  });
  const line = argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const ran = spawnSync('script', ['-qec', line, '/dev/null'], {
    encoding: 'utf8',
    env,
    input: '',
  });
  return ran.stdout.replaceAll('\r', '');
}

// reason: other systems have neither this `script` nor, some of them, perl or a sandbox
it.runIf(hasSandbox && has('script', '--version') && has('perl', '-v'))(
  'a session of an agent has its terminal, but cannot type into it',
  () => {
    const types = (request: string): string =>
      `perl -e 'my $key = "x"; ioctl(STDIN, ${request}, $key) or print "refused: $!\\n"'`;
    const output = onTerminal(
      `test -t 0 && test -t 1 && stty size >/dev/null && echo terminal
      sh -c 'exec 9</dev/tty' && echo own; ${types('0x5412')}; ${types('0x541c')}; true`,
    );
    const refused = 'refused: Operation not permitted\n';
    expect(output).toBe(`terminal\nown\n${refused}${refused}`);
  },
);
