import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { memberPath } from '../clusters/member-transport.ts';
import type { JsonObject } from '../../util/json.ts';
import type { Terminal } from '../terminal.ts';
import type { HubAddress } from './sign-in-desk.ts';

/** Where the API of a hub is that is a server of its own: beside the members, for those who may see it. */
export const hubBesideMembers = (server: string): string => `${server}${memberPath('local')}`;

export const contextName = (server: string): string => `drover@${new URL(server).host}`;

export interface OwnCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** A kubeconfig that holds no secret: whoever uses it asks `drover token`. `api` is the URL of the hub's API. */
export function loginKubeconfig({ server, ca }: HubAddress, api: string, own: OwnCommand): JsonObject {
  const name = contextName(server);
  const authorities = ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: own.command,
    args: [...own.args, 'token', server],
    interactiveMode: 'Never',
    installHint: 'The kubeconfig was written by "drover login"; the program "drover" is not where it was then.',
  };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { ...authorities, server: api } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
    preferences: {},
    users: [{ name, user: { exec } }],
  };
}

/** How other programs start this one: by its name, if that leads here; otherwise by where it is. */
export function ownCommand({ PATH: path = '' }: Terminal['env'], script = process.argv[1] ?? ''): OwnCommand {
  const here = real(script);
  for (const name of ['drover', 'kubectl-drover']) {
    const found = path
      .split(delimiter)
      .filter(dir => dir !== '')
      .map(dir => join(dir, name))
      .find(isProgram);
    if (found !== undefined && sameProgram(real(found), here)) return { command: name, args: [] };
  }
  return isProgram(here) ? { command: here, args: [] } : { command: process.execPath, args: [here] };
}

const sameProgram = (a: string, b: string) =>
  a.replace(/kubectl-drover(\.js)$/, 'drover$1') === b.replace(/kubectl-drover(\.js)$/, 'drover$1');

function real(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
