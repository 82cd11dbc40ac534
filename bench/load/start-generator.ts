import { fork } from 'node:child_process';
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
  let onAnswer: (answer: LoadAnswer) => void = () => {};
  child.on('message', (answer: LoadAnswer) => onAnswer(answer));
  child.once('exit', () => onAnswer({ error: 'the load generator ended' }));
  send({ credentials });
  return {
    async run(task) {
      const answered = new Promise<LoadAnswer>(resolve => (onAnswer = resolve));
      send({ task });
      const answer = await answered;
      if ('error' in answer) throw new Error(`cannot ${task.type}: ${answer.error}`);
      return answer.value;
    },
    [Symbol.dispose]: () => child.disconnect(),
  };
}
