import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Failure } from '../../src/model/failure.ts';
import { openSource } from '../../src/source/open.ts';
import { tempFolder } from '../rig/temp-folder.ts';

let dir = '';
beforeEach(() => {
  dir = tempFolder();
});

const put = (path: string, text: string | Uint8Array): void => {
  mkdirSync(join(dir, path, '..'), { recursive: true });
  writeFileSync(join(dir, path), text);
};

async function read(path: string, stdin = ''): Promise<unknown> {
  const source = openSource(path, { cwd: dir, readStdin: async () => stdin });
  if (!source.ok) return [source.failure];
  const listed = await source.value.list();
  return listed.ok ? listed.value.map(({ id }) => id) : listed.failure;
}

async function refusal(path: string): Promise<{ problem: string; remedy: string; file: string }> {
  const [failure] = (await read(path)) as Failure[];
  if (failure?.kind !== 'source-invalid') throw new Error(JSON.stringify(failure));
  return failure;
}

describe('openSource', () => {
  it('takes paths from the folder it is given', async () => {
    put('plans/one.yaml', '- title: First thing\n');
    expect(await read('plans/one.yaml')).toEqual(['first-thing']);
    expect(await read(join(dir, 'plans/one.yaml'))).toEqual(['first-thing']);
  });

  it('says that a file is missing, and which one may be meant', async () => {
    put('plan.yaml', '- title: a\n');
    expect(await refusal('paln.yaml')).toMatchObject({
      file: 'paln.yaml',
      problem: 'there is no such file or folder',
      remedy: 'Did you mean "plan.yaml" in the same folder?',
    });
  });

  it('says that a file is missing also where its folder is missing', async () => {
    expect((await refusal('no/where.yaml')).remedy).toBe('Check the path.');
  });

  it('refuses a kind of file it cannot read', async () => {
    put('plan.xml', '<tasks/>');
    put('plan', 'x');
    expect((await refusal('plan.xml')).problem).toContain('.xml');
    expect((await refusal('plan')).problem).toContain('has no extension');
  });

  it('refuses a folder without tasks', async () => {
    put('tasks/README.md', '# About\n');
    put('tasks/deeper/a.md', '# A\n');
    expect((await refusal('tasks')).problem).toContain('no Markdown file');
  });

  it('reads the files of a folder by name and passes over read-me, drafts and hidden files', async () => {
    put('tasks/b.md', '# B\n');
    put('tasks/a.md', '# A\n');
    put('tasks/C.markdown', '# C\n');
    put('tasks/readme.md', '# About\n');
    put('tasks/_draft.md', 'nothing');
    put('tasks/.hidden.md', 'nothing');
    put('tasks/notes.txt', 'nothing');
    expect(await read('tasks')).toEqual(['C', 'a', 'b']);
  });

  it('reads a single Markdown file, whatever its name', async () => {
    put('x/README.md', '# Do it\n');
    expect(await read('x/README.md')).toEqual(['README']);
  });

  it('refuses two files of a folder with one id', async () => {
    put('tasks/a.md', '# A\n');
    put('tasks/b.md', '---\nid: A\n---\n# B\n');
    expect(await refusal('tasks')).toMatchObject({
      file: 'tasks/b.md',
      problem: 'the id "A" is also used by tasks/a.md',
    });
  });

  it('refuses a file that is not text', async () => {
    put('plan.yaml', new Uint8Array([0xff, 0xfe, 0x00, 0x80]));
    expect((await refusal('plan.yaml')).problem).toBe('it is not UTF-8 text');
  });

  it('says so when it may not read a file', async () => {
    // The superuser may read everything, so a folder in place of a file stands for what cannot be read.
    put('plan.yaml', '- title: a\n');
    const source = openSource('plan.yaml', { cwd: dir, readStdin: async () => '' });
    rmSync(join(dir, 'plan.yaml'));
    mkdirSync(join(dir, 'plan.yaml'));
    chmodSync(join(dir, 'plan.yaml'), 0o700);
    const listed = source.ok ? await source.value.list() : source;
    expect(listed).toMatchObject({
      ok: false,
      failure: [{ kind: 'source-invalid', file: 'plan.yaml' }],
    });
  });

  it('reads standard input as JSON where it looks like it, else as YAML', async () => {
    expect(await read('-', ' [{"title": "From json"}]')).toEqual(['from-json']);
    expect(await read('-', 'tasks:\n  - title: From yaml\n')).toEqual(['from-yaml']);
  });

  it('refuses empty standard input', async () => {
    expect(await read('-', '\n')).toMatchObject([
      { kind: 'source-invalid', file: 'standard input', problem: 'it contains no task' },
    ]);
  });
});
