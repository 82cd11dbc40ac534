import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Credentials } from '../../test/helpers/http-target.ts';
import type { LoadAnswer, LoadMessage, LoadTask } from './generator.ts';

export interface Generator extends Disposable {
  run(task: LoadTask): Promise<number>;
}

/** The load comes from a process of its own, so that it shares nothing but the machine with the server. */
export function startGenerator(credentials: Credentials): Generator {
  const child = fork(path.join(import.meta.dirname, 'generator.ts'), { execPath: process.execPath });
  const send = (message: LoadMessage) => void child.send(message);
  send({ credentials });
  return {
    async run(task) {
      send({ task });
      const [answer] = (await Promise.race([
        once(child, 'message'),
        once(child, 'exit').then(() => Promise.reject(new Error('the load generator ended'))),
      ])) as [LoadAnswer];
      if ('error' in answer) throw new Error(`cannot ${task.type}: ${answer.error}`);
      return answer.value;
    },
    [Symbol.dispose]: () => child.disconnect(),
  };
}
