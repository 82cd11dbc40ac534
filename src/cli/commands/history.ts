import { Option, type Command } from 'commander';
import { ageOf } from '../../apiserver/table/human-duration.ts';
import { readReleases } from '../../core/releases/read-releases.ts';
import type { ReleaseRecord } from '../../core/releases/release-record.ts';
import { isChart } from '../../core/works/work-indexes.ts';
import { errorText } from '../../util/error-text.ts';
import type { Json } from '../../util/json.ts';
import { writeYaml } from '../../yaml/write-yaml.ts';
import { connectToHub, type HubConnection } from '../hub-client.ts';
import { jsonText } from '../output/json-text.ts';
import { TabWriter } from '../output/tab-writer.ts';
import { visibleLine } from '../output/visible-text.ts';
import type { Terminal } from '../terminal.ts';
import { findWork, type FoundWork } from '../works/find-work.ts';
import { addWorkOptions, parseOnlyWork, type WorkOptions } from '../works/work-argument.ts';
import { joinRevisions, readRevisions, type WorkRevision } from '../works/work-revisions.ts';

interface HistoryOptions extends WorkOptions {
  output?: 'json' | 'yaml';
}

export function defineHistory(command: Command, terminal: Terminal): void {
  command
    .usage('[options] work/NAME')
    .argument('<work...>', 'which Work')
    .addOption(new Option('-o, --output <format>', 'for programs instead of people').choices(['json', 'yaml']));
  addWorkOptions(command)
    .addHelpText(
      'after',
      '\nShows what the Work has delivered, the oldest first: its revision on the hub, what\n' +
        "it delivered, Helm's revision of the release on the member and its state there,\n" +
        'and the field manager that wrote it. "drover rollback" brings one back.',
    )
    .action((words: string[], options: HistoryOptions) => history(words, options, terminal));
}

async function history(words: string[], options: HistoryOptions, terminal: Terminal): Promise<void> {
  const name = parseOnlyWork(words);
  const { signal } = terminal;
  await using hub = await connectToHub(options, terminal);
  const found = await findWork(hub, { name, cluster: options.cluster, namespace: options.namespace }, terminal);
  const [kept, records] = await Promise.all([readRevisions(hub.client, found.work, signal), releasesOf(found, hub, terminal)]);
  const revisions = joinRevisions(found.work, kept, records);
  const json = revisions.map(({ data, ...rest }) => ({ ...rest, spec: data })) as unknown as Json;
  if (options.output === 'json') return terminal.out(jsonText(json));
  if (options.output === 'yaml') return terminal.out(writeYaml(json));
  if (revisions.length === 0) return terminal.err(`work ${JSON.stringify(name)} has no revisions yet\n`);
  return terminal.out(historyTable(revisions, new Date()));
}

/** The history of the hub is worth showing also when the member cannot be asked. */
async function releasesOf({ work, cluster }: FoundWork, hub: HubConnection, terminal: Terminal): Promise<ReleaseRecord[]> {
  if (!isChart(work) || cluster === undefined) return [];
  try {
    return await readReleases(hub.source(cluster), work.spec.release, { signal: terminal.signal });
  } catch (error) {
    terminal.signal.throwIfAborted();
    terminal.err(`Warning: the releases on cluster ${JSON.stringify(cluster)} cannot be read: ${visibleLine(errorText(error))}\n`);
    return [];
  }
}

function historyTable(revisions: readonly WorkRevision[], now: Date): string {
  const table = new TabWriter();
  table.line('REVISION\tWHAT\tHELM\tSTATE\tBY\tAGE');
  for (const { revision, what, helmRevision, state, changedBy, at } of revisions) {
    const cells = [revision, what, helmRevision ?? '<none>', state ?? '<pending>', changedBy ?? '<unknown>', ageOf(at ?? undefined, now)];
    table.line(cells.map(cell => visibleLine(String(cell))).join('\t'));
  }
  return table.flush();
}
