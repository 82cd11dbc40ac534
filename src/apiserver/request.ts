import type { UserInfo } from '../auth/user.ts';

/** What every verb knows about the request it serves. */
export interface RequestContext {
  readonly user: UserInfo;
  readonly userAgent: string;
  readonly now: Date;
  readonly signal: AbortSignal;
  warn(text: string): void;
  /** Throws unless the user may create the object that an update or apply did not find. Absent for requests that need no permission. */
  authorizeCreate?(): void;
  auditAnnotation(key: string, value: string): void;
  /** What was made is called so: the path of the request does not say it. */
  auditName?(name: string): void;
}

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** CreateOptions, UpdateOptions and PatchOptions, after validation. */
export interface WriteRequest extends RequestContext {
  readonly dryRun: boolean;
  /** '' when the client named none. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
}

/** The manager that owns what a request writes: the one it names, or the program that sent it. */
export function managerOf(request: WriteRequest): string {
  if (request.fieldManager !== '') return request.fieldManager;
  const program = request.userAgent.split('/', 1)[0]!;
  return program.slice(0, 128);
}

export interface ObjectTarget {
  readonly namespace: string;
  readonly name: string;
}
