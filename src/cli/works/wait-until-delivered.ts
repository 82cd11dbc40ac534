import { setTimeout as sleep } from 'node:timers/promises';
import { Work } from '../../api/work.ts';
import type { KubeClient, ObjectKey } from '../../client/kube-client.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { visibleLine } from '../output/visible-text.ts';
import type { Terminal } from '../terminal.ts';
import { judgeWait } from './judge-wait.ts';

const pollMs = 300;

/** Waits until the present spec of a Work is on its member and healthy there, and tells on the way what it waits for. */
export async function waitUntilDelivered(hub: KubeClient, key: ObjectKey, timeoutMs: number, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  const deadline = performance.now() + timeoutMs;
  const name = JSON.stringify(key.name);
  for (let last = ''; ; await sleep(pollMs, undefined, { signal })) {
    const work = await hub.get(Work, key, { signal });
    if (!work) throw new CommandError(`work ${name} was removed while it was waited for`);
    const judgement = judgeWait(work);
    if (judgement.is === 'done') return void terminal.err(`work ${name} is ready\n`);
    const hint = `"drover explain work/${key.name} -n ${key.namespace}" says more`;
    if (judgement.is === 'failed')
      throw new CommandError(`work ${name} does not become ready`, { cause: new Error(visibleLine(judgement.message)), hint });
    if (judgement.message !== last) terminal.err(`${visibleLine(judgement.message)}\n`);
    last = judgement.message;
    if (performance.now() > deadline)
      throw new CommandError(`work ${name} was not ready in time`, {
        cause: new Error(visibleLine(last)),
        exitCode: exitCodes.timedOut,
        hint,
      });
  }
}
