import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isJsonObject } from '../../util/json.ts';
import { writeFileAtomic } from '../../util/write-file-atomic.ts';
import { CommandError } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';
import { makeFolder } from '../../util/make-folder.ts';

/** That somebody has signed in at a hub: the one place on this machine where the token is. */
export interface KeptLogin {
  readonly server: string;
  readonly ca?: string | undefined;
  readonly username: string;
  /** `name:key`. */
  readonly token: string;
  /** Empty when it never ends by itself. */
  readonly expiresAt: string;
}

export interface KeptLogins {
  get(server: string): KeptLogin | undefined;
  list(): KeptLogin[];
  keep(login: KeptLogin): void;
  /** False when there was none. */
  forget(server: string): boolean;
}

/** One file for each hub, which only its owner can read. */
export function keptLogins({ HOME: home = homedir() }: Terminal['env']): KeptLogins {
  const dir = join(home, '.drover', 'logins');
  const fileOf = (server: string) => join(dir, `${new URL(server).host.replaceAll(/[^A-Za-z0-9.-]/g, '_')}.json`);
  return {
    get(server) {
      const login = read(fileOf(server));
      return login?.server === server ? login : undefined;
    },
    list: () =>
      namesIn(dir)
        .filter(name => name.endsWith('.json'))
        .flatMap(name => read(join(dir, name)) ?? [])
        .sort((a, b) => (a.server < b.server ? -1 : 1)),
    keep(login) {
      try {
        makeFolder(dir);
        writeFileAtomic(fileOf(login.server), `${JSON.stringify(login, undefined, 2)}\n`, 0o600);
      } catch (cause) {
        throw new CommandError('the token cannot be kept', {
          cause,
          hint: `look whether "${dir}" is a folder of your own, and the disk not full`,
        });
      }
    },
    forget(server) {
      const wasThere = read(fileOf(server)) !== undefined;
      rmSync(fileOf(server), { force: true });
      return wasThere;
    },
  };
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

/** What cannot be read is as good as absent: signing in again writes it anew. */
function read(file: string): KeptLogin | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isJsonObject(value)) return undefined;
    const { server, ca, username = '', token, expiresAt = '' } = value;
    if (![server, username, token, expiresAt].every(one => typeof one === 'string')) return undefined;
    return { server, username, token, expiresAt, ...(typeof ca === 'string' && { ca }) } as KeptLogin;
  } catch {
    return undefined;
  }
}
