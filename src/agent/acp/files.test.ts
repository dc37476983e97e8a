import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { tempFolder } from '../../../test/rig/temp-folder.ts';
import { linesOf, readTextFile, writeTextFile } from './conversation.ts';

let dir: string;
let tree: string;
beforeEach(() => {
  dir = tempFolder();
  tree = join(dir, 'tree');
  mkdirSync(tree);
});

const read = (path: string) => readTextFile(tree, { path });
const write = (path: string, content: unknown = 'x') => writeTextFile(tree, { path, content });
const refused = { error: { code: -32602 } };

describe('a file of the worktree', () => {
  it('is written, its folders made, and read again', () => {
    const file = join(tree, 'a', 'b.txt');
    expect(write(file, 'grün\n')).toEqual({ result: {} });
    expect(read(file)).toEqual({ result: { content: 'grün\n' } });
  });

  it('is found through a link to the worktree, and one within it', () => {
    symlinkSync(tree, join(dir, 'way'));
    mkdirSync(join(tree, 'real'));
    symlinkSync(join(tree, 'real'), join(tree, 'link'));
    expect(write(join(dir, 'way', 'link', 'x.txt'))).toEqual({ result: {} });
    expect(readFileSync(join(tree, 'real', 'x.txt'), 'utf8')).toBe('x');
  });

  it('that is missing has another error than one that is refused', () => {
    expect(read(join(tree, 'none'))).toMatchObject({ error: { code: -32002 } });
  });

  it('that is a folder, a pipe or too large is refused', () => {
    execFileSync('mkfifo', [join(tree, 'pipe')]);
    writeFileSync(join(tree, 'large'), Buffer.alloc(8 * 1024 * 1024 + 1));
    expect(read(join(tree, 'pipe'))).toMatchObject(refused);
    expect(write(join(tree, 'pipe'))).toMatchObject(refused);
    expect(read(join(tree, 'large'))).toMatchObject(refused);
    mkdirSync(join(tree, 'folder'));
    expect(write(join(tree, 'folder'))).toMatchObject(refused);
  });

  it('without content is not written', () => {
    expect(write(join(tree, 'a'), 7)).toMatchObject(refused);
  });
});

describe('a file outside of the worktree', () => {
  it.each([
    ['a relative path', () => 'a.txt'],
    ['the worktree itself', () => tree],
    ['its parent', () => join(dir, 'x')],
    ['a neighbor with a name that begins the same', () => `${tree}-two/x`],
    ['a way up through a folder that is not there', () => `${tree}/none/../../x`],
    ['git itself', () => join(tree, '.git')],
    ['a file of git', () => join(tree, '.git', 'config')],
  ])('by %s is refused', (_, path) => {
    expect(write(path())).toMatchObject(refused);
  });

  it('is not reached by a link, whether that leads to something or not yet', () => {
    mkdirSync(join(dir, 'other'));
    symlinkSync(join(dir, 'other'), join(tree, 'link'));
    symlinkSync(join(dir, 'later.txt'), join(tree, 'dangling'));
    expect(write(join(tree, 'link', 'x.txt'))).toMatchObject(refused);
    expect(write(join(tree, 'dangling'))).toHaveProperty('error');
    expect(() => readFileSync(join(dir, 'later.txt'))).toThrow();
  });
});

it.each([
  [undefined, undefined, 'a\nb\nc'],
  [2, undefined, 'b\nc'],
  [undefined, 1, 'a\n'],
  [2, 1, 'b\n'],
  [3, 9, 'c'],
  [9, 9, ''],
  [0, 1, 'a\n'],
])('lines from %s, %s of them', (line, limit, expected) => {
  expect(linesOf('a\nb\nc', line, limit)).toBe(expected);
});
