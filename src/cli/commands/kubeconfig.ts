import { resolve } from 'node:path';
import type { Command } from 'commander';
import { kubeconfigPaths, readKubeconfigFile } from '../../client/kubeconfig/kubeconfig-file.ts';
import { writeYaml } from '../../yaml/write-yaml.ts';
import { requireMember } from '../clusters/require-cluster.ts';
import { addHubOptions, connectToHub, type HubOptions } from '../hub-client.ts';
import { memberKubeconfig, mergeKubeconfig } from '../kubeconfig/member-kubeconfig-document.ts';
import { writeKubeconfig } from '../kubeconfig/write-kubeconfig.ts';
import type { Terminal } from '../terminal.ts';

interface KubeconfigOptions extends HubOptions {
  merge?: boolean;
  output?: string;
}

export function defineKubeconfig(command: Command, terminal: Terminal): void {
  command
    .argument('<cluster>', 'name of the member')
    .option('--merge', 'put it into the kubeconfig that kubectl uses, or into that of --output')
    .option('-o, --output <file>', 'write it to a file that only you can read');
  addHubOptions(command)
    .addHelpText('after', '\nThe kubeconfig leads to the member through the hub, with your own credential for the hub.')
    .action((name: string, options: KubeconfigOptions) => kubeconfig(name, options, terminal));
}

async function kubeconfig(name: string, options: KubeconfigOptions, terminal: Terminal): Promise<void> {
  await using hub = await connectToHub(options, terminal);
  await requireMember(hub, name, terminal);
  const document = await memberKubeconfig(hub, name);
  if (!options.merge && options.output === undefined) {
    terminal.out(writeYaml(document));
    return;
  }
  const file = resolve(options.output ?? kubeconfigPaths(terminal.env)[0]!);
  const present = options.merge ? readKubeconfigFile(file)?.content : undefined;
  writeKubeconfig(file, present ? mergeKubeconfig(present, document) : document);
  terminal.out(`context "drover-${name}" written to ${file}\n`);
}
