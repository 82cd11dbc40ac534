import { Namespace, Secret } from '../../../api/builtin-kinds.ts';
import { apiVersionOf } from '../../../api/object.ts';
import { notFoundError, StatusError, unauthorized } from '../../../api/status.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { failureLimit } from '../../../gateway/failure-limit.ts';
import type { Settings } from '../clusters/settings.ts';
import { User } from '../kinds/user.ts';
import { fewAtOnce } from './few-at-once.ts';
import { passwordKey, usersByName, type IdentityObjects } from './identity-objects.ts';
import { passwordNamespace } from './identity-names.ts';
import { hashPassword, isPassword, nobodysPassword } from './password-hash.ts';
import { badPassword, checkNewPassword } from './password-rules.ts';
import { keptPasswordId, passwordId, passwordSecret, readPassword } from './password-secret.ts';
import type { SignedInPerson } from './sign-in-provider.ts';
import type { TokenDesk } from './token-desk.ts';
import { newSuffix } from './token-key.ts';
import { untilKnown } from './until-known.ts';

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
  /** By the user himself, who has to know the present one; 422 otherwise. All his sessions end but the one named. */
  changePassword(id: string, passwords: { currentPassword: string; newPassword: string }, keepSession?: string): Promise<void>;
  /** The user with this name and password. Throws 401 for both, 403 when disabled; takes equally long whatever is wrong. */
  signIn(username: string, password: string): Promise<SignedInPerson>;
}

export interface UserDeskDeps {
  /** As the hub itself. */
  readonly hub: KubeClient;
  readonly objects: IdentityObjects;
  readonly settings: Pick<Settings, 'number'>;
  readonly tokens: Pick<TokenDesk, 'keepSession'>;
  /** For tests. Default: the wall clock. */
  readonly now?: () => number;
}

const timeoutMs = 10_000;
const maxNameTries = 5;
const usernamePattern = /^[^\s\x00-\x1f\x7f:/]{1,128}$/u;

