import { Option, type Command } from 'commander';
import { readJson } from '../../client/read-answer.ts';
import { underDeadline } from '../../client/deadline.ts';
import { isJsonObject } from '../../util/json.ts';
import { writeYaml } from '../../yaml/write-yaml.ts';
import { addHubOptions, connectToHub, type HubOptions } from '../hub-client.ts';
import { jsonText } from '../output/json-text.ts';
import type { Terminal } from '../terminal.ts';
import { programVersion } from '../version.ts';

interface VersionOptions extends HubOptions {
  client?: boolean;
  output?: 'json' | 'yaml';
}

const hubAnswerMs = 5_000;

export function defineVersion(command: Command, terminal: Terminal): void {
  command
    .option('--client', 'only the version of this program; ask no hub')
    .addOption(new Option('-o, --output <format>', 'for programs').choices(['json', 'yaml']));
  addHubOptions(command).action((options: VersionOptions) => version(options, terminal));
}

async function version(options: VersionOptions, terminal: Terminal): Promise<void> {
  const clientVersion = programVersion();
  // What is known is said even when the hub does not answer.
  if (options.output === undefined) terminal.out(`Drover: v${clientVersion}\nNode: ${process.version}\n`);
  const hub = options.client ? undefined : await hubVersion(options, terminal);
  if (options.output === undefined) {
    if (hub) terminal.out(`Hub: Kubernetes ${hub.version} at ${hub.server}\n`);
    return;
  }
  const all = { clientVersion: { drover: `v${clientVersion}`, node: process.version }, ...(hub && { hub }) };
  terminal.out(options.output === 'json' ? jsonText(all) : writeYaml(all));
}

async function hubVersion(options: HubOptions, terminal: Terminal): Promise<{ server: string; version: string }> {
  await using hub = await connectToHub(options, terminal);
  const answer = await underDeadline({ signal: terminal.signal, timeoutMs: hubAnswerMs }, async signal =>
    readJson(await hub.client.request({ method: 'GET', path: '/version', signal })),
  );
  const version = isJsonObject(answer) && typeof answer['gitVersion'] === 'string' ? answer['gitVersion'] : 'unknown';
  return { server: hub.server, version };
}
