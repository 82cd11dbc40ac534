import type { ServerResponse } from 'node:http';
import type { Resource } from '../resource.ts';
import { waitForRevision } from '../verbs/list.ts';
import { parseSelection } from '../verbs/selection.ts';
import { Watcher, type WatchSink } from '../watch/watcher.ts';
import { parseWatchOptions } from '../watch/watch-options.ts';
import { drained, setWarnings } from './answer.ts';
import { negotiateFor } from './negotiate-for.ts';
import type { RequestScope } from './request-scope.ts';

const contentTypes = { json: 'application/json', protobuf: 'application/vnd.kubernetes.protobuf;stream=watch' } as const;

export async function serveWatch(scope: RequestScope, resource: Resource, namespace: string): Promise<void> {
  const { form, encoding: negotiated } = negotiateFor(scope, resource, { yaml: false });
  const encoding = negotiated === 'protobuf' ? 'protobuf' : 'json';
  const query = watchQuery(scope);
  const selection = parseSelection(resource, namespace, query);
  const options = parseWatchOptions(query);
  await waitForRevision(scope.cluster.store, options.atLeastRevision);

  const { res } = scope;
  setWarnings(scope);
  res.setHeader('Content-Type', contentTypes[encoding]);
  res.writeHead(200);
  res.flushHeaders();
  const watcher = new Watcher(scope.cluster.watches, resource, selection, { form, encoding }, options, responseSink(res));
  res.once('close', () => watcher.end());
  watcher.start();
}

/** The old form `/watch/…/<name>` names its object in the path. */
function watchQuery({ info }: RequestScope): URLSearchParams {
  const { name } = info.resource!;
  if (name === '' || info.query.has('fieldSelector')) return info.query;
  const query = new URLSearchParams(info.query);
  query.set('fieldSelector', `metadata.name=${name}`);
  return query;
}

/** How much may wait for one reader before it counts as slow. Watchers of the same objects share these bytes. */
const maxBacklogBytes = 512 * 1024;

function responseSink(res: ServerResponse): WatchSink {
  return {
    write: chunk => res.write(chunk) || res.writableLength < maxBacklogBytes,
    drained: () => drained(res),
    end: () => void res.end(),
  };
}
