// Shared by program/foreign-words.test.ts and long/guard/foreign-words.test.ts.
import { exit, print, testProject, write } from '../rig.ts';

export const esc = String.fromCharCode(27);

export const bell = String.fromCharCode(7);

export const clear = `${esc}[2J`;

export const hidden = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u200b\ufeff]/u;

export function hostile() {
  return testProject({
    config: { retries: 0 },
    tasks: [
      { id: 'a', title: `Fix ${clear}the \u202egnp.exe`, body: `See \u200b${clear}this` },
      { id: 'b', title: `Give\u200b up ${esc}[8mhidden` },
    ],
    script: {
      a: [
        [
          print(`${esc}]0;owned${bell}looks\revil\n`),
          write('b\u202etxt.js', `const a = 1; //${clear} \u202e done\n`),
        ],
      ],
      b: [[print(`${clear}cannot\u2066\n`), exit(3)]],
    },
  });
}
