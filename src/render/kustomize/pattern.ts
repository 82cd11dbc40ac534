import { RE2JS, RE2JSException } from 're2js';
import { KustomizeError } from './kustomize-error.ts';

/** A pattern of Go's, which runs in linear time. The answer tells whether it is found somewhere in a text. */
export function compilePattern(pattern: string): (text: string) => boolean {
  try {
    const compiled = RE2JS.compile(pattern);
    return text => compiled.matcher(text).find();
  } catch (cause) {
    if (!(cause instanceof RE2JSException)) throw cause;
    throw new KustomizeError(cause.message, { cause });
  }
}
