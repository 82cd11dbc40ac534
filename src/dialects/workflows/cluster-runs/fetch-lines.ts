import type { ServiceSnapshot } from '../inputs/run-snapshot.ts';
import type { LogLine } from '../logs/run-logs.ts';
import { unitLog } from '../release/step-log.ts';

/** Where the manifests of a service come from, fetched once for the whole run. Nothing of what the hub had itself. */
export function fetchLines(service: Pick<ServiceSnapshot, 'sources'> | undefined): readonly LogLine[] {
  const remote = service?.sources.filter(({ from }) => from !== undefined) ?? [];
  if (remote.length === 0) return [];
  const log = unitLog('Fetch Files');
  for (const { from, ...source } of remote) {
    if ('commit' in source && source.commit !== undefined) log.info(`Fetched ${from} at commit ${source.commit}`);
    else log.info(`Fetched ${from}${'content' in source ? ` as ${source.content}` : ''}`);
  }
  return log.done().lines;
}
