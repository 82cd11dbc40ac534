import type { IncomingMessage } from 'node:http';
import type { UserInfo } from './user.ts';

/** What is found out about a request on its way, for the audit log. */
export interface RequestNotes {
  /** Who proved to be who they are. */
  sender?: UserInfo;
  /** As whom the request is answered: the sender, or the user it impersonates. */
  user?: UserInfo;
  auditId?: string;
  /** Of an answer on a connection that had asked to leave HTTP. */
  status?: number;
  annotations?: Readonly<Record<string, string>>;
  /** Called when an answer begins that has no near end. */
  onStream?(status: number): void;
}

const notes = new WeakMap<IncomingMessage, RequestNotes>();

/** Adds to what is known about a request. Annotations are joined, everything else is replaced. */
export function note(req: IncomingMessage, { annotations, ...more }: RequestNotes): void {
  const known = notesOf(req);
  notes.set(req, { ...known, ...more, ...(annotations && { annotations: { ...known.annotations, ...annotations } }) });
}

export function notesOf(req: IncomingMessage): RequestNotes {
  return notes.get(req) ?? {};
}
