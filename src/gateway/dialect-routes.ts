import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** A connection that asks to leave HTTP. */
export interface UpgradeConnection {
  readonly socket: Duplex;
  readonly head: Buffer;
  /** Answers within HTTP after all. */
  respond(): ServerResponse;
}

/** Carries a request to the member that its path names. */
export type MemberWay = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** What a dialect serves at the hub's address besides its kinds. */
export interface DialectRoutes {
  /** The first parts of all its paths, such as `v3`, or of those below any member (`belowMember`). It is asked about no others. */
  readonly roots: readonly string[];
  /** Whether requests for this path, without its query, are its own. */
  handles(path: string): boolean;
  /** Errors that are thrown are answered as the Kubernetes API would. Below a member `member` is the way to what it serves itself. */
  handle(req: IncomingMessage, res: ServerResponse, member?: MemberWay): Promise<void>;
  /** Whether a request to leave HTTP is welcome. None is when absent. */
  wantsUpgrade?(req: IncomingMessage): boolean;
  /** Throws before the connection has left HTTP. */
  upgrade?(req: IncomingMessage, connection: UpgradeConnection): Promise<void>;
}
