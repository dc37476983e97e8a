/** Reason of a failed connection. `fetch` puts it into the cause of its error. */
export function connectionCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  // A host with several addresses fails with one error for all of them, which has only a code.
  return cause.message || ('code' in cause ? String(cause.code) : error.message);
}
