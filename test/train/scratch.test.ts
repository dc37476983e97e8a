import { test } from 'vitest';
import { makeCorpus } from '../../bench/train/corpus.ts';
import { fixedTrain, gateThenMerge } from '../../bench/train/fixed.ts';
import { faultsOf, figuresOf } from '../../bench/train/outcome.ts';
import { ourTrain } from '../../bench/train/ours.ts';
test('x', () => {
  for (const [q, f] of [[0.0005, 0], [0.002, 0.01], [0,0.05],[0, 0.1], [0, 0.2], [0, 0.4]] as const) {
    const corpora = Array.from({ length: 100 }, (_, seed) => makeCorpus({ seed, count: 64, f, q }));
    const policies = {
      gtm: gateThenMerge(2), serial: fixedTrain({ batch: 1, slots: 1 }), zuul: fixedTrain({ batch: 1, slots: 2 }),
      batch8: fixedTrain({ batch: 8, slots: 1 }), b8implied: fixedTrain({ batch: 8, slots: 1, skipsImplied: true }), two8: fixedTrain({ batch: 8, slots: 2 }),
      ours1: ourTrain({ slots: 1, batch: 8 }), ours2: ourTrain({ slots: 2, batch: 8 }), ours4: ourTrain({ slots: 4, batch: 8 }),
    };
    console.log('q', q, 'f', f);
    for (const [name, policy] of Object.entries(policies)) {
      const began = performance.now();
      const x = figuresOf(corpora, policy);
      const faults = corpora.flatMap((c) => faultsOf(c, policy(c)));
      console.log(name.padEnd(10), x.landedPerTime.toFixed(2), x.runsPerLanded.toFixed(3), x.redTargets.toFixed(2), (performance.now()-began).toFixed(0)+'ms', faults.length, faults.slice(0, 3));
    }
  }
});
