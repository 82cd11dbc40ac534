import { spawn } from 'node:child_process';
import type { Terminal } from '../terminal.ts';

/** The program that shows a page here, if there is likely to be one. */
export function browserProgram(env: Terminal['env'], platform: NodeJS.Platform = process.platform): string | undefined {
  if (env['BROWSER']) return env['BROWSER'];
  if (platform === 'darwin') return 'open';
  if (platform === 'win32') return undefined;
  // Somebody who came by SSH has the browser elsewhere, whatever is drawn here.
  if (env['SSH_CONNECTION']) return undefined;
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? 'xdg-open' : undefined;
}

/** Shows an address. Whether it worked is for the person to see; it is printed as well. */
export function openBrowser(program: string, url: string): void {
  const child = spawn(program, [url], { stdio: 'ignore', detached: true });
  child.once('error', () => {});
  child.unref();
}
