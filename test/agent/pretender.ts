// A program that behaves like a coding agent's command line, as far as its adapter can see.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deed } from '../conformance/agent.ts';

/** The lines a kind of agent prints. `SESSION` stands for the id of the conversation. */
export interface Vocabulary {
  /** What `--version` prints. */
  readonly version: string;
  readonly begins: readonly object[];
  says(text: string): readonly object[];
  ends(text: string): readonly object[];
}

const complete = 'All done.\n\nCOMPLETE_AND_READY_FOR_MERGE';

/** Puts such a program into `<place>/bin`; returns that folder. */
export function pretender(
  place: string,
  name: string,
  deed: Deed,
  { version, begins, says, ends }: Vocabulary,
): string {
  const ending = (text: string) => [...says(text), ...ends(text)];
  const printed: Readonly<Record<Deed, readonly object[]>> = {
    edits: [...begins, ...ending(complete)],
    fails: [],
    crashes: begins,
    hangs: [],
    'hangs-midway': begins,
    lingers: [...begins, ...ending(complete)],
    prints: [...begins, ...ending('all good')],
    told: [...begins, ...ending(complete)],
  };
  const bin = join(place, 'bin');
  mkdirSync(bin, { recursive: true });
  const file = join(bin, name);
  const given = { version, deed, place, lines: printed[deed].map((line) => JSON.stringify(line)) };
  writeFileSync(file, program(JSON.stringify(given)));
  chmodSync(file, 0o755);
  return bin;
}

const program = (given: string): string => `#!${process.execPath}
const { spawn } = require('node:child_process');
const { readFileSync, writeFileSync } = require('node:fs');
const { version, deed, place, lines } = ${given};
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
if (process.argv.includes('--version')) {
  console.log(version);
  process.exit();
}
const session = process.argv.find((word) => uuid.test(word)) ?? '01a1e1fc-1db6-7962-b8a5-a9b110b3dae7';
const promptBytes = readFileSync(0).length;
for (const line of lines) console.log(line.replaceAll('SESSION', session));
const hang = () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true });
  writeFileSync(place + '/child.pid', String(child.pid));
  setInterval(() => {}, 1000);
};
const told = () => {
  const env = Object.entries(process.env).filter(([name]) => name.startsWith('YARD_'));
  const note = { cwd: process.cwd(), promptBytes, env: Object.fromEntries(env) };
  writeFileSync(place + '/told.json', JSON.stringify(note));
};
const deeds = {
  edits: () => writeFileSync('work.txt', 'done\\n'),
  fails: () => { console.error('no luck'); process.exitCode = 3; },
  crashes: () => process.kill(process.pid, 'SIGKILL'),
  hangs: hang,
  'hangs-midway': hang,
  lingers: hang,
  prints: () => {},
  told,
};
deeds[deed]();
`;
