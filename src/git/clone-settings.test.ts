import { describe, expect, it } from 'vitest';
import { configText } from './clone-settings.ts';

describe('the settings of an attempt', () => {
  it('are those of the repository, without what describes its checkout', () => {
    const text = configText(
      [
        'core.bare\ntrue',
        'core.worktree\n/elsewhere',
        'core.sparsecheckout\ntrue',
        'extensions.worktreeconfig\ntrue',
        'user.name\nA "B" \\ C',
        'filter.lfs.required',
        'remote.origin.url\nhttps://example.invalid',
        'remote.origin.pushurl\nhttps://push.invalid',
        'remote.near.url\n../near.git',
        'branch.main.remote\norigin',
        'alias.x\n!echo\nb',
      ],
      '/projects/repo',
      undefined,
    );
    expect(text).toBe(
      [
        '[core]',
        '\tbare = false',
        '\trepositoryformatversion = 1',
        '[user]',
        '\tname = "A \\"B\\" \\\\ C"',
        '[filter "lfs"]',
        '\trequired',
        '[remote "origin"]',
        '\turl = "https://example.invalid"',
        '[remote "near"]',
        '\turl = "/projects/near.git"',
        '[alias]',
        '\tx = "!echo\\nb"',
        '[remote "origin"]',
        '\tpushurl = attempts-do-not-push',
        '[remote "near"]',
        '\tpushurl = attempts-do-not-push',
        '',
      ].join('\n'),
    );
  });
});
