/** The address of a module beside another, for a thread to begin with: sources name each other by `.ts`, and are `.js` once they are compiled. */
export function siblingModule(file: string, url: string): string {
  return new URL(url.endsWith('.ts') ? file : file.replace(/\.ts$/, '.js'), url).href;
}
