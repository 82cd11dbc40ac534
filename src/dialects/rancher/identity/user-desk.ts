import type { KubeClient } from '../../../client/kube-client.ts';
import type { User } from '../kinds/user.ts';

export interface NewUser {
  readonly username: string;
  readonly password: string;
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly mustChangePassword?: boolean | undefined;
}

export interface ActOptions {
  /** The hub's API as whoever asks for it: its rules decide whether he may. */
  readonly as: KubeClient;
  readonly signal?: AbortSignal;
}

/** Local users: made, found, and given passwords. Bad passwords throw 422. */
export interface UserDesk {
  get(id: string): User | undefined;
  /** By the name that is typed. */
  find(username: string): User | undefined;
  /** With a password. Nothing of it stays when it fails. */
  create(user: NewUser, options: ActOptions): Promise<User>;
  /** Ends the sessions of that user. Whoever may update the User may do it. */
  setPassword(id: string, newPassword: string, options: ActOptions): Promise<void>;
  /** By the user himself, who has to know the present one: 422 `InvalidBodyContent` otherwise. All his sessions end but the one named. */
  changePassword(id: string, passwords: { currentPassword: string; newPassword: string }, keepSession?: string): Promise<void>;
  /** The user with this name and password. Throws 401 for both, 403 when disabled; takes equally long whatever is wrong. */
  signIn(username: string, password: string): Promise<User>;
}
