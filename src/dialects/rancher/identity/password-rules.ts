import { StatusError } from '../../../api/status.ts';

const maxLength = 1024;

/** Throws 422 when a password may not be chosen. */
export function checkNewPassword(password: string, { username, minLength }: { username: string; minLength: number }): void {
  const length = [...password].length;
  if (length < minLength) throw badPassword(`Password must be at least ${minLength} characters`);
  if (length > maxLength) throw badPassword(`Password must be at most ${maxLength} characters`);
  if (password.toLowerCase() === username.toLowerCase()) throw badPassword('Password cannot be the same as username');
}

export const badPassword = (message: string) => new StatusError(422, 'InvalidBodyContent', message);
