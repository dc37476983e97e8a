// Taste, tested. Each rule lists what breaks it as file:line and what to do about it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { describe, it } from 'vitest';
import { projects } from '../vitest.config.ts';
import {
  asideProblems,
  banProblems,
  bans,
  machinePathProblems,
  nameProblems,
} from './tidy/banned.ts';
import { linkProblems, titleProblems } from './tidy/documents.ts';
import { duplicateProblems } from './tidy/duplicates.ts';
import { expectNone, isTestFile, listFiles, readText, root, sizeInBytes } from './tidy/files.ts';
import { deadExportProblems, deadFileProblems, directionProblems } from './tidy/imports.ts';

const TRACKED_BYTES_MAX = 300 * 1024;

const paths = listFiles();
const typescript = paths
  .filter((path) => /^(?:src|test|bench)\/.*\.tsx?$/.test(path))
  .map(readText);
const ours = typescript.filter(({ path }) => path.startsWith('src/'));
const source = ours.filter(({ path }) => !isTestFile(path));
const tests = typescript.filter(({ path }) => isTestFile(path));
const markdown = paths
  .filter((path) => path.endsWith('.md') && !path.includes('/fixtures/'))
  .map(readText);

describe('structure', () => {
  it('lets each folder import only what its row in the import table names', () => {
    expectNone(source.flatMap((file) => directionProblems(file)));
  });

  it('reaches every source file from an entry', () => {
    expectNone(deadFileProblems(typescript));
  });

  it('exports only what another file uses', () => {
    expectNone(deadExportProblems(typescript));
  });

  it('says nothing twice', () => {
    expectNone(duplicateProblems(source));
  });

  it('names folders and files after what they hold', () => {
    expectNone(
      paths.filter((path) => /^(?:src|test|bench|scripts)\//.test(path)).flatMap(nameProblems),
    );
  });
});

describe('code', () => {
  it('does not use the type any', () => {
    expectNone(banProblems(bans.any, typescript));
  });

  it('does not catch errors without looking at them', () => {
    expectNone(banProblems(bans.bareCatch, typescript));
  });

  it('does not mark unfinished work in comments', () => {
    expectNone(banProblems(bans.unfinished, typescript));
  });

  it('prints only in src/cli', () => {
    expectNone(banProblems(bans.console, typescript));
  });

  it('writes to the terminal in one place only', () => {
    expectNone(banProblems(bans.print, typescript));
  });

  it('exits only in the entries', () => {
    expectNone(banProblems(bans.exit, typescript));
  });

  it('starts processes only in src/process', () => {
    expectNone(banProblems(bans.childProcess, typescript));
  });

  it('keeps clock, chance and process out of pure code', () => {
    expectNone(banProblems(bans.impure, typescript));
  });

  it('keeps use cases free of the process that calls them', () => {
    expectNone(banProblems(bans.useCase, typescript));
  });

  it('does not cite plans or issues by number', () => {
    expectNone(banProblems(bans.planNumber, typescript));
  });

  it('leaves no test out without a reason', () => {
    expectNone(tests.flatMap(asideProblems));
  });

  it('runs each test file in exactly one project', () => {
    const files = paths.filter((path) => /\.test\.tsx?$/.test(path));
    const has = projects.map(({ test: { include, exclude = [] } }) =>
      picomatch([...include], { ignore: [...exclude] }),
    );
    const wrong = files.filter((path) => has.filter((of) => of(path)).length !== 1);
    const say = 'is in no project of vitest.config.ts, or in several; move it, or correct them';
    expectNone(wrong.map((file) => ({ file, line: 1, say })));
  });
});

describe('documents', () => {
  it('starts every Markdown file with its one title', () => {
    expectNone(markdown.flatMap(titleProblems));
  });

  it('links only to files that exist', () => {
    const exists = (path: string): boolean => existsSync(join(root, path));
    expectNone(markdown.flatMap((file) => linkProblems(file, exists)));
  });
});

describe('repository', () => {
  it('holds no path of one machine', () => {
    const text = paths.map(readText).filter((file) => !file.text.includes('\0'));
    expectNone(text.flatMap(machinePathProblems));
  });

  it('holds no big file', () => {
    const big = paths.filter(
      (path) => path !== 'package-lock.json' && sizeInBytes(path) > TRACKED_BYTES_MAX,
    );
    const say = `has more than ${TRACKED_BYTES_MAX / 1024} KB; generate it or make it smaller`;
    expectNone(big.map((file) => ({ file, line: 1, say })));
  });
});
