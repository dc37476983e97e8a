import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { TaskTracker } from '../port/task-tracker.ts';
import { writeBeads } from './beads-tool.ts';
import { isTicketFolder } from './oompa.ts';
import { moveTicket } from './ticket-moves.ts';
import type { ToolPlace } from './tracker.ts';

/** Tool that takes the states of a source, and its folder. */
interface Writing {
  readonly tool: 'beads' | 'oompa';
  readonly dir: string;
}

/** Finds the tool and folder of a source; undefined if it takes no states. `root` is the user's checkout. */
export function writingOf(root: string, source: string): Writing | undefined {
  if (source === 'beads:') return { tool: 'beads', dir: root };
  const full = resolve(root, source);
  const folder = full.endsWith('.jsonl') ? dirname(full) : full;
  if (basename(folder) === '.beads') return { tool: 'beads', dir: dirname(folder) };
  try {
    if (!statSync(full).isDirectory()) return undefined;
    const isTickets = readdirSync(full, { withFileTypes: true }).some(isTicketFolder);
    return isTickets ? { tool: 'oompa', dir: full } : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

/** Writes states of tasks to Beads and to folders of oompa. `place.dir` is the user's checkout. */
export function taskTracker(place: ToolPlace): TaskTracker {
  return {
    async write(change) {
      const writing = writingOf(place.dir, change.source);
      if (writing === undefined) return { ok: false, note: `${change.source} is gone` };
      const { dir } = writing;
      const at = { ...place, dir };
      return writing.tool === 'beads' ? writeBeads(at, change) : moveTicket(at, change);
    },
  };
}
