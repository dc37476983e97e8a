/**
 * Kind of trouble with the machine: its disk, its permissions, something that is in the way, a missing program, or a
 * signal that ended git.
 */
export type MachineCause = 'space' | 'permission' | 'in-the-way' | 'tool' | 'signal';

/** Line that our git runner adds if a signal ended git, which prints nothing itself then. */
export const endedBySignal = (signal: string): string => `git was ended by ${signal}`;

/**
 * Messages of git and the system about the machine. A file in a worktree that git may not read is the agent's doing, so
 * a refused permission counts only where git writes its own files.
 */
const signs: readonly (readonly [MachineCause, RegExp])[] = [
  ['space', /no space left on device|\bENOSPC\b|disk quota exceeded|\bEDQUOT\b|disk (is )?full/i],
  ['space', /too many open files|\bE[MN]FILE\b|cannot allocate memory|\bENOMEM\b/i],
  [
    'permission',
    /read-only file system|\bEROFS\b|insufficient permission|input\/output error|\bEIO\b/i,
  ],
  ['permission', /unable to (create|write|open)[^\n]*: permission denied|\bEACCES\b|\bEPERM\b/i],
  ['permission', /(cannot|could not|unable to) (lock|mkdir|create)[^\n]*: permission denied/i],
  [
    'in-the-way',
    /cannot lock ref|unable to create [^\n]*: file exists|unable to create [^\n]*\.lock/i,
  ],
  ['in-the-way', /another git process seems to be running|cannot create [^\n]*: file exists/i],
  ['signal', /git was ended by SIG[A-Z]+$/m],
  ['tool', /external filter [^\n]* failed|(smudge|clean) filter [^\n]* failed/i],
  ['tool', /git-lfs[^\n]*(not found|no such file)|cannot run [^\n]*: no such file/i],
];

/** The kind of trouble that a message reports, if any. */
export function machineCauseOf(message: string): MachineCause | undefined {
  return signs.find(([, sign]) => sign.test(message))?.[0];
}
