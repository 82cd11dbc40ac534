import { Option, type Command } from 'commander';
import { LineSplitter } from '../../client/read-watch.ts';
import { brokenOff, readStatusError } from '../../client/read-answer.ts';
import { addHubOptions, connectToHub, type HubOptions } from '../hub-client.ts';
import { parseSeconds } from '../option-values.ts';
import { auditHead, auditLine } from '../output/audit-line.ts';
import type { Terminal } from '../terminal.ts';

interface AuditOptions extends HubOptions {
  user?: string;
  cluster?: string;
  verb?: string;
  since: number;
  follow?: boolean;
  output?: 'json';
}

const dayMs = 24 * 60 * 60 * 1000;

export function defineAudit(command: Command, terminal: Terminal): void {
  command
    .option('--user <name>', 'only what this user did, or what others did as this user')
    .option('-C, --cluster <name>', 'only what was done on this member; local: on the hub')
    .option('--verb <verb>', 'only this verb, such as delete')
    .addOption(new Option('--since <time>', 'how far to look back, such as 30m').argParser(parseSeconds).default(dayMs, '24h'))
    .option('-f, --follow', 'go on showing what happens')
    .addOption(new Option('-o, --output <format>', 'for programs instead of people: events of audit.k8s.io/v1').choices(['json']));
  addHubOptions(command)
    .addHelpText(
      'after',
      '\nShows who did what where, from the audit log of the hub: changes on the hub, and\n' +
        'everything that people sent through it to members or to its Rancher API. Only those\n' +
        'may see it whom the hub lets "get" the URL /audit/events, as administrators may.',
    )
    .action((options: AuditOptions) => audit(options, terminal));
}

async function audit(options: AuditOptions, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  await using hub = await connectToHub(options, terminal);
  const { transport } = await hub.gateway();
  const res = await transport.request({ method: 'GET', path: `/audit/events?${queryOf(options, Date.now()).toString()}`, signal });
  if (res.status !== 200) throw await readStatusError(res);
  const splitter = new LineSplitter();
  const isJson = options.output === 'json';
  if (!isJson) terminal.out(`${auditHead}\n`);
  let isEmpty = true;
  try {
    for await (const chunk of res.body)
      for (const line of splitter.push(chunk as Buffer)) {
        isEmpty = false;
        terminal.out(`${isJson ? line : auditLine(line)}\n`);
      }
    if (isEmpty && !isJson)
      terminal.err('Nothing of that is in the log; --since looks further back, and reads of the hub itself are not in it.\n');
  } catch (error) {
    if (!signal.aborted) throw brokenOff(error);
  }
}

function queryOf({ user, cluster, verb, since, follow }: AuditOptions, now: number): URLSearchParams {
  const query = new URLSearchParams({ since: new Date(now - since).toISOString() });
  for (const [name, value] of Object.entries({ user, cluster, verb })) if (value !== undefined) query.set(name, value);
  if (follow) query.set('follow', 'true');
  return query;
}
