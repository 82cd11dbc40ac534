import type { Pod } from '../../api/kubernetes.ts';
import { StatusError } from '../../api/status.ts';
import type { ClusterApi } from '../../apiserver/cluster-api.ts';
import type { Kubelets, LogOptions } from '../../apiserver/http/node-bound.ts';
import { pods } from '../controllers/workload-resources.ts';
import { isRunning, logLines, printLines } from './sandbox-log.ts';

/** Answers for the nodes of a sandbox cluster: logs are made up from what is known of the pod, and nothing can be executed. */
export function sandboxKubelets(api: ClusterApi): Kubelets {
  return {
    readLog: (pod, options, signal) => limited(readLog(api, pod, options, signal), options.limitBytes),
    refusal: (subresource, named) =>
      new StatusError(501, 'NotImplemented', `${named} is in a sandbox cluster, which runs no containers: there is no ${subresource} here`),
  };
}

async function* readLog(api: ClusterApi, pod: Pod, options: LogOptions, signal: AbortSignal): AsyncGenerator<string> {
  const lines = logLines(pod, options);
  yield printLines(lines, options);
  const { container, follow, previous } = options;
  if (!follow || previous || !isRunning(pod, container)) return;
  const end = await endOfRun(api, pod, container, signal);
  if (!end) return;
  const { tailLines: _, ...rest } = options;
  yield printLines(logLines(end, options).slice(lines.length), rest);
}

/** The pod when the container has ended; undefined when it was deleted first, or nobody wants to know any more. */
function endOfRun(api: ClusterApi, { metadata }: Pod, container: string, signal: AbortSignal): Promise<Pod | undefined> {
  return new Promise(resolve => {
    const { uid, namespace = '', name = '' } = metadata ?? {};
    const stop = (pod: Pod | undefined) => {
      subscription[Symbol.dispose]();
      signal.removeEventListener('abort', onAbort);
      resolve(pod);
    };
    const onAbort = () => stop(undefined);
    const look = (pod: Pod | undefined) => {
      if (pod?.metadata?.uid !== uid) stop(undefined);
      else if (pod && !isRunning(pod, container)) stop(pod);
    };
    const subscription = api.subscribe(change => {
      if (change.name !== name || change.namespace !== namespace || change.resource.resource !== pods.resource) return;
      look(change.type === 'DELETED' ? undefined : (change.obj as unknown as Pod));
    });
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    else look(api.peek(pods, namespace, name) as unknown as Pod | undefined);
  });
}

async function* limited(pieces: AsyncIterable<string>, limitBytes = Infinity): AsyncGenerator<string> {
  let left = limitBytes;
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece);
    if (bytes.length >= left) {
      yield bytes.subarray(0, left).toString();
      return;
    }
    left -= bytes.length;
    yield piece;
  }
}
