/** True if variants contain different commits of the target, because one was started again or brought up to date. */
export function haveDifferentBases(variants: readonly { readonly base?: string }[]): boolean {
  return new Set(variants.flatMap(({ base }) => base ?? [])).size > 1;
}
