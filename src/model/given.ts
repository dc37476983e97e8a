/** `T` without undefined values: a field that may be undefined becomes an optional one. */
export type Given<T> = string extends keyof T
  ? { [K in keyof T]: Exclude<T[K], undefined> }
  : { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
      [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
    };

/** Copies `fields` without those that are undefined, so that optional fields are absent instead of undefined. */
export function given<T extends object>(fields: T): Given<T> {
  const values = Object.values(fields);
  // Spreading is several times as fast, and most calls leave nothing out.
  if (!values.includes(undefined)) return { ...fields } as Given<T>;
  if (values.every((value) => value === undefined)) return {} as Given<T>;
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Given<T>;
}
