/** What stands behind the last slash of a path. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
