/** File names in `git status --porcelain=v1 -z`; both names of a rename. */
export function namesInStatus(output: string): readonly string[] {
  const names: string[] = [];
  const parts = output.split('\0');
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? '';
    if (part === '') continue;
    names.push(part.slice(3));
    if (!/^(?:[RC]|.[RC])/.test(part)) continue;
    index += 1;
    names.push(parts[index] ?? '');
  }
  return names;
}