export function userDesk({ hub, objects, settings, tokens, now }: UserDeskDeps): UserDesk {
  const { users, passwords } = objects;
  const slowly = fewAtOnce();
  const guesses = failureLimit(now);
  return { get: id => users.get(id), find, create, setPassword, changePassword, signIn };

  function find(username: string): User | undefined {
    const found = users.by(usersByName, username);
    // Two of one name would make it a matter of luck who is meant.
    return found.length === 1 ? found[0] : undefined;
  }

  async function create(wanted: NewUser, { as, signal }: ActOptions): Promise<User> {
    const { username, password } = wanted;
    if (!usernamePattern.test(username))
      throw new StatusError(422, 'InvalidFormat', 'the username is empty, too long or has characters that cannot be typed');
    if (users.by(usersByName, username).length > 0) throw new StatusError(422, 'NotUnique', `there is a user "${username}" already`);
    checkNewPassword(password, { username, minLength: settings.number('password-min-length') });
    const phc = await slowly(() => hashPassword(password));
    const user = await createUser(wanted, { as, ...(signal && { signal }) });
    try {
      await writePassword(user, phc);
    } catch (error) {
      await hub.delete(User, { name: user.metadata.name! }, { timeoutMs });
      throw error;
    }
    await untilKnown(users, user.metadata.name!, Boolean);
    return user;
  }

  async function createUser(wanted: NewUser, { as, signal }: ActOptions): Promise<User> {
    const { username, displayName, description, enabled = true, mustChangePassword = false } = wanted;
    for (let attempt = 1; ; attempt++) {
      const name = `u-${newSuffix()}`;
      const user: User = {
        apiVersion: apiVersionOf(User),
        kind: User.kind,
        metadata: { name },
        username,
        ...(displayName !== undefined && { displayName }),
        ...(description !== undefined && { description }),
        enabled,
        mustChangePassword,
        principalIds: [`local://${name}`],
      };
      try {
        return await as.create(User, user, { timeoutMs, ...(signal && { signal }) });
      } catch (error) {
        const isTaken = error instanceof StatusError && error.reason === 'AlreadyExists';
        if (!isTaken || attempt === maxNameTries) throw error;
      }
    }
  }

  async function setPassword(id: string, newPassword: string, { as, signal }: ActOptions): Promise<void> {
    const user = users.get(id);
    if (!user?.username) throw notFoundError(User, id);
    checkNewPassword(newPassword, { username: user.username, minLength: settings.number('password-min-length') });
    const phc = await slowly(() => hashPassword(newPassword));
    // By this the hub's rules about changing users decide about passwords too.
    const body = { mustChangePassword: user.mustChangePassword ?? false };
    await as.patch(User, { name: id }, { type: 'merge', body }, { timeoutMs, ...(signal && { signal }) });
    await writePassword(user, phc);
  }

  async function changePassword(id: string, given: { currentPassword: string; newPassword: string }, keepSession?: string): Promise<void> {
    const user = users.get(id);
    if (!user?.username) throw notFoundError(User, id);
    const { currentPassword, newPassword } = given;
    await checkCurrentPassword(user, currentPassword);
    checkNewPassword(newPassword, { username: user.username, minLength: settings.number('password-min-length') });
    if (currentPassword === newPassword) throw badPassword('The new password must not be the same as the current password');
    await writePassword(user, await slowly(() => hashPassword(newPassword)));
    if (user.mustChangePassword) await hub.patch(User, { name: id }, { type: 'merge', body: { mustChangePassword: false } }, { timeoutMs });
    if (keepSession !== undefined) await tokens.keepSession(keepSession);
  }

  async function signIn(username: string, password: string): Promise<SignedInPerson> {
    const user = find(username);
    const shown = await checkPassword(user, password);
    if (!user || shown === undefined) throw new StatusError(401, 'Unauthorized', 'authentication failed');
    if (user.enabled === false) throw new StatusError(403, 'PermissionDenied', 'the user is disabled');
    return { user, passwordId: shown };
  }

  /** A stolen session must not be the way to find out the password. */
  async function checkCurrentPassword(user: User, password: string): Promise<void> {
    const isRight = guesses.guardName(user.metadata.name!, async () => {
      if ((await checkPassword(user, password)) === undefined) throw unauthorized();
    });
    await isRight.catch((error: unknown) => {
      throw error instanceof StatusError && error.code === 401 ? badPassword('invalid current password') : error;
    });
  }

  /** The id of the password when it is right. Does the same for users that do not exist, so that time does not tell. */
  async function checkPassword(user: User | undefined, password: string): Promise<string | undefined> {
    const secret = await hub.get(Secret, { namespace: passwordNamespace, name: user?.metadata.name ?? 'u-nobody' }, { timeoutMs });
    const stored = user && readPassword(secret, user);
    const nobodys = await nobodysPassword();
    const isRight = await slowly(() => isPassword(password, stored ?? nobodys));
    return isRight && stored && secret ? passwordId(secret) : undefined;
  }

  async function writePassword(user: User, phc: string): Promise<void> {
    const written = await applyPassword(hub, user, phc);
    await untilKnown(passwords, passwordKey(user.metadata.name!), kept => keptPasswordId(kept) === passwordId(written));
  }
}

/** Gives a user a password that is hashed already. */
export async function applyPassword(hub: KubeClient, user: User, phc: string): Promise<Secret> {
  await ensurePasswordNamespace(hub);
  return hub.apply(Secret, passwordSecret(user, phc), { fieldManager: 'drover-passwords', timeoutMs });
}

export async function ensurePasswordNamespace(hub: KubeClient): Promise<void> {
  const name = passwordNamespace;
  if (await hub.get(Namespace, { name }, { timeoutMs })) return;
  await hub.apply(Namespace, { metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'drover' } } }, { timeoutMs });
}
