import { forgeConformance } from '../conformance/forge.ts';
import { MemoryForge } from '../memory/forge.ts';

forgeConformance('the twin in memory', () => {
  const forge = new MemoryForge();
  return {
    forge,
    merge: (branch, commit) => forge.merge(branch, commit),
    close: (branch) => forge.close(branch),
    check: (branch, checks) => forge.check(branch, checks),
    refuse: (cause) => forge.refuse(cause),
    calls: () => forge.calls,
    said: (branch) => {
      const wish = forge.wishOf(branch);
      if (wish === undefined) return undefined;
      const { base, title, body } = wish;
      return { base, title, body };
    },
    dispose: () => {},
  };
});
