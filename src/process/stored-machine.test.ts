import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../../test/rig/temp-folder.ts';
import { storedMachine } from './stored-machine.ts';

let dir: string;
beforeEach(() => {
  dir = tempFolder();
});

describe('the id of a machine that has none', () => {
  it('is made once and differs from others', () => {
    const first = storedMachine({ YARDMASTER_STATE_DIR: join(dir, 'a') });
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(storedMachine({ YARDMASTER_STATE_DIR: join(dir, 'a') })).toBe(first);
    expect(storedMachine({ YARDMASTER_STATE_DIR: join(dir, 'b') })).not.toBe(first);
  });

  it('is the name of the host if it cannot be stored', () => {
    writeFileSync(join(dir, 'file'), '');
    expect(storedMachine({ YARDMASTER_STATE_DIR: join(dir, 'file') })).toBe(hostname());
  });
});
