import { Option, type Command } from 'commander';
import { Work } from '../../api/work.ts';
import type { Json } from '../../util/json.ts';
import { writeYaml } from '../../yaml/write-yaml.ts';
import { usageError } from '../exit-codes.ts';
import { explainKind } from '../explain/run-explain-kind.ts';
import { connectToHub } from '../hub-client.ts';
import { jsonText } from '../output/json-text.ts';
import { explainOwner } from '../services/explain-owner.ts';
import { gatherFacts } from '../services/gather-facts.ts';
import { isOwnerType, parseOwner } from '../services/owner-argument.ts';
import { printOwner } from '../services/print-owner.ts';
import type { Terminal } from '../terminal.ts';
import { explainWork } from '../works/explain-work.ts';
import { findWork } from '../works/find-work.ts';
import { printExplanation } from '../works/print-explanation.ts';
import { addWorkOptions, isWorkType, parseOnlyWork, type WorkOptions } from '../works/work-argument.ts';

interface ExplainOptions extends WorkOptions {
  output?: 'json' | 'yaml';
  recursive?: boolean;
  apiVersion?: string;
}

export function defineExplain(command: Command, terminal: Terminal): void {
  command
    .usage('[options] work/NAME | mcs/NAME | nmcs/NAME | cld/NAME | serviceset/NAME | KIND[.FIELD…]')
    .argument('<kind-work-or-owner...>', 'which Work, which owner of services, or which kind')
    .addOption(new Option('-o, --output <format>', 'for programs instead of people; not for kinds').choices(['json', 'yaml']))
    .option('-R, --recursive', 'of a kind: the fields of fields too')
    .option('--api-version <group/version>', 'of a kind: this version of it');
  addWorkOptions(command)
    .addHelpText(
      'after',
      '\nTells what a Work delivers, how each object is, what drifted and who changed it,\n' +
        'who outranks whom, and what it waits for. Of a MultiClusterService or another owner\n' +
        'of services it tells, cluster by cluster, who wants each release, who has it and why,\n' +
        'and what would happen if one of them left. Of a kind of the hub, or of the member\n' +
        'that -C names, it tells what its fields are for, as "kubectl explain" does.\n\n' +
        'drover explain work/web -C east\ndrover explain mcs/web\ndrover explain cluster.spec.connection\ndrover explain pods --recursive -C east',
    )
    .action((words: string[], options: ExplainOptions) => explain(words, options, terminal));
}

async function explain(words: string[], options: ExplainOptions, terminal: Terminal): Promise<void> {
  const kind = kindAmong(words);
  if (kind !== undefined) return explainFieldsOf(kind, options, terminal);
  if (options.recursive || options.apiVersion !== undefined)
    throw usageError('--recursive and --api-version are about kinds', 'for example: drover explain works --recursive');
  const [first = '', second] = words.flatMap(word => word.split('/'));
  if (second !== undefined && !isWorkType(first) && !isOwnerType(first))
    throw usageError(
      `${JSON.stringify(first)} is neither a Work nor an owner of services`,
      `"drover explain ${first}" tells of its fields, "drover describe ${first} ${second}" how it is`,
    );
  const owner = parseOwner(words);
  const name = owner ? owner.name : parseOnlyWork(words);
  const { signal } = terminal;
  await using hub = await connectToHub(options, terminal);
  if (owner) {
    const { cluster, namespace } = options;
    const found = explainOwner(await gatherFacts(hub, { ...owner, cluster, namespace }, signal));
    return tell(found, printOwner(found), options, terminal);
  }
  const { work, cluster, namespace } = await findWork(hub, { name, cluster: options.cluster, namespace: options.namespace }, terminal);
  const { items: works } = await hub.client.list(Work, { namespace, signal });
  const now = new Date();
  const explanation = explainWork({ work, cluster, works, now });
  return tell(explanation, printExplanation(explanation, now), options, terminal);
}

/** A word alone and without a slash is a kind: `works`, `pods.spec`. */
const kindAmong = ([first = '', ...others]: readonly string[]): string | undefined =>
  first === '' || first.includes('/') || others.length > 0 ? undefined : first;

async function explainFieldsOf(argument: string, options: ExplainOptions, terminal: Terminal): Promise<void> {
  const { cluster, output, recursive: isRecursive = false, apiVersion } = options;
  if (output !== undefined)
    throw usageError('-o is about Works and owners of services', `"kubectl get --raw /openapi/v3" has kinds for programs`);
  await using hub = await connectToHub(options, terminal);
  terminal.out(await explainKind(hub.source(cluster), { argument, apiVersion, isRecursive }, terminal.signal));
}

function tell(explanation: object, text: string, { output }: ExplainOptions, terminal: Terminal): void {
  const json = explanation as Json;
  if (output === 'json') return terminal.out(jsonText(json));
  if (output === 'yaml') return terminal.out(writeYaml(json));
  return terminal.out(text);
}
