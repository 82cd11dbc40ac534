import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemAuthorities } from '../client/server-agent.ts';
import type { SourceCredentials } from './credentials.ts';
import type { Located } from './egress.ts';
import type { GitAddress } from './git-address.ts';
import { SourceError } from './source-error.ts';
import { urlHost } from '../util/url-host.ts';

export interface GitEnvironmentOptions {
  readonly address: GitAddress;
  readonly located: Located;
  readonly credentials: SourceCredentials;
  readonly authorization: string | undefined;
  /** An empty folder of our own: the home of git, where keys lie while it runs. */
  readonly folder: string;
}

/**
 * What git knows of the world: nothing of the machine's or of a user's settings, no other protocol, no other address than the one that was judged, no
 * helper, no hook, no prompt. Credentials are in the environment and in files of ours, never among the arguments.
 */
export function gitEnvironment(options: GitEnvironmentOptions): Record<string, string> {
  const { address, folder } = options;
  const settings = address.protocol === 'ssh' ? [] : webSettings(options);
  const config = [...fixedSettings, ...settings];
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_ALLOW_PROTOCOL: address.protocol,
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    ...(address.protocol === 'ssh' && { GIT_SSH_COMMAND: sshCommand(options), GIT_SSH_VARIANT: 'ssh' }),
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(
      config.flatMap(([key, value], i) => [
        [`GIT_CONFIG_KEY_${i}`, key],
        [`GIT_CONFIG_VALUE_${i}`, value],
      ]),
    ),
  };
}

const fixedSettings: readonly (readonly [string, string])[] = [
  ['protocol.version', '2'],
  ['core.hooksPath', '/dev/null'],
  ['core.symlinks', 'false'],
  ['core.fsmonitor', 'false'],
  ['credential.helper', ''],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['fetch.uriProtocols', ''],
  ['transfer.bundleURI', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
];

function webSettings({ address, located, credentials, authorization, folder }: GitEnvironmentOptions): [string, string][] {
  const { tls } = credentials;
  const { host, port, addresses } = located;
  const file = (name: string, text: string) => keep(folder, name, text);
  return [
    ['http.proxy', ''],
    ['http.followRedirects', 'false'],
    ['http.lowSpeedLimit', '1000'],
    ['http.lowSpeedTime', '30'],
    // The name is not looked up again.
    ['http.curloptResolve', `${host}:${port}:${addresses.map(urlHost).join(',')}`],
    ...(authorization === undefined ? [] : [['http.extraHeader', `Authorization: ${authorization}`] as [string, string]]),
    ...(address.protocol === 'http'
      ? []
      : [['http.sslCAInfo', file('ca.pem', [...systemAuthorities(), tls?.ca ?? ''].join('\n'))] as [string, string]]),
    ...(tls?.insecureSkipVerify ? [['http.sslVerify', 'false'] as [string, string]] : []),
    ...(tls?.certificate === undefined ? [] : [['http.sslCert', file('tls.crt', tls.certificate)] as [string, string]]),
    ...(tls?.key === undefined ? [] : [['http.sslKey', file('tls.key', tls.key)] as [string, string]]),
  ];
}

/** Host and address were checked to hold nothing that a shell would see. */
function sshCommand({ address, located, credentials, folder }: GitEnvironmentOptions): string {
  const { sshKey, knownHosts } = credentials;
  if (sshKey === undefined || knownHosts === undefined)
    throw new SourceError(
      'git by SSH needs a Secret with the key "ssh-privatekey" and with "known_hosts", by which the host is recognised',
      { isFinal: true },
    );
  const alias = address.port === 22 ? address.host : `[${address.host}]:${address.port}`;
  const settings = {
    BatchMode: 'yes',
    StrictHostKeyChecking: 'yes',
    UserKnownHostsFile: keep(folder, 'known_hosts', ending(knownHosts)),
    GlobalKnownHostsFile: '/dev/null',
    IdentityFile: keep(folder, 'ssh-key', ending(sshKey)),
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    HostKeyAlias: alias,
    HostName: located.addresses[0]!,
    ProxyCommand: 'none',
    ForwardAgent: 'no',
    PermitLocalCommand: 'no',
    ControlMaster: 'no',
    ConnectTimeout: '15',
  };
  return ['ssh -F /dev/null', ...Object.entries(settings).map(([key, value]) => `-o '${key}=${value.replaceAll("'", `'\\''`)}'`)].join(' ');
}

/** OpenSSH wants the last line to end. */
const ending = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

function keep(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
