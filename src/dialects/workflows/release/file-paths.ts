/** The files that a step names: in one text, or as a list. */
export function filePathsOf({ filePaths }: Readonly<Record<string, unknown>>): string[] {
  const texts = Array.isArray(filePaths) ? filePaths.map(String) : typeof filePaths === 'string' ? filePaths.split(',') : [];
  return texts.map(one => one.trim()).filter(one => one !== '');
}
