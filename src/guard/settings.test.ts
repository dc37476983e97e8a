import { describe, expect, it } from 'vitest';
import { settingsIn, withoutBranchNotes } from './files.ts';

describe('a setting in the text of a config', () => {
  it('is found in its section, in any case, as often as it is there', () => {
    const text = '[Core]\n\thooksPath = a\n[other]\n\thooksPath = no\n[core]\nHOOKSPATH=b ; why\n';
    expect(settingsIn(text, 'core', 'hookspath')).toEqual(['a', 'b']);
  });

  it('is found behind a header, in quotation marks, and in a section with a name', () => {
    const text = '[core] hooksPath = "a # \\"b\\"" # c\n[includeIf "gitdir:/x/"]\n\tpath = more\n';
    expect(settingsIn(text, 'core', 'hookspath')).toEqual(['a # "b"']);
    expect(settingsIn(text, 'includeif', 'path')).toEqual(['more']);
  });

  it('is not found in a comment or without a section', () => {
    expect(settingsIn('hooksPath = a\n[core]\n# hooksPath = b\n', 'core', 'hookspath')).toEqual([]);
  });
});

describe('a config without notes about branches', () => {
  const core = '[core]\n\tbare = false\n';
  const note =
    '[branch "new"]\n\tremote = origin\n\tmerge = refs/heads/new\n\tvscode-merge-base = x\n';

  it('is the same with and without them', () => {
    expect(withoutBranchNotes(`${core}${note}`)).toBe(withoutBranchNotes(core));
    const between = `${core}${note}[user]\n\tname = a\n`;
    expect(withoutBranchNotes(between)).toBe(withoutBranchNotes(`${core}[user]\n\tname = a\n`));
  });

  it('keeps settings that change where a branch is fetched from or how it is merged', () => {
    const kept = [
      '\tremote = https://evil.invalid',
      '\tremote = ../evil',
      '\tpushRemote = origin',
      '\tmergeOptions = -s ours',
      '\tmerge = refs/heads/x \\',
    ];
    for (const line of kept) {
      expect(withoutBranchNotes(`${core}[branch "main"]\n${line}\n`), line).toContain(line);
    }
  });

  it('keeps lines that only resemble a branch entry', () => {
    expect(withoutBranchNotes('[pull]\n\trebase = true\n')).toContain('rebase = true');
    expect(withoutBranchNotes('[branch "a"] merge = b\n[alias]\n\tmerge = !evil')).toContain(
      '!evil',
    );
  });
});
