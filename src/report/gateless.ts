/**
 * Whether a verdict was given under the identity of a gate without any command. It says nothing about the work, so it is
 * not told or counted as passed.
 */
export function isNoGate(gate: string): boolean {
  return gate === 'none' || gate === 'branch: none';
}
