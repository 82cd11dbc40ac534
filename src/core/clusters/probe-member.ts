import { underDeadline } from '../../client/deadline.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { readBytes } from '../../client/read-answer.ts';
import type { TransportResponse } from '../../client/transport.ts';
import { errorText } from '../../util/error-text.ts';
import { probeTimeoutMs, type Answer, type Probe } from './standing.ts';

const maxReportBytes = 64 * 1024;

/** Asks a member whether it is ready. Whatever comes back, or does not, is an answer; only giving up throws. */
export async function probeMember(client: Pick<KubeClient, 'request'>, signal: AbortSignal, now = Date.now): Promise<Probe> {
  const startedAt = now();
  try {
    const { answer, date } = await underDeadline({ signal, timeoutMs: probeTimeoutMs }, deadline => askReadiness(client, deadline));
    const memberTime = date === undefined ? NaN : Date.parse(date);
    return { answer, startedAt, endedAt: now(), ...(!Number.isNaN(memberTime) && { memberTime }) };
  } catch (error) {
    if (signal.aborted) throw error;
    return { answer: { kind: 'silent', why: errorText(error) }, startedAt, endedAt: now() };
  }
}

async function askReadiness(
  client: Pick<KubeClient, 'request'>,
  signal: AbortSignal,
): Promise<{ answer: Answer; date: string | undefined }> {
  const ask = (path: string) => client.request({ method: 'GET', path, headers: { accept: '*/*' }, signal });
  let res = await ask('/readyz');
  if (res.status === 404) {
    res.body.destroy();
    // API servers before 1.16, and some that are not Kubernetes' own.
    res = await ask('/healthz');
  }
  const { date } = res.headers;
  return { answer: await readReadiness(res), date: typeof date === 'string' ? date : undefined };
}

async function readReadiness(res: TransportResponse): Promise<Answer> {
  // Read to the end also when it is not needed: the connection can then be used again.
  const report = (await readBytes(res.body, maxReportBytes)).toString('utf8');
  if (res.status === 200) return { kind: 'ready' };
  if (res.status === 401 || res.status === 403) return { kind: 'refused' };
  return { kind: 'unready', failing: failingChecks(report) };
}

/** The names in lines such as `[-]etcd failed: reason withheld`. */
function failingChecks(report: string): string[] {
  return [...report.matchAll(/^\[-\](\S+)/gm)].map(match => match[1]!);
}
