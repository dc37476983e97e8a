import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gitCli } from '../../src/git/cli.ts';
import { gitConformance, startFiles } from '../conformance/git.ts';
import { tempRepo } from './temp-repo.ts';

gitConformance('git itself', async () => {
  const repo = tempRepo(startFiles);
  const git = gitCli(repo.root);
  const hub = join(repo.base, 'hub.git');
  repo.git('init', '-q', '--bare', hub);
  repo.git('remote', 'add', 'origin', hub);
  return {
    git,
    root: repo.root,
    dirOf: (name) => join(repo.base, 'worktrees', name),
    remote: 'origin',
    remoteTip: (ref) =>
      repo.gitIn(hub, 'for-each-ref', '--format=%(objectname)', ref).trim() || undefined,
    write: (dir, path, content) => {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), content);
    },
    read: (dir, path) => {
      const file = join(dir, path);
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    },
    remove: (dir, path) => rmSync(join(dir, path), { force: true }),
    agentIn: (dir) => ({
      commit: (message) => {
        repo.gitIn(dir, 'add', '-A');
        repo.gitIn(dir, 'commit', '-q', '-m', message);
      },
      stash: () => repo.gitIn(dir, 'stash', '-q', '-u'),
      pop: () => repo.gitIn(dir, 'stash', 'pop', '-q'),
      commitOn: (branch, message) => {
        repo.gitIn(dir, 'checkout', '-q', '-b', branch);
        repo.gitIn(dir, 'add', '-A');
        repo.gitIn(dir, 'commit', '-q', '-m', message);
        repo.gitIn(dir, 'checkout', '-q', '-');
      },
      flag: (path, how) => repo.gitIn(dir, 'update-index', `--${how}`, path),
    }),
    dispose: async () => {
      await git.close();
    },
  };
});
