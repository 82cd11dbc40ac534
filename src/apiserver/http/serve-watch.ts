import type { ServerResponse } from 'node:http';
import type { Resource } from '../resource.ts';
import { waitForRevision } from '../verbs/list.ts';
import { parseSelection } from '../verbs/selection.ts';
import { Watcher, type WatchSink } from '../watch/watcher.ts';
import type { WatchView } from '../watch/event-lines.ts';
import { parseWatchOptions } from '../watch/watch-options.ts';
import { drained, maxBacklogBytes, setWarnings } from './answer.ts';
import { negotiateFor } from './negotiate-for.ts';
import type { RequestScope } from './request-scope.ts';
import { openWatchSocket, socketSink } from './watch-socket.ts';

const contentTypes = { json: 'application/json', protobuf: 'application/vnd.kubernetes.protobuf;stream=watch' } as const;

export async function serveWatch(scope: RequestScope, resource: Resource, namespace: string): Promise<void> {
  const { form, encoding: negotiated } = negotiateFor(scope, resource, { yaml: false });
  const encoding = negotiated === 'protobuf' ? 'protobuf' : 'json';
  const query = watchQuery(scope);
  const selection = parseSelection(resource, namespace, query);
  const options = parseWatchOptions(query);
  await waitForRevision(scope.cluster.store, options.atLeastRevision);

  const sink = await openSink(scope, encoding);
  if (!sink) return;
  const watcher = new Watcher(scope.cluster.watches, resource, selection, { form, encoding }, options, sink);
  scope.res.once('close', () => watcher.end());
  watcher.start();
}

async function openSink(scope: RequestScope, encoding: WatchView['encoding']): Promise<WatchSink | undefined> {
  const { res, upgrade } = scope;
  setWarnings(scope);
  if (upgrade) {
    const webSocket = await openWatchSocket(scope, upgrade);
    return webSocket && socketSink(webSocket, encoding);
  }
  res.setHeader('Content-Type', contentTypes[encoding]);
  res.writeHead(200);
  res.flushHeaders();
  return responseSink(res);
}

/** The old form `/watch/…/<name>` names its object in the path. */
function watchQuery({ info }: RequestScope): URLSearchParams {
  const { name } = info.resource!;
  if (name === '' || info.query.has('fieldSelector')) return info.query;
  const query = new URLSearchParams(info.query);
  query.set('fieldSelector', `metadata.name=${name}`);
  return query;
}

function responseSink(res: ServerResponse): WatchSink {
  return {
    write: chunk => res.write(chunk) || res.writableLength < maxBacklogBytes,
    drained: () => drained(res),
    end: () => void res.end(),
  };
}
