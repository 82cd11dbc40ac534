import { gitIgnore } from './git-ignore.ts';

/** The file at the root of a source with rules of its own for what to leave out. */
export const ignoreFile = '.sourceignore';

/** Whether a source leaves a file out: by its own file of rules, and by what whoever names the source says besides. */
export function sourceIgnore(rules: Buffer | undefined, ignore: string): (path: string) => boolean {
  const isIgnored = gitIgnore(`${rules?.toString() ?? ''}\n${ignore}`);
  return path => path === ignoreFile || isIgnored(path);
}

/** The files that are wanted. All, when nobody says what to leave out. */
export function withoutSourceIgnored(files: ReadonlyMap<string, Buffer>, ignore: string | undefined): ReadonlyMap<string, Buffer> {
  if (ignore === undefined) return files;
  const isIgnored = sourceIgnore(files.get(ignoreFile), ignore);
  return new Map([...files].filter(([path]) => !isIgnored(path)));
}
