import type { ProjectRow } from '../web/contract.ts';

type Named = Pick<ProjectRow, 'name' | 'root'>;

/** Name of a project; with the folder around it if another project has the same name. */
export function projectName({ name, root }: Named, all: readonly Named[]): string {
  const isShared = all.some((other) => other.name === name && other.root !== root);
  return isShared ? root.split('/').slice(-2).join('/') : name;
}
