import type { KubeClient } from '../client/kube-client.ts';
import { readJson } from '../client/read-answer.ts';
import { log } from '../runtime/log.ts';
import { tracePath } from '../tunnel/protocol.ts';
import { isJsonObject } from '../util/json.ts';
import { parseTraceparent, type SpanContext } from '../util/trace.ts';

/** A delivery does not wait for its trace. */
const patienceMs = 1_000;

/** Asks the hub which step of which trace wrote a version of an object. Nobody knows when the hub does not answer, or is too old to be asked. */
export function causeAtHub(hub: Pick<KubeClient, 'request'>, signal: AbortSignal): (version: string) => Promise<SpanContext | undefined> {
  return async version => {
    try {
      const stop = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
      const answer = await readJson(await hub.request({ method: 'GET', path: tracePath + version, headers: {}, signal: stop }));
      const told = isJsonObject(answer) ? answer['traceparent'] : undefined;
      return typeof told === 'string' ? parseTraceparent(told) : undefined;
    } catch (err) {
      log.debug('the hub does not say which trace it is', { err });
      return undefined;
    }
  };
}
